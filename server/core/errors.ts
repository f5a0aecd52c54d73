import type { JsonValue } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { inlineText, uncodedText } from '#server/core/message-data';

/** Marks every error of ours, no matter which copy of this module created it. */
const BRAND = Symbol.for('throughline.error');

/** What a sentence of an error is about. Names for people are in the messages. */
export type Thing =
  | 'API key'
  | 'ability'
  | 'account'
  | 'address'
  | 'answer of the site'
  | 'approval'
  | 'attached image'
  | 'attachment'
  | 'backup'
  | 'body'
  | 'call request'
  | 'category'
  | 'change'
  | 'collection'
  | 'comment'
  | 'compaction'
  | 'connected site'
  | 'entry'
  | 'entry in the trash'
  | 'file'
  | 'file of the site'
  | 'form'
  | 'image'
  | 'image in this conversation named'
  | 'import'
  | 'item'
  | 'menu'
  | 'menu item'
  | 'message'
  | 'page'
  | 'page or post'
  | 'part'
  | 'passkey'
  | 'picture'
  | 'planned entry'
  | 'post'
  | 'preference'
  | 'preview link'
  | 'provider'
  | 'recallable part'
  | 'removed preference'
  | 'request'
  | 'resource'
  | 'response'
  | 'revision'
  | 'section'
  | 'session'
  | 'sign-in'
  | 'site'
  | 'tag'
  | 'text'
  | 'text of the system messages'
  | 'tool server'
  | 'type'
  | 'user'
  | 'waiting message';

const thing = (name: Thing) => ({ code: `thing.${name}`, params: {}, text: name });

/**
 * Base class of all expected failures. `code` is part of the REST contract (snake_case, stable); `message` is for
 * people and says what to do; `details` is safe to send to a client.
 *
 * `instanceof` compares the code: routes, pages and instrumentation each load a separate copy of this module, and each
 * copy must recognise errors of the others.
 */
export abstract class ThroughlineError extends Error {
  /** Null only on the base class, which matches all codes. */
  static readonly code: string | null = null;
  readonly [BRAND] = true;
  readonly code: string;
  readonly details: JsonValue | undefined;
  /** `message` as data. */
  readonly text: ServerText;

  constructor(message: string | ServerText, options: { cause?: unknown; details?: JsonValue } = {}) {
    const text = typeof message === 'string' ? uncodedText(message) : message;
    super(text.text, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = new.target.code ?? 'error';
    this.details = options.details;
    this.text = text;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!(typeof value === 'object' && value !== null && BRAND in value && 'code' in value)) return false;
    return this.code === null || value.code === this.code;
  }
}

/** Message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Message of a thrown value as data; that of an error that is not ours has no code. */
export function textOfError(error: unknown): ServerText {
  return error instanceof ThroughlineError ? error.text : uncodedText(messageOf(error));
}

/** The input of the caller is invalid; nothing was changed. */
export class InvalidInputError extends ThroughlineError {
  static override readonly code = 'invalid_input';
}

/** The named thing does not exist, or no longer exists. */
export class NotFoundError extends ThroughlineError {
  static override readonly code = 'not_found';

  /**
   * @param hint a sentence that helps to find it ("Did you mean ...?")
   * @param reason a sentence instead of both; default: that no such thing exists
   */
  constructor(what: Thing, id: string, hint: string | ServerText | null = null, reason?: ServerText) {
    const missing = `There is no ${what} "${id}".`;
    const text = hint === null ? missing : `${missing} ${typeof hint === 'string' ? hint : hint.text}`;
    super(reason ?? inlineText('not-found', { what: thing(what), id, hint }, text), { details: { what, id } });
  }
}

/**
 * The sign-in is too old for a change of permissions: a person who finds an open browser must not be able to take over
 * the account.
 */
export class StaleSignInError extends ThroughlineError {
  static override readonly code = 'sign_in_again';
}

/** The caller has access to no site, and the request concerns one. */
export class NoSiteError extends ThroughlineError {
  static override readonly code = 'no_site';
}

/**
 * The request is valid but conflicts with the present state (a lease is held, a revision is stale, a slug is taken).
 */
export class ConflictError extends ThroughlineError {
  static override readonly code = 'conflict';
}

/** The thing is no longer at the revision that `If-Match` names; nothing was changed. */
export class StaleRevisionError extends ThroughlineError {
  static override readonly code = 'stale_revision';
}

/** A budget is used up: no paid model is called until an administrator raises it or the month ends. */
export class BudgetReachedError extends ThroughlineError {
  static override readonly code = 'budget_reached';
}

/** The user cancelled the request before it was done; nothing was changed. */
export class CancelledError extends ThroughlineError {
  static override readonly code = 'cancelled';
}

/** The server is shutting down and starts nothing new; the same request works after the restart. */
export class StoppingError extends ThroughlineError {
  static override readonly code = 'stopping';
}

