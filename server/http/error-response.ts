import { ProviderError, RateLimitedError, StoppingError, StoreBusyError, ThroughlineError } from '#server/core/errors';
import { isJsonObject, type JsonValue } from '#server/core/json';

/** The only table from error codes to HTTP statuses. A code that is not here is a fault of ours. */
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

/** Content of a refusal, before it has a wire format. */
export interface ErrorDescription {
  readonly code: string;
  readonly message: string;
  readonly details: JsonValue | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Any failure in the contract's words. Foreign errors tell a client nothing. */
function describeError(error: unknown): ErrorDescription {
  if (error instanceof ThroughlineError) {
    const { code, message, details } = error;
    const retryAfter = retryAfterSeconds(error);
    const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': String(retryAfter) };
    return { code, message, details, status: statusOfError[code] ?? 500, headers };
  }
  const message = diskFailure(error);
  if (message !== null) return { code: 'store_unavailable', message, details: undefined, status: 503, headers: {} };
  const unknown = 'Something went wrong on our side. Try again.';
  return { code: 'internal_error', message: unknown, details: undefined, status: 500, headers: {} };
}

/** Describes a failure of an embedded database's disk; null: none. */
function diskFailure(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === 'SQLITE_FULL')
      return 'The disk that holds the database is full, so this was not stored. Make room on it, then try again.';
    if (code.startsWith('SQLITE_IOERR'))
      return 'The disk that holds the database failed, so this may not be stored. Look before you try again.';
  }
  return null;
}

/** Any failure as the REST contract's `{error: {code, message, details?}}`. */
export function errorResponse(error: unknown): Response {
  const { code, message, status, headers, ...rest } = describeError(error);
  const details = status === 400 ? withIssues(rest.details, message) : rest.details;
  return Response.json({ error: { code, message, ...(details !== undefined && { details }) } }, { status, headers });
}

/** Details of a wrong request, which say of each problem where it is; of what is wrong as a whole, at no place. */
function withIssues(details: JsonValue | undefined, message: string): JsonValue {
  const given = isJsonObject(details) ? details : {};
  return { issues: [{ path: '', message }], ...given };
}

/** Any failure as a sentence for whoever sees the answer in a browser. */
export function plainRefusal(error: unknown): Response {
  const { message, status, headers } = describeError(error);
  return new Response(message, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
}

/** Seconds until the request is worth another try; null if unknown. */
function retryAfterSeconds(error: ThroughlineError): number | null {
  if (error instanceof RateLimitedError) return error.retryAfterSeconds;
  return error instanceof StoppingError || error instanceof StoreBusyError ? 5 : null;
}

/** Tells whether an error is a fault of ours that belongs in the log. */
export function isFault(error: unknown): boolean {
  if (!(error instanceof ThroughlineError)) return true;
  return !(error instanceof StoppingError) && (statusOfError[error.code] ?? 500) >= 500;
}

/** Statuses that differ between OpenAI's format and our own contract. */
const STATUS: Readonly<Record<string, number>> = { unknown_model: 404, context_overflow: 400 };

/** OpenAI's words for our codes; the others keep ours. */
const CODE: Readonly<Record<string, string | null>> = {
  invalid_input: null,
  unauthenticated: 'invalid_api_key',
  forbidden: 'insufficient_permissions',
  budget_reached: 'insufficient_quota',
  unknown_model: 'model_not_found',
  too_large: 'request_too_large',
  context_overflow: 'context_length_exceeded',
  rate_limited: 'rate_limit_exceeded',
};

const TYPE: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** An error in the shape that clients of OpenAI's API read. */
export interface OpenAIErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    /** The field of the request that is wrong. */
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Any failure as `{error: {message, type, param, code}}`, for what has begun and has no status any more. */
export function openAIErrorBody(error: unknown): OpenAIErrorBody {
  const { code, message, details } = describeError(error);
  const status = statusOf(describeError(error));
  const type = TYPE[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  const named = Object.hasOwn(CODE, code) ? (CODE[code] ?? null) : code;
  return { error: { message, type, param: paramOf(details), code: named } };
}

/** The error as a whole answer, with its status. */
export function openAIErrorResponse(error: unknown): Response {
  const described = describeError(error);
  const headers = new Headers(described.headers);
  // Clients of this format try a 5xx again unless they are told that it is no use.
  if (error instanceof ProviderError && !error.retryable) headers.set('x-should-retry', 'false');
  return Response.json(openAIErrorBody(error), { status: statusOf(described), headers });
}

function statusOf({ code, status }: ErrorDescription): number {
  return STATUS[code] ?? status;
}

/** The path of the first thing that is wrong: `messages.3.content`. */
function paramOf(details: unknown): string | null {
  const issues = (details as { issues?: readonly { path?: string }[] } | undefined)?.issues;
  return issues?.[0]?.path || null;
}

/**
 * JSON-RPC's own codes where it has one; -32000 is anything else that the server says no to. Input is invalid here where
 * it is no JSON: what is wrong with a message is said by the endpoint.
 */
const CODES: Readonly<Record<string, number>> = { invalid_input: -32_700, internal_error: -32_603 };
const REFUSED = -32_000;

/** Any failure as clients of the Model Context Protocol read it; which key is needed is in a header. */
export function rpcErrorResponse(error: unknown): Response {
  const { code, message, status, headers } = describeError(error);
  return Response.json(
    { jsonrpc: '2.0', error: { code: CODES[code] ?? REFUSED, message }, id: null },
    { status, headers: { ...headers, ...(status === 401 && { 'www-authenticate': 'Bearer realm="Throughline"' }) } },
  );
}
