import type { Clock, FaultLog } from '#server/core/process';
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { allows, type Principal, type Scope } from '#server/core/admin/access-rights';
import { serverText } from '#server/core/messages/server-text';
import {
  type AuthorizationRequest,
  isRefused,
  isResource,
  namesProblem,
  type OAuthClient,
  oauthScopes,
  readAuthorizationRequest,
  type RefusedAuthorization,
  type RevokedGrant,
  type TheftSign,
} from '#server/core/oauth/authorization-request';
import type { ClientDocuments } from '#server/platform/auth/oauth/client-documents';
import { type ClientMetadata, readClientMetadata } from '#server/platform/auth/oauth/client-metadata';
import { isDocumentAddress } from '#server/core/oauth/document-address';
import { OAuthError } from '#server/core/oauth/oauth-error';
import type { Issued, NewTokens, OAuthRepository, RefreshHashes } from '#server/platform/auth/oauth/oauth-repository';
import { withParameters } from '#server/core/oauth/redirect-uris';

/** Lifetime of a code; milliseconds. OAuth 2.1 recommends at most ten minutes; clients exchange it immediately. */
const CODE_MS = 60_000;
/** Lifetime of an access token; seconds. Its rights are looked up at every call, so it can be long. */
const ACCESS_S = 3_600;
/** Time without a refresh after which a grant ends; milliseconds. */
const REFRESH_MS = 30 * 86_400_000;
/** Interval of the deletion of expired rows; milliseconds. */
const SWEEP_MS = 10 * 60_000;

/** Prefix of access tokens, by which secret scanners recognise them. */
const ACCESS_PREFIX = 'tla_';
/**
 * A refresh token: `tlr_`, a secret that all refresh tokens of its grant have in common, and one of its own. The first part
 * alone opens nothing; it tells that an unknown token was valid once.
 */
const REFRESH_TOKEN = /^(tlr_[\w-]{43})\.[\w-]{43}$/;
/** 256 random bits, as in an API key. */
const TOKEN_BYTES = 32;
/** Purpose of the key that is derived from AUTH_SECRET. */
const REFRESH_PURPOSE = 'throughline oauth refresh tokens';
/** PKCE: 43 to 128 unreserved characters (RFC 7636). */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** Paths of the endpoints. */
const OAUTH_PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

/** True if a token has the form of an access token of OAuth. */
export function isAccessToken(token: string): boolean {
  return token.startsWith(ACCESS_PREFIX);
}

/** A successful answer of the token endpoint (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** A registered client (RFC 7591, 3.2.1). It gets no secret, whatever method it asks for. */
export interface RegistrationAnswer extends Omit<ClientMetadata, 'redirect_uris'> {
  readonly client_id: string;
  /** Seconds since 1970. */
  readonly client_id_issued_at: number;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
  readonly scope: string;
}

/** What a person decided about a client. */
export interface ConsentDecision {
  /** Query of the page that showed the request. */
  readonly query: string;
  readonly isAllowed: boolean;
  /** True: the client may publish too. */
  readonly mayPublish: boolean;
}

/** The decision's result: where the browser goes, and the grant that the code will create (null: denied). */
export interface ConsentResult {
  readonly redirectTo: string;
  readonly client: OAuthClient;
  readonly grant: { readonly id: string; readonly scopes: readonly Scope[] } | null;
}

interface AuthorizationServerDeps extends FaultLog, Partial<Clock> {
  /** Origin of our pages, and the issuer. */
  readonly origin: string;
  /** AUTH_SECRET: all instances have to derive the same successor of a refresh token. */
  readonly secret: string;
  readonly store: OAuthRepository;
  /** Clients that describe themselves at the address that is their id. */
  readonly documents: ClientDocuments;
  /** Finds what a grant may do now. */
  readonly keys: { findGrant(id: string): Promise<Principal> };
}

/**
 * OAuth 2.1 for `/mcp`: registration, consent, tokens. The tokens of a grant open `/mcp` only. A grant is a row of the API
 * keys, which decide at every call what it may do.
 */
export class AuthorizationServer {
  /** The only resource that tokens are issued for. */
  readonly resource: string;
  /** Address of the metadata of the resource. */
  readonly metadataAddress: string;
  readonly #deps: AuthorizationServerDeps;
  readonly #refreshKey: Buffer;
  #sweptAt = 0;

  constructor(deps: AuthorizationServerDeps) {
    this.#deps = deps;
    this.#refreshKey = Buffer.from(hkdfSync('sha256', deps.secret, '', REFRESH_PURPOSE, TOKEN_BYTES));
    this.resource = `${deps.origin}/mcp`;
    this.metadataAddress = `${deps.origin}/.well-known/oauth-protected-resource/mcp`;
  }

