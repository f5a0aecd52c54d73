import type { Scope } from '#server/core/admin/access-rights';
import { OAuthError } from '#server/core/oauth/oauth-error';
import { isRegistered } from '#server/core/oauth/redirect-uris';

/** A program that may ask people to connect it. */
export interface OAuthClient {
  /** The `client_id`. */
  readonly id: string;
  /** As the program calls itself; not verified. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A grant that was just revoked. */
export interface RevokedGrant {
  readonly id: string;
  readonly userId: string;
  /** Name of the connected program. */
  readonly name: string;
}

/**
 * Why a grant may have been stolen, as the audit log names it: its code or refresh token was presented twice, or its code
 * by another client or with a wrong verifier.
 */
export type TheftSign = 'token-reused' | 'code-mismatch';

/** Rights that a client may ask for, and the order in which they are listed. */
export const oauthScopes = ['content:read', 'content:draft', 'content:write'] as const satisfies readonly Scope[];
export type OAuthScope = (typeof oauthScopes)[number];

/** A valid request of a client for a person's consent. */
export interface AuthorizationRequest {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string;
  /** Rights that the client gets if the person agrees and chooses nothing more: never `content:write`. */
  readonly scopes: readonly OAuthScope[];
  /** True if the client asks for `content:write` too, or names no rights: then the person may grant it. */
  readonly mayWrite: boolean;
}

/** Why a request is refused; `redirectUri` is null if nothing may be sent to the client. */
export interface RefusedAuthorization {
  readonly error: OAuthError;
  readonly client: OAuthClient | null;
  readonly redirectUri: string | null;
  readonly state: string | undefined;
}

/** Maximum characters of a query: all values of known clients together have about 1,000. */
export const MAX_AUTHORIZATION_QUERY = 8_000;
const MAX_STATE = 2_000;
/** Maximum parameters of a request; known clients send about ten. */
const MAX_PARAMETERS = 50;

/** A SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/**
 * Checks the query of a request for authorization.
 * @param query as the client wrote it
 * @param resource address of our MCP endpoint, the only resource that tokens are issued for
 * @param findClient null: no client has this id; throws OAuthError if the client may not be used
 */
export async function readAuthorizationRequest(
  query: string,
  { resource, findClient }: { resource: string; findClient: (id: string) => Promise<OAuthClient | null> },
): Promise<AuthorizationRequest | RefusedAuthorization> {
  const parameters = new URLSearchParams(query.length > MAX_AUTHORIZATION_QUERY ? '' : query);
  const one = (name: string) => (parameters.getAll(name).length === 1 ? (parameters.get(name) ?? '') : undefined);
  const clientId = one('client_id');
  const requested = one('redirect_uri');
  let client: OAuthClient | null = null;
  const refuse = (error: OAuthError, isTrusted: boolean): RefusedAuthorization => ({
    error,
    client,
    redirectUri: isTrusted ? (requested ?? null) : null,
    state,
  });
  const sentState = one('state');
  const state = sentState === undefined || sentState.length > MAX_STATE ? undefined : sentState;
  try {
    client = clientId === undefined ? null : await findClient(clientId);
  } catch (error) {
    if (error instanceof OAuthError) return refuse(error, false);
    throw error;
  }
  if (!client) return refuse(new OAuthError('invalid_client', 'This client is not registered here.'), false);
  if (requested === undefined || !isRegistered(client.redirectUris, requested))
    return refuse(new OAuthError('invalid_request', 'redirect_uri is not one that this client has registered.'), false);
  const problem = problemOf(parameters, resource);
  if (problem) return refuse(problem, true);
  const asked = (one('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const known = oauthScopes.filter((scope) => asked.includes(scope));
  if (asked.length > 0 && known.length === 0)
    return refuse(new OAuthError('invalid_scope', `This server offers: ${oauthScopes.join(' ')}.`), true);
  const isReadOnly = asked.length > 0 && known.every((scope) => scope === 'content:read');
  return {
    client,
    redirectUri: requested,
    state,
    codeChallenge: one('code_challenge') ?? '',
    scopes: isReadOnly ? ['content:read'] : ['content:read', 'content:draft'],
    mayWrite: asked.length === 0 || known.includes('content:write'),
  };
}

/** True if a request was refused. */
export function isRefused(request: AuthorizationRequest | RefusedAuthorization): request is RefusedAuthorization {
  return 'error' in request;
}

/** Why the names of these parameters are refused: there are too many, or one other than `resource` is repeated. */
export function namesProblem(parameters: URLSearchParams): OAuthError | null {
  if (parameters.size > MAX_PARAMETERS)
    return new OAuthError('invalid_request', `A request may have at most ${MAX_PARAMETERS} parameters.`);
  // Anybody may send this: one pass, however many names there are.
  const seen = new Set<string>();
  for (const name of parameters.keys()) {
    if (name !== 'resource' && seen.has(name))
      return new OAuthError('invalid_request', 'A parameter is sent more than once.');
    seen.add(name);
  }
  return null;
}

function problemOf(parameters: URLSearchParams, resource: string): OAuthError | null {
  const problem = namesProblem(parameters);
  if (problem) return problem;
  if ((parameters.get('state') ?? '').length > MAX_STATE)
    return new OAuthError('invalid_request', `state may have at most ${MAX_STATE} characters.`);
  if (parameters.has('request') || parameters.has('request_uri'))
    return new OAuthError('invalid_request', 'request and request_uri are not supported.');
  if (parameters.get('response_type') !== 'code')
    return new OAuthError('unsupported_response_type', 'response_type has to be "code".');
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    return new OAuthError('invalid_request', 'response_mode has to be "query".');
  if (parameters.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(parameters.get('code_challenge') ?? ''))
    return new OAuthError('invalid_request', 'PKCE is required: code_challenge with code_challenge_method=S256.');
  if (!parameters.getAll('resource').every((named) => isResource(named, resource)))
    return new OAuthError('invalid_target', `Tokens are issued for ${resource} only.`);
  return null;
}

/** True if a client names our MCP endpoint; the site that its address may name has no effect on a token. */
export function isResource(named: string, resource: string): boolean {
  if (!URL.canParse(named) || named.includes('#')) return false;
  const { origin, pathname, username, password } = new URL(named);
  return username === '' && password === '' && `${origin}${pathname.replace(/\/$/, '')}` === resource;
}
