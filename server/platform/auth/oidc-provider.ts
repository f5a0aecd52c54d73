import { AsyncLocalStorage } from 'node:async_hooks';
import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  createAuthorizationURL,
  getOAuth2Tokens,
  type OAuthProvider,
  parseStringBoolean,
  verifyProviderIdToken,
} from 'better-auth/oauth2';
import { z } from 'zod';
import type { Role } from '#server/core/admin/access-rights';
import { OIDC_CALLBACK_PATH } from '#server/core/sign-in-paths';
import { InvalidInputError, ThroughlineError } from '#server/core/errors';
import { parseJson } from '#server/core/json';
import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { whyUnreachable } from '#server/platform/outgoing/unreachable';

/** The configured OpenID Connect provider. */
export interface OidcProvider {
  /** URL that identifies the provider; its discovery document is below it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Display name. */
  readonly name: string;
  /** Role of people who have no account yet; null: they may not sign in. */
  readonly newRole: Role | null;
}

/** Id of the provider in better-auth. */
export const OIDC = 'oidc';

/** Reason why a sign-in with the provider failed; also the `error` in the address of the sign-in page. */
type OidcCause =
  | 'provider_unreachable'
  | 'provider_answer'
  | 'issuer_mismatch'
  | 'client_refused'
  | 'code_refused'
  | 'id_token_invalid'
  | 'email_not_found'
  | 'email_not_verified';

/** A sign-in with the provider failed. The message is for the log; `reason` selects the text for the person. */
export class OidcError extends ThroughlineError {
  static override readonly code = 'oidc_failed';
  readonly reason: OidcCause;

  constructor(reason: OidcCause, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Facts about one sign-in that better-auth does not pass on; collected while it processes the provider's answer. */
interface OidcExchange {
  /** `auth_time` of the ID token, in seconds; undefined: it has none. */
  authTime?: number | undefined;
  /** Email address that the provider reports, verified or not. */
  email?: string | undefined;
  /** Why the sign-in failed. */
  failure?: OidcError | undefined;
}

const exchanges = new AsyncLocalStorage<OidcExchange>();

/** Runs `work`, a call of better-auth, and returns its result with the facts collected during the call. */
export async function recordExchange<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly exchange: Readonly<OidcExchange> }> {
  const exchange: OidcExchange = {};
  return { result: await exchanges.run(exchange, work), exchange };
}

/** Maximum bytes of an answer. The provider's answers are small: a document, keys, tokens. A choice, not measured. */
const MAX_BYTES = 1_000_000;
/** Maximum duration of a request: a person waits for it. A choice, not measured. */
const TIMEOUT_MS = 10_000;
/** Time for which the discovery document and the keys are cached; milliseconds. A choice, not measured. */
const CACHE_MS = 10 * 60_000;

/** OpenID Connect Discovery 1.0, section 3. */
const documentSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url().optional(),
  jwks_uri: z.url(),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
});
type Document = z.infer<typeof documentSchema>;

const keysSchema = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional(), use: z.string().optional() })),
});
type Keys = z.infer<typeof keysSchema>['keys'];

/** OAuth 2.0, RFC 6749, section 5.2. */
const refusalSchema = z.object({ error: z.string().max(100) });
const tokensSchema = z.looseObject({ id_token: z.string(), access_token: z.string().optional() });

const claimsSchema = z.looseObject({
  sub: z.string().min(1),
  email: z.string().optional().catch(undefined),
  email_verified: z.unknown().optional(),
  name: z.string().optional().catch(undefined),
  auth_time: z.coerce.number().int().positive().optional().catch(undefined),
});
type Claims = z.infer<typeof claimsSchema>;

/**
 * Creates the provider for better-auth. better-auth's own plugin for such providers sends requests by the global
 * `fetch`, accepts the document of another issuer, and has one error for all failures. Here requests go through
 * `server/platform/outgoing`, and a failure names its cause.
 * @param origin of the pages of this server
 */