  /** Metadata of the protected resource (RFC 9728). */
  resourceMetadata() {
    return {
      resource: this.resource,
      authorization_servers: [this.#deps.origin],
      scopes_supported: [...oauthScopes],
      bearer_methods_supported: ['header'],
      resource_name: 'Throughline',
    };
  }

  /** Metadata of the authorization server (RFC 8414). */
  serverMetadata() {
    const { origin } = this.#deps;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}${OAUTH_PATHS.authorize}`,
      token_endpoint: `${origin}${OAUTH_PATHS.token}`,
      registration_endpoint: `${origin}${OAUTH_PATHS.register}`,
      revocation_endpoint: `${origin}${OAUTH_PATHS.revoke}`,
      scopes_supported: [...oauthScopes],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  /** Registers a client. @throws OAuthError */
  async register(metadata: unknown): Promise<RegistrationAnswer> {
    this.#sweep();
    const { client_name: name, redirect_uris: redirectUris } = readClientMetadata(metadata);
    const id = `tlc_${randomBytes(16).toString('base64url')}`;
    if (!(await this.#deps.store.addClient({ id, name, redirectUris })))
      throw new OAuthError(
        'temporarily_unavailable',
        'Too many programs have registered. Try again in 15 minutes.',
        503,
      );
    return {
      client_id: id,
      client_id_issued_at: Math.floor(this.#now() / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: oauthScopes.join(' '),
    };
  }

  /**
   * Checks a client's request for authorization. Only for signed-in people, because it may send a request to the address
   * that is the client's id.
   * @param query as the client wrote it
   */
  readRequest(query: string): Promise<AuthorizationRequest | RefusedAuthorization> {
    const { store, documents } = this.#deps;
    return readAuthorizationRequest(query, {
      resource: this.resource,
      findClient: (id) => (isDocumentAddress(id) ? documents.find(id) : store.findClient(id)),
    });
  }

  /** Address that tells the client why its request was refused; null if nothing may be sent to it. */
  refusalAddress({ error, redirectUri, state }: RefusedAuthorization): string | null {
    if (redirectUri === null) return null;
    const { origin } = this.#deps;
    return withParameters(redirectUri, { error: error.error, error_description: error.message, state, iss: origin });
  }

  /**
   * Carries out what a person decided. The request is checked again: nothing of the page is trusted.
   * @throws OAuthError, ForbiddenError if the person may not grant this, ConflictError with too many keys
   */
  async decide(person: Principal, { query, isAllowed, mayPublish }: ConsentDecision): Promise<ConsentResult> {
    this.#sweep();
    const request = await this.readRequest(query);
    if (isRefused(request)) throw request.error;
    const { client, redirectUri, state } = request;
    const iss = this.#deps.origin;
    if (!isAllowed) {
      const error_description = 'The person did not agree.';
      const redirectTo = withParameters(redirectUri, { error: 'access_denied', error_description, state, iss });
      return { redirectTo, client, grant: null };
    }
    if (mayPublish && !request.mayWrite) throw new ForbiddenError(serverText('oauth-not-asked', { name: client.name }));
    const scopes: Scope[] = [...request.scopes, ...(mayPublish ? (['content:write'] as const) : [])];
    if (!scopes.every((scope) => allows(person.scopes, scope))) throw new ForbiddenError(serverText('editors-only'));
    const code = secret('tlx_');
    const grant = { id: createId('key'), scopes };
    const newCode = {
      hash: hashOf(code),
      clientId: client.id,
      userId: person.userId,
      grantId: grant.id,
      redirectUri,
      codeChallenge: request.codeChallenge,
      scopes,
      expiresAt: this.#now() + CODE_MS,
    };
    await this.#deps.store.addCode(newCode, isDocumentAddress(client.id) ? client : null);
    return { redirectTo: withParameters(redirectUri, { code, state, iss }), client, grant };
  }

  /** Keeps the client of a request from being deleted as unused: a signed-in person has opened the page. */
  noteOpened({ client }: AuthorizationRequest): void {
    void this.#deps.store.touchClient(client.id).catch((error: unknown) => {
      this.#deps.onFault('The use of a client of OAuth could not be noted', error);
    });
  }

  /**
   * Answers a request to the token endpoint.
   * @param onTheft called with the grant that ended because its code or refresh token may have been stolen
   * @throws OAuthError
   */
  async token(
    form: URLSearchParams,
    onTheft: (revoked: RevokedGrant, sign: TheftSign) => Promise<void>,
  ): Promise<TokenAnswer> {
    this.#sweep();
    const one = readForm(form);
    const clientId = one('client_id');
    const grantType = one('grant_type');
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
      throw new OAuthError(
        grantType === '' ? 'invalid_request' : 'unsupported_grant_type',
        'grant_type has to be "authorization_code" or "refresh_token".',
      );
    if (clientId === '' || !(await this.#deps.store.findClient(clientId)))
      throw new OAuthError('invalid_client', 'This client is not registered here. Register it again.');
    if (!form.getAll('resource').every((named) => isResource(named, this.resource)))
      throw new OAuthError('invalid_target', `Tokens are issued for ${this.resource} only.`);
    const access = secret(ACCESS_PREFIX);
    const presented = grantType === 'refresh_token' ? one('refresh_token') : null;
    const refresh = presented === null ? `${secret('tlr_')}.${secret('')}` : this.#successorOf(presented);
    const now = this.#now();
    const tokens: NewTokens = {
      access: { hash: hashOf(access), expiresAt: now + ACCESS_S * 1_000 },
      refresh: { ...hashesOf(refresh), expiresAt: now + REFRESH_MS },
    };
    const issued = await (presented === null
      ? this.#redeem(one, clientId, tokens)
      : this.#deps.store.refresh(hashesOf(presented), clientId, tokens));
    if ('refusal' in issued) {
      if ('revoked' in issued && issued.revoked) await onTheft(issued.revoked, THEFT_SIGNS[issued.refusal]);
      throw new OAuthError('invalid_grant', REFUSALS[issued.refusal]);
    }
    const scope = issued.scopes.join(' ');
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: ACCESS_S,
      refresh_token: refresh,
      scope,
    };
  }

  /**
   * The refresh token that replaces this one. It is derived, so that a repeated request gets the same one although only
   * its hash is stored.
   */
  #successorOf(token: string): string {
    const family = REFRESH_TOKEN.exec(token)?.[1] ?? secret('tlr_');
    return `${family}.${createHmac('sha256', this.#refreshKey).update(token).digest('base64url')}`;
  }

  /** A request that lacks something is refused before its code is looked up, so the client may correct it. */
  #redeem(one: (name: string) => string, clientId: string, tokens: NewTokens): Promise<Issued> {
    const [redirectUri, verifier] = [one('redirect_uri'), one('code_verifier')];
    if (!VERIFIER.test(verifier))
      throw new OAuthError('invalid_request', 'code_verifier has to have 43 to 128 unreserved characters.');
    return this.#deps.store.redeemCode(hashOf(one('code')), tokens, (code) => {
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      if (code.clientId !== clientId || challenge !== code.codeChallenge) return 'mismatch';
      // OAuth 2.1 dropped the parameter from this request: PKCE does what it was for.
      return redirectUri === '' || redirectUri === code.redirectUri ? 'ok' : 'redirect';
    });
  }

  /**
   * Revokes the grant of a token (RFC 7009). A token that is unknown, or of another client, changes nothing.
   * @returns the revoked grant; null if there is none
   * @throws OAuthError
   */
  async revoke(form: URLSearchParams): Promise<RevokedGrant | null> {
    const one = readForm(form);
    if (one('token') === '') throw new OAuthError('invalid_request', 'token is missing.');
    if (one('client_id') === '') throw new OAuthError('invalid_client', 'client_id is missing.');
    return this.#deps.store.revoke(hashesOf(one('token')), one('client_id'));
  }

  /** Finds the principal of an access token. @throws UnauthenticatedError */
  async principalOf(token: string): Promise<Principal> {
    const grantId = await this.#deps.store.grantOf(hashOf(token));
    if (grantId === null) throw new UnauthenticatedError(serverText('access-token-invalid'));
    return this.#deps.keys.findGrant(grantId);
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)();
  }

