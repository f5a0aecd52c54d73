import { OAuthError } from '#server/core/oauth/oauth-error';
import { describeError } from '#server/http/error-response';

/** OAuth's error codes by our statuses; others are invalid requests or errors of the server. */
const CODES: Readonly<Record<number, string>> = { 429: 'temporarily_unavailable', 503: 'temporarily_unavailable' };

/** Any error in the format that OAuth clients read: `{error, error_description}` (RFC 6749, 5.2). */
export function oauthErrorResponse(thrown: unknown): Response {
  if (thrown instanceof OAuthError) return oauthError(thrown.error, thrown.message, thrown.status);
  const { message, status, headers } = describeError(thrown);
  return oauthError(CODES[status] ?? (status < 500 ? 'invalid_request' : 'server_error'), message, status, headers);
}

function oauthError(error: string, error_description: string, status: number, headers?: HeadersInit): Response {
  return Response.json({ error, error_description }, { status, ...(headers && { headers }) });
}