export function createOidcProvider(config: OidcProvider, origin: string): OAuthProvider<Claims> {
  const { clientId, clientSecret, name, newRole } = config;
  const options = { clientId, clientSecret, redirectURI: `${origin}${OIDC_CALLBACK_PATH}` };
  const client = new OidcClient(config);
  return {
    id: OIDC,
    name,
    issuer: config.issuer,
    requiresIdTokenNonce: true,
    disableSignUp: newRole === null,
    options: { ...options, disableSignUp: newRole === null },
    accountSubject: ({ profile }) => profile.sub,
    createAuthorizationURL: async ({ state, codeVerifier, idTokenNonce, redirectURI, additionalParams }) =>
      createAuthorizationURL({
        id: OIDC,
        options,
        authorizationEndpoint: (await client.document()).authorization_endpoint,
        state,
        codeVerifier,
        scopes: ['openid', 'email', 'profile'],
        redirectURI,
        nonce: idTokenNonce,
        additionalParams,
      }),
    validateAuthorizationCode: ({ code, codeVerifier }) =>
      recordFailure(async () => {
        const body = new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uri: options.redirectURI,
          ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
        });
        return getOAuth2Tokens(await client.tokens(body));
      }),
    getUserInfo: ({ idToken, accessToken, expectedIdTokenNonce }) =>
      recordFailure(async () => {
        const claims = await client.claims({ idToken, accessToken, nonce: expectedIdTokenNonce });
        const { email, name: personName } = claims;
        const exchange = exchanges.getStore();
        if (exchange) Object.assign(exchange, { authTime: claims.auth_time, email });
        if (email === undefined) throw new OidcError('email_not_found', `${name} names no e-mail address.`);
        // Required at every sign-in, because many providers let people change their email address themselves.
        if (parseStringBoolean(claims.email_verified) !== true)
          throw new OidcError('email_not_verified', `${name} does not say that the e-mail address is verified.`);
        return { user: { email, emailVerified: true, name: personName }, data: claims };
      }),
  };
}

/**
 * Stores an OidcError in the exchange and returns null, by which better-auth knows that the sign-in failed. A thrown
 * error would reach us as a code of better-auth only.
 */
async function recordFailure<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const exchange = exchanges.getStore();
    if (!exchange || !(error instanceof OidcError)) throw error;
    exchange.failure = error;
    return null;
  }
}

/** Sends the requests to one provider and checks its answers. Every failure is an OidcError. */
class OidcClient {
  readonly #config: OidcProvider;
  readonly #send = createOutgoingFetch({ allowed: 'configured', redirects: 0, maxBytes: MAX_BYTES });
  #document: { readonly value: Document; readonly until: number } | undefined;
  #keys: { readonly value: Keys; readonly until: number } | undefined;

  constructor(config: OidcProvider) {
    this.#config = config;
  }