  /** In the background: every row that can expire is created by a request that calls this. */
  #sweep(): void {
    const now = this.#now();
    // The clock of the machine may be set back.
    if (Math.abs(now - this.#sweptAt) < SWEEP_MS) return;
    this.#sweptAt = now;
    void this.#deps.store.deleteExpired().catch((error: unknown) => {
      this.#deps.onFault('Expired codes and tokens of OAuth could not be deleted', error);
    });
  }
}

const REFUSALS = {
  unknown: 'The code or token is not valid (any more).',
  expired: 'The code or token has expired.',
  mismatch: 'The code was issued to another client, or with another code_challenge.',
  redirect: 'The code was issued for another redirect_uri.',
  full: 'The person has too many API keys and connected programs. Remove one, and connect again.',
  reused: 'The code or token was used before. The connection is revoked now: connect again.',
} as const;

const THEFT_SIGNS = { reused: 'token-reused', mismatch: 'code-mismatch' } as const satisfies Record<string, TheftSign>;

/** Reads fields of a form; '' if one is missing. @throws OAuthError for too many fields, or one that is sent twice */
function readForm(form: URLSearchParams): (name: string) => string {
  const problem = namesProblem(form);
  if (problem) throw problem;
  return (name) => form.get(name) ?? '';
}

function secret(prefix: string): string {
  return `${prefix}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/** Codes and tokens are random, so a plain hash protects them, as it does API keys. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** For every other text than a refresh token, both are the hash of the text. */
function hashesOf(token: string): RefreshHashes {
  return { hash: hashOf(token), family: hashOf(REFRESH_TOKEN.exec(token)?.[1] ?? token) };
}
