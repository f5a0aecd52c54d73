import type { JsonValue } from '#server/core/json';

/**
 * Base of every failure we foresee. `code` is part of the REST contract (snake_case, stable); `message` is for a
 * person and says what to do; `details` is safe to send to a client.
 */
export abstract class ThroughlineError extends Error {
  abstract readonly code: string;
  readonly details: JsonValue | undefined;

  constructor(message: string, options: { cause?: unknown; details?: JsonValue } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.details = options.details;
  }
}

/** The caller sent something that cannot be accepted; nothing was changed. */
export class InvalidInputError extends ThroughlineError {
  readonly code = 'invalid_input';
}

/** The named thing does not exist (any more). */
export class NotFoundError extends ThroughlineError {
  readonly code = 'not_found';

  /** `hint` is a sentence that helps to find it ("Did you mean ...?"). */
  constructor(what: string, id: string, hint?: string) {
    super(`There is no ${what} "${id}".${hint === undefined ? '' : ` ${hint}`}`, { details: { what, id } });
  }
}

/** The request is fine but clashes with the present state (a lease is held, a revision is stale, a slug is taken). */
export class ConflictError extends ThroughlineError {
  readonly code = 'conflict';
}

/** A body, message or upload above its limit. `limit` and `actual` are in `unit`. */
export class TooLargeError extends ThroughlineError {
  readonly code = 'too_large';

  constructor(what: string, limit: number, unit: 'bytes' | 'characters' | 'tokens' | 'messages') {
    super(`${what} is above the limit of ${limit.toLocaleString('en-US')} ${unit}.`, {
      details: { limit, unit },
    });
  }
}

/** The caller may not do this, whatever it sends. */
export class ForbiddenError extends ThroughlineError {
  readonly code = 'forbidden';
}

/** No configured provider serves this model id. */
export class UnknownModelError extends ThroughlineError {
  readonly code = 'unknown_model';

  constructor(modelId: string) {
    super(`No configured provider serves the model "${modelId}".`, { details: { modelId } });
  }
}

/** The conversation cannot be brought under the model's window, whatever is pruned or compacted. */
export class ContextOverflowError extends ThroughlineError {
  readonly code = 'context_overflow';
}

/** A tool could not do what it was asked; the model reads `message` as the tool's result. */
export class ToolError extends ThroughlineError {
  readonly code = 'tool_error';
}

/** The model's provider failed; `retryable` says whether the same request may succeed later. */
export class ProviderError extends ThroughlineError {
  readonly code = 'provider_error';
  readonly retryable: boolean;

  constructor(message: string, options: { retryable: boolean; cause?: unknown; details?: JsonValue }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/** As many messages already wait in the session's queue as are allowed. */
export class QueueFullError extends ThroughlineError {
  readonly code = 'queue_full';

  constructor(limit: number) {
    super(`${limit} messages already wait in this conversation. Wait until some have been answered.`, {
      details: { limit },
    });
  }
}
