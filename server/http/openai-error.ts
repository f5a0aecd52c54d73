import { ProviderError } from '#server/core/errors';
import { describeError, type ErrorDescription } from '#server/http/error-response';

/** Where OpenAI's format has another status than our own contract. */
const STATUS: Readonly<Record<string, number>> = { unknown_model: 404, context_overflow: 400 };

/** OpenAI's words for our codes; the others keep ours. */
const CODE: Readonly<Record<string, string | null>> = {
  invalid_input: null,
  unauthenticated: 'invalid_api_key',
  forbidden: 'insufficient_permissions',
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

/** The same as a whole answer, with its status. */
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
