import { describeForSdks, type ErrorDescription, headersForSdks } from '#server/http/error-response';

/** Status of a used-up budget at OpenAI. */
const QUOTA_STATUS = 429;

/** OpenAI's error codes by ours (null: none). Codes that are not listed are sent as they are. */
const CODES: Readonly<Record<string, string | null>> = {
  invalid_input: null,
  unauthenticated: 'invalid_api_key',
  forbidden: 'insufficient_permissions',
  budget_reached: 'insufficient_quota',
  unknown_model: 'model_not_found',
  too_large: 'request_too_large',
  context_overflow: 'context_length_exceeded',
  rate_limited: 'rate_limit_exceeded',
};

/** OpenAI's error types by status. Others are `server_error` from 500 on, `invalid_request_error` below. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** An error in the format that clients of OpenAI's API read. */
export interface OpenAIErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    /** The invalid field of the request. */
    readonly param: string | null;
    readonly code: string | null;
  };
}

/**
 * Any error as `{error: {message, type, param, code}}`, for a response that has already started and sent its status.
 */
export function openAIErrorBody(error: unknown): OpenAIErrorBody {
  const described = describeForSdks(error);
  const { code, message, details } = described;
  const status = statusOf(described);
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  const named = Object.hasOwn(CODES, code) ? (CODES[code] ?? null) : code;
  return { error: { message, type, param: paramOf(details), code: named } };
}

/** The error as a complete response, with its status. */
export function openAIErrorResponse(error: unknown): Response {
  return Response.json(openAIErrorBody(error), {
    status: statusOf(describeForSdks(error)),
    headers: headersForSdks(error),
  });
}

function statusOf({ code, status }: ErrorDescription): number {
  return code === 'budget_reached' ? QUOTA_STATUS : status;
}

/** Path of the first invalid value: `messages.3.content`. */
function paramOf(details: unknown): string | null {
  const issues = (details as { issues?: readonly { path?: string }[] } | undefined)?.issues;
  return issues?.[0]?.path || null;
}