/**
 * The database stayed locked or unreachable for as long as a write waits. Nothing was written; the same write can
 * succeed later.
 */
export class StoreBusyError extends ThroughlineError {
  static override readonly code = 'store_busy';
}

/**
 * The connection to a database server was lost during a commit, for so long that it is unknown whether the commit
 * succeeded.
 */
export class StoreUncertainError extends ThroughlineError {
  static override readonly code = 'store_uncertain';
}

/**
 * The server may not write to this database: its file was deleted or replaced, or its schema has another version.
 * Nothing was written, and waiting does not help.
 */
export class StoreUnavailableError extends ThroughlineError {
  static override readonly code = 'store_unavailable';
  /**
   * The cause, as the end of a sentence ("the database file was deleted"); undefined if only the message describes it.
   */
  readonly reason: ServerText | undefined;

  constructor(message: ServerText, options: { cause?: unknown; reason?: ServerText } = {}) {
    super(message, { cause: options.cause });
    this.reason = options.reason;
  }
}

/** A body, message or upload exceeds its limit. `limit` and `actual` are in `unit`. */
export class TooLargeError extends ThroughlineError {
  static override readonly code = 'too_large';

  constructor(what: Thing, limit: number, unit: 'bytes' | 'characters' | 'tokens' | 'pixels' | 'values') {
    const text = `The ${what} is above the limit of ${limit.toLocaleString('en-US')} ${unit}.`;
    super(inlineText('too-large', { what: thing(what), limit, unit }, text), { details: { limit, unit } });
  }
}

/** The file has a type that is not accepted. */
export class UnsupportedFileError extends ThroughlineError {
  static override readonly code = 'unsupported_file';
}

/** No one is signed in, or the API key is unknown or no longer valid. */
export class UnauthenticatedError extends ThroughlineError {
  static override readonly code = 'unauthenticated';
}

/** More requests, turns or attempts than the rate limit allows. */
export class RateLimitedError extends ThroughlineError {
  static override readonly code = 'rate_limited';
  /** Whole seconds until a retry is worthwhile, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(message: string | ServerText, retryAfterMs: number) {
    const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
    super(message, { details: { retryAfterSeconds } });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The body of a request did not arrive in time. */
export class RequestTimeoutError extends ThroughlineError {
  static override readonly code = 'request_timeout';
}

/** The address exists but answers other methods only. */
export class MethodNotAllowedError extends ThroughlineError {
  static override readonly code = 'method_not_allowed';

  constructor(allow: readonly string[]) {
    const methods = allow.join(', ');
    super(inlineText('method-not-allowed', { methods }, `This address answers ${methods} and no other method.`));
  }
}

/** The caller may not do this, with any input. */
export class ForbiddenError extends ThroughlineError {
  static override readonly code = 'forbidden';
}

/** No configured provider serves this model id. */
export class UnknownModelError extends ThroughlineError {
  static override readonly code = 'unknown_model';
}

/** The conversation does not fit the model's context window even after pruning and compaction. */
export class ContextOverflowError extends ThroughlineError {
  static override readonly code = 'context_overflow';
}

/** A tool could not do its task; the model reads `message` as the tool result. */
export class ToolError extends ThroughlineError {
  static override readonly code = 'tool_error';
}

/** The model's provider failed; `retryable` says whether the same request may succeed later. */
export class ProviderError extends ThroughlineError {
  static override readonly code = 'provider_error';
  readonly retryable: boolean;

  constructor(message: string | ServerText, options: { retryable: boolean; cause?: unknown; details?: JsonValue }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/**
 * Returns the sentence of an error that concerns one item of several, so that the others can be processed: its input is
 * invalid, its target does not exist, or it conflicts with the present state.
 * @throws any other error unchanged
 */
export function refusalOf(error: unknown): ServerText {
  const kinds = [InvalidInputError, ConflictError, NotFoundError, TooLargeError, UnsupportedFileError];
  if (kinds.some((kind) => error instanceof kind)) return (error as ThroughlineError).text;
  throw error;
}

/**
 * The connected site can be neither read nor written: it does not answer, no longer accepts our credentials, or answers
 * with data that is not its own. Our stored data was not changed.
 */
export class SiteUnavailableError extends ThroughlineError {
  static override readonly code = 'site_unavailable';
}

/** The turn that tries to write has ended or was taken over by another process; nothing was written. */
export class TurnLostError extends ThroughlineError {
  static override readonly code = 'turn_lost';

  constructor(turnId: string) {
    super(inlineText('turn-lost', { id: turnId }, `Turn ${turnId} is not run by this process any more.`));
  }
}

/** The session's queue already holds the maximum number of messages. */
export class QueueFullError extends ThroughlineError {
  static override readonly code = 'queue_full';
}
