import { RateLimitedError, StoppingError, ThroughlineError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

/** The only table from error codes to HTTP statuses. A code that is not here is a fault of ours. */
export const statusOfError: Readonly<Record<string, number>> = {
  invalid_input: 400,
  unknown_model: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  cancelled: 409,
  turn_lost: 409,
  too_large: 413,
  unsupported_file: 415,
  context_overflow: 422,
  tool_error: 422,
  queue_full: 429,
  rate_limited: 429,
  provider_error: 502,
  site_unavailable: 502,
  store_busy: 503,
  store_unavailable: 503,
  stopping: 503,
};

/** What a client is told of a failure, before it has a shape. */
export interface ErrorDescription {
  readonly code: string;
  readonly message: string;
  readonly details: JsonValue | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Any failure in the contract's words. Foreign errors tell a client nothing. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ThroughlineError) {
    const { code, message, details } = error;
    const retryAfter = retryAfterSeconds(error);
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': String(retryAfter) };
    return { code, message, details, status: statusOfError[code] ?? 500, headers };
  }
  const message = 'Something went wrong on our side. Nothing you sent was lost; try again.';
  return { code: 'internal_error', message, details: undefined, status: 500, headers: {} };
}

/** Any failure as the REST contract's `{error: {code, message, details?}}`. */
export function errorResponse(error: unknown): Response {
  const { code, message, details, status, headers } = describeError(error);
  return Response.json({ error: { code, message, ...(details !== undefined && { details }) } }, { status, headers });
}

/** When the same request is worth another try; null where nobody knows. */
function retryAfterSeconds(error: ThroughlineError): number | null {
  if (error instanceof RateLimitedError) return error.retryAfterSeconds;
  return error instanceof StoppingError ? 5 : null;
}

/** Whether an error is a fault of ours and belongs into the log. */
export function isFault(error: unknown): boolean {
  if (!(error instanceof ThroughlineError)) return true;
  return !(error instanceof StoppingError) && (statusOfError[error.code] ?? 500) >= 500;
}
