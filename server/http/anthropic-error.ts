import { describeForSdks, headersForSdks } from '#server/http/error-response';

/** Anthropic's error types by status. Others are `api_error` from 500 on, `invalid_request_error` below. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** An error in the format that clients of Anthropic's API read. */
export interface AnthropicErrorBody {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
}

/** Any error as `{type: 'error', error: {type, message}}`, for a response that has already sent its status. */
export function anthropicErrorBody(error: unknown): AnthropicErrorBody {
  const { message, status } = describeForSdks(error);
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message } };
}

/** The error as a complete response, with its status. */
export function anthropicErrorResponse(error: unknown): Response {
  const { status } = describeForSdks(error);
  return Response.json(anthropicErrorBody(error), { status, headers: headersForSdks(error) });
}
