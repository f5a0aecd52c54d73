/** Error codes of OAuth 2.1, RFC 7591 and RFC 8707 that this server uses. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable';

const BRAND = Symbol.for('throughline.oauth-error');

/** A request of an OAuth client is refused. The message is the `error_description`, for the authors of clients. */
export class OAuthError extends Error {
  readonly [BRAND] = true;
  readonly error: OAuthErrorCode;
  readonly status: number;

  constructor(error: OAuthErrorCode, description: string, status = error === 'invalid_client' ? 401 : 400) {
    super(description);
    this.name = 'OAuthError';
    this.error = error;
    this.status = status;
  }

  /** Routes and pages load separate copies of this module, so the class itself cannot be compared. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
