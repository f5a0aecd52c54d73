import { ProviderError, RateLimitedError, StoppingError, StoreBusyError, ThroughlineError } from '#server/core/errors';
import { isJsonObject, type JsonValue } from '#server/core/json';
import type { CodedMessage, ServerText } from '#server/core/coded-message';
import { OAuthError } from '#server/core/oauth/oauth-error';
import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';

/** The only table from error codes to HTTP statuses. A code that is missing here is an internal error. */
export const statusOfError: Readonly<Record<string, number>> = {
  invalid_input: 400,
  unknown_model: 400,
  unauthenticated: 401,
  budget_reached: 402,
  forbidden: 403,
  sign_in_again: 403,
  no_site: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  cancelled: 409,
  turn_lost: 409,
  stale_revision: 412,
  too_large: 413,
  unsupported_file: 415,
  context_overflow: 422,
  tool_error: 422,
  queue_full: 429,
  rate_limited: 429,
  mail_not_sent: 502,
  provider_error: 502,
  site_unavailable: 502,
  store_busy: 503,
  store_unavailable: 503,
  store_uncertain: 503,
  stopping: 503,
};

/** Content of an error response, independent of its format (REST, OpenAI, JSON-RPC, text). */
export interface ErrorDescription {
  readonly code: string;
  readonly message: string;
  /** `message` as data; null if it has no code of its own. */
  readonly reason: CodedMessage | null;
  readonly details: JsonValue | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Describes any error for a client. An unknown error becomes `internal_error` and discloses nothing. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ThroughlineError) {
    const { code, message, text, details } = error;
    const retryAfter = retryAfterSeconds(error);
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': String(retryAfter) };
    return { code, message, reason: messageOfText(text), details, status: statusOfError[code] ?? 500, headers };
  }
  const failure = diskFailure(error);
  const { text, ...reason } = failure ?? serverText('internal-error');
  const isKnown = failure !== null;
  return {
    code: isKnown ? 'store_unavailable' : 'internal_error',
    message: text,
    reason,
    details: undefined,
    status: isKnown ? 503 : 500,
    headers: {},
  };
}

/** Describes a disk failure of an embedded database; null if it is none. */
function diskFailure(error: unknown): ServerText | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === 'SQLITE_FULL') return serverText('disk-full');
    if (code.startsWith('SQLITE_IOERR')) return serverText('disk-failed');
  }
  return null;
}

/** Statuses, by our error code, where the APIs of OpenAI and Anthropic use another one than our own contract. */
const FOREIGN_STATUSES: Readonly<Record<string, number>> = { unknown_model: 404, context_overflow: 400 };

/** Describes an error for clients of the APIs of OpenAI and Anthropic. */
export function describeForSdks(error: unknown): ErrorDescription {
  const described = describeError(error);
  const { code, message, status } = described;
  // Words by which frameworks recognize a conversation that is too long, whatever the provider.
  const prefix = code === 'context_overflow' ? 'prompt is too long: ' : '';
  return { ...described, message: `${prefix}${message}`, status: FOREIGN_STATUSES[code] ?? status };
}

/** Headers of an error for the SDKs of OpenAI and Anthropic, which retry any 5xx unless a header forbids it. */
export function headersForSdks(error: unknown): Headers {
  const headers = new Headers(describeError(error).headers);
  if (error instanceof ProviderError && !error.retryable) headers.set('x-should-retry', 'false');
  return headers;
}

/** A response with any error in the format of the REST API: `{error: {code, message, reason?, details?}}`. */
export function errorResponse(error: unknown): Response {
  const { code, message, reason, status, headers, ...rest } = describeError(error);
  const details = status === 400 ? withIssues(rest.details, message) : rest.details;
  const body = { code, message, ...(reason && { reason }), ...(details !== undefined && { details }) };
  return Response.json({ error: body }, { status, headers });
}

/**
 * Details of an invalid request, with the location of each problem; a problem with the request as a whole has no
 * location.
 */
function withIssues(details: JsonValue | undefined, message: string): JsonValue {
  const given = isJsonObject(details) ? details : {};
  return { issues: [{ path: '', message }], ...given };
}

/** A response with any error as plain text, for a person who sees it in a browser. */
export function plainErrorResponse(error: unknown): Response {
  const { message, status, headers } = describeError(error);
  return new Response(message, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
}

/** Seconds until a retry is worthwhile; null if unknown. */
function retryAfterSeconds(error: ThroughlineError): number | null {
  if (error instanceof RateLimitedError) return error.retryAfterSeconds;
  return error instanceof StoppingError || error instanceof StoreBusyError ? 5 : null;
}

/** True if an error belongs in the log: an internal error, or a failure of the store or of another server (502, 503). */
export function isFault(error: unknown): boolean {
  if (error instanceof OAuthError) return false;
  if (!(error instanceof ThroughlineError)) return true;
  return !(error instanceof StoppingError) && (statusOfError[error.code] ?? 500) >= 500;
}
