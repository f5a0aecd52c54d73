import type { JsonValue } from '#server/core/json';

/** On every error of ours, whichever copy of this module made it. */
const BRAND = Symbol.for('throughline.error');

/**
 * Base of every failure we foresee. `code` is part of the REST contract (snake_case, stable); `message` is for a
 * person and says what to do; `details` is safe to send to a client.
 *
 * `instanceof` goes by the code: routes, pages and instrumentation each load their own copy of this module, and an
 * error made by one must be known to the others.
 */
export abstract class ThroughlineError extends Error {
  /** Null on the base class alone, which stands for all codes. */
  static readonly code: string | null = null;
  readonly [BRAND] = true;
  readonly code: string;
  readonly details: JsonValue | undefined;

  constructor(message: string, options: { cause?: unknown; details?: JsonValue } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = new.target.code ?? 'error';
    this.details = options.details;
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

/** The caller sent something that cannot be accepted; nothing was changed. */
export class InvalidInputError extends ThroughlineError {
  static override readonly code = 'invalid_input';
}

/** The named thing does not exist (any more). */
export class NotFoundError extends ThroughlineError {
  static override readonly code = 'not_found';

  /**
   * @param hint a sentence that helps to find it ("Did you mean ...?")
   * @param said the sentence in front of it; default: that there is none
   */
  constructor(what: string, id: string, hint?: string, said = `There is no ${what} "${id}".`) {
    super(hint === undefined ? said : `${said} ${hint}`, { details: { what, id } });
  }
}

/** The sign-in is too old to change who may do what: whoever finds a browser open must not take it over. */
export class StaleSignInError extends ThroughlineError {
  static override readonly code = 'sign_in_again';
}

/** Whoever asks may work on no site at all, and this is about one. */
export class NoSiteError extends ThroughlineError {
  static override readonly code = 'no_site';

  constructor() {
    super('There is no site that you may work on. Ask an administrator.');
  }
}

/** The request is fine but clashes with the present state (a lease is held, a revision is stale, a slug is taken). */
export class ConflictError extends ThroughlineError {
  static override readonly code = 'conflict';
}

/** The thing is not at the revision that `If-Match` names any more; nothing was changed. */
export class StaleRevisionError extends ThroughlineError {
  static override readonly code = 'stale_revision';
}

/** A budget is used up: no paid model is asked until an administrator raises it, or the month is over. */
export class BudgetReachedError extends ThroughlineError {
  static override readonly code = 'budget_reached';
}

/** The user has cancelled what was asked for before it was done; nothing was changed. */
export class CancelledError extends ThroughlineError {
  static override readonly code = 'cancelled';
}

/** The server is about to end and begins nothing new; the same request works once it is back. */
export class StoppingError extends ThroughlineError {
  static override readonly code = 'stopping';

  constructor() {
    super('The server is stopping. Try again when it is back.');
  }
}

/** The database stayed locked or out of reach for as long as a write waits. Nothing was written: the same works later. */
export class StoreBusyError extends ThroughlineError {
  static override readonly code = 'store_busy';

  /** `waitedMs`: how long it was waited for, in the queue of this process too. */
  constructor(waitedMs: number, cause?: unknown) {
    super('The database is busy. Nothing was written. Try again in a moment.', { cause, details: { waitedMs } });
  }
}

/** The connection to a database server was lost at a commit, for so long that nobody knows whether it took place. */
export class StoreUncertainError extends ThroughlineError {
  static override readonly code = 'store_uncertain';

  constructor(cause: unknown) {
    super(
      'The database server was lost while it stored this. It may or may not be stored: look before you try again.',
      { cause },
    );
  }
}

/**
 * The database is not one that this server may write: its file was deleted or replaced, or its schema is of another
 * version. Nothing was written, and waiting does not help.
 */
export class StoreUnavailableError extends ThroughlineError {
  static override readonly code = 'store_unavailable';
  /** Fault of the database, within a sentence about more than one write; undefined: only the message says. */
  readonly reason: string | undefined;

  constructor(message: string, options: { cause?: unknown; reason?: string } = {}) {
    super(message, { cause: options.cause });
    this.reason = options.reason;
  }
}

/** A body, message or upload above its limit. `limit` and `actual` are in `unit`. */
export class TooLargeError extends ThroughlineError {
  static override readonly code = 'too_large';

  constructor(what: string, limit: number, unit: 'bytes' | 'characters' | 'tokens' | 'messages' | 'pixels') {
    super(`${what} is above the limit of ${limit.toLocaleString('en-US')} ${unit}.`, {
      details: { limit, unit },
    });
  }
}

/** A file of a kind that is not taken. */
export class UnsupportedFileError extends ThroughlineError {
  static override readonly code = 'unsupported_file';
}

/** Nobody is signed in, or the key is not (any more) one of ours. */
export class UnauthenticatedError extends ThroughlineError {
  static override readonly code = 'unauthenticated';
}

/** More requests, turns or attempts than are allowed in a time. */
export class RateLimitedError extends ThroughlineError {
  static override readonly code = 'rate_limited';
  /** Whole seconds until it is worth trying again, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterMs: number) {
    const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
    super(message, { details: { retryAfterSeconds } });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An address that answers other methods. */
export class MethodNotAllowedError extends ThroughlineError {
  static override readonly code = 'method_not_allowed';

  constructor(allow: readonly string[]) {
    super(`This address answers ${allow.join(', ')} and no other method.`);
  }
}

/** The caller may not do this, whatever it sends. */
export class ForbiddenError extends ThroughlineError {
  static override readonly code = 'forbidden';
}

/** No configured provider serves this model id. */
export class UnknownModelError extends ThroughlineError {
  static override readonly code = 'unknown_model';

  constructor(modelId: string) {
    super(`No configured provider serves the model "${modelId}".`, { details: { modelId } });
  }
}

/** The conversation cannot be brought under the model's window, whatever is pruned or compacted. */
export class ContextOverflowError extends ThroughlineError {
  static override readonly code = 'context_overflow';
}

/** A tool could not do what it was asked; the model reads `message` as the tool's result. */
export class ToolError extends ThroughlineError {
  static override readonly code = 'tool_error';
}

/** The model's provider failed; `retryable` says whether the same request may succeed later. */
export class ProviderError extends ThroughlineError {
  static override readonly code = 'provider_error';
  readonly retryable: boolean;

  constructor(message: string, options: { retryable: boolean; cause?: unknown; details?: JsonValue }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/**
 * The sentence of a refusal that one thing alone has met: what it asks for is wrong, gone, or in conflict with what is
 * there.
 * @throws any other error again
 */
export function refusalOf(error: unknown): string {
  const kinds = [InvalidInputError, ConflictError, NotFoundError];
  if (kinds.some((kind) => error instanceof kind)) return (error as ThroughlineError).message;
  throw error;
}

/**
 * The connected site cannot be asked or written to: it does not answer, does not know us (any more), or answers with what
 * is none of its data. What is kept here was not changed.
 */
export class SiteUnavailableError extends ThroughlineError {
  static override readonly code = 'site_unavailable';
}

/** The turn that wants to write has been ended or taken over by another process; nothing was written. */
export class TurnLostError extends ThroughlineError {
  static override readonly code = 'turn_lost';

  constructor(turnId: string) {
    super(`Turn ${turnId} is not run by this process any more.`);
  }
}

/** As many messages already wait in the session's queue as are allowed. */
export class QueueFullError extends ThroughlineError {
  static override readonly code = 'queue_full';

  constructor(limit: number) {
    super(`${limit} messages already wait in this conversation. Wait until some have been answered.`, {
      details: { limit },
    });
  }
}

/** Guessed wait until one of those running ends. Milliseconds. */
const RETRY_MS = 5_000;

/** For a user as many of whose turns and completions run as may at once. */
export function tooManyRunning(most: number): RateLimitedError {
  const running = most === 1 ? 'A turn or completion is' : `${most.toLocaleString('en-US')} turns and completions are`;
  return new RateLimitedError(`${running} running already. Wait until one has ended, or cancel one.`, RETRY_MS);
}