  /** The discovery document. Only a success is cached: after a failure the next sign-in requests it again. */
  async document(): Promise<Document> {
    if (this.#document && this.#document.until > Date.now()) return this.#document.value;
    const issuer = withoutSlash(this.#config.issuer);
    const answer = await this.#request(`${issuer}/.well-known/openid-configuration`);
    const value = this.#read(documentSchema, answer, 'discovery document');
    // OpenID Connect Discovery 1.0, section 4.3: the issuer has to be the one whose document was asked for.
    if (withoutSlash(value.issuer) !== issuer)
      throw new OidcError('issuer_mismatch', `OIDC_ISSUER is ${issuer}, but its document names ${value.issuer}.`);
    this.#document = { value, until: Date.now() + CACHE_MS };
    return value;
  }

  /** Exchanges the code of a sign-in for tokens. @param body of the request (RFC 6749, 4.1.3) */
  async tokens(body: URLSearchParams): Promise<z.infer<typeof tokensSchema>> {
    const { token_endpoint: endpoint } = await this.document();
    const answer = await this.#request(endpoint, { method: 'POST', body });
    if (answer.status >= 200 && answer.status < 300) return this.#read(tokensSchema, answer, 'tokens');
    const { name } = this.#config;
    const code = refusalSchema.safeParse(answer.json).data?.error;
    if (code === 'invalid_client' || code === 'unauthorized_client' || (code === undefined && answer.status === 401))
      throw new OidcError(
        'client_refused',
        `${name} refuses OIDC_CLIENT_ID with OIDC_CLIENT_SECRET (${code ?? String(answer.status)}).`,
      );
    if (code === 'invalid_grant') throw new OidcError('code_refused', `${name} refuses the code of this sign-in.`);
    throw this.#unusable('tokens', answer, code);
  }

  /** Claims of the verified ID token. If it has no email address, those of the userinfo endpoint are added. */
  async claims(given: {
    readonly idToken: string | undefined;
    readonly accessToken: string | undefined;
    readonly nonce: string | undefined;
  }): Promise<Claims> {
    const { idToken = '', accessToken, nonce } = given;
    const { issuer, userinfo_endpoint: endpoint, ...document } = await this.document();
    const algorithms = (document.id_token_signing_alg_values_supported ?? ['RS256']).filter(
      (each) => !/^(HS|none)/.test(each),
    );
    let failure: unknown;
    const jwks = async ({ kid, alg = '' }: { kid?: string | undefined; alg?: string | undefined }) => {
      try {
        return await this.#key(kid, alg);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    const audience = this.#config.clientId;
    const isValid = await verifyProviderIdToken(
      { id: OIDC, idToken: { jwks, issuer, audience, algorithms } },
      idToken,
      nonce,
    );
    if (failure instanceof OidcError) throw failure;
    const claims = claimsSchema.safeParse(payloadOf(idToken)).data;
    if (!isValid || claims === undefined)
      throw new OidcError('id_token_invalid', `The ID token of ${this.#config.name} cannot be verified.`);
    if (claims.email !== undefined || endpoint === undefined || accessToken === undefined) return claims;
    const answer = await this.#request(endpoint, { headers: { authorization: `Bearer ${accessToken}` } });
    const more = this.#read(claimsSchema, answer, 'userinfo');
    // OpenID Connect Core 1.0, section 5.3.2.
    if (more.sub !== claims.sub)
      throw new OidcError('id_token_invalid', `${this.#config.name} names two people in one sign-in.`);
    return {
      ...more,
      ...claims,
      email: more.email,
      email_verified: more.email_verified,
      name: more.name ?? claims.name,
    };
  }

  /** The public key of a signature. If it is not cached, the keys are requested again: providers replace their keys. */
  async #key(kid: string | undefined, alg: string): Promise<KeyObject> {
    const kty = alg.startsWith('RS') || alg.startsWith('PS') ? 'RSA' : alg.startsWith('ES') ? 'EC' : 'OKP';
    const find = (keys: Keys) =>
      keys.find((key) => key.kty === kty && key.use !== 'enc' && (kid === undefined || key.kid === kid));
    const known = this.#keys && this.#keys.until > Date.now() ? find(this.#keys.value) : undefined;
    if (known) return publicKey(known);
    const { jwks_uri: address } = await this.document();
    const { keys } = this.#read(keysSchema, await this.#request(address), 'keys');
    this.#keys = { value: keys, until: Date.now() + CACHE_MS };
    const found = find(keys);
    if (!found) throw new OidcError('id_token_invalid', `${this.#config.name} has no key for its ID token.`);
    return publicKey(found);
  }

  async #request(url: string, init: RequestInit = {}): Promise<Answer> {
    const { host } = new URL(url);
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const headers = { accept: 'application/json', ...(init.headers as Record<string, string> | undefined) };
      const answer = await this.#send(url, { ...init, headers, signal });
      return { host, status: answer.status, json: parseJson(await answer.text()) };
    } catch (error) {
      const message = error instanceof InvalidInputError ? error.message : whyUnreachable(error, host).text.text;
      throw new OidcError('provider_unreachable', `${this.#config.name} cannot be reached. ${message}`, error);
    }
  }

  #read<T>(schema: z.ZodType<T>, answer: Answer, what: string): T {
    const parsed = schema.safeParse(answer.json);
    if (answer.status < 200 || answer.status >= 300 || !parsed.success) throw this.#unusable(what, answer);
    return parsed.data;
  }

  #unusable(what: string, { host, status }: Answer, code = ''): OidcError {
    const reason = status >= 500 ? 'provider_unreachable' : 'provider_answer';
    return new OidcError(reason, `${host} answered ${status} ${code} without usable ${what}.`);
  }
}

interface Answer {
  readonly host: string;
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

const publicKey = (key: Keys[number]) => createPublicKey({ key, format: 'jwk' });

const withoutSlash = (issuer: string) => issuer.replace(/\/$/, '');

function payloadOf(idToken: string): unknown {
  const [, payload = ''] = idToken.split('.');
  return parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
}
