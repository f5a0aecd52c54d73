import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  assertSecureTokenEndpoint,
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type OAuthProtectedResourceMetadata,
  registerClient,
  RegistrationRejectedError,
  resourceUrlFromServerUrl,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { ToolServerAnswer } from '#server/core/admin/mcp-servers';
import { reasonOf, shortReason } from '#server/integrations/mcp-client/oauth/failure-reason';
import { oauthFetch } from '#server/integrations/mcp-client/oauth/oauth-fetch';
import {
  type PendingSignIn,
  pendingSignInSchema,
  type ToolServerCredentials,
  tokenRequest,
  tokensSchema,
} from '#server/integrations/mcp-client/oauth/stored-authorization';

/** Time within which a person has to return from the authorization server, milliseconds. */
const SIGN_IN_MS = 10 * 60_000;

/** A sign-in before it is stored, and the page to which the browser goes. */
export interface BegunSignIn {
  readonly pending: PendingSignIn;
  readonly address: string;
}

/** Who begins a sign-in, and where the browser returns to. */
export interface SignInStart {
  readonly serverUrl: string;
  /** Contains the id of the tool server, so that an answer for another one is noticed (RFC 9700, 4.4.2.2). */
  readonly redirectUri: string;
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Begins a sign-in at a tool server: finds its authorization server (RFC 9728, RFC 8414), registers there (RFC 7591) and
 * makes the address of its page, with PKCE (S256).
 * @throws InvalidInputError with the reason
 */
export async function beginSignIn({ serverUrl, redirectUri, userId, now }: SignInStart): Promise<BegunSignIn> {
  try {
    const fetchFn = oauthFetch(serverUrl);
    const challenge = await challengeOf(serverUrl, fetchFn);
    const found = await discoverOAuthServerInfo(serverUrl, { ...challenge, fetchFn });
    const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
    requireOwnResource(serverUrl, resourceMetadata);
    const scope = scopeOf(challenge.scope, resourceMetadata, metadata);
    requireEncrypted(metadata?.registration_endpoint ?? authorizationServerUrl);
    const known = { ...(metadata && { metadata }), ...(scope !== undefined && { scope }) };
    // Other ways to introduce this server need an address that the authorization server reaches; most offer this one.
    // oxlint-disable-next-line typescript/no-deprecated
    const client = await registerClient(authorizationServerUrl, {
      ...known,
      clientMetadata: clientMetadata(redirectUri, metadata),
      fetchFn,
    });
    const resource = resourceMetadata?.resource;
    const state = randomBytes(32).toString('base64url');
    const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServerUrl, {
      ...known,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(resource !== undefined && { resource }),
    });
    requireWebPage(authorizationUrl, serverUrl);
    const peer = { serverUrl, authorizationServerUrl, metadata, client, resource };
    const expiresAt = now + SIGN_IN_MS;
    const pending = pendingSignInSchema.parse({ peer, state, userId, codeVerifier, redirectUri, expiresAt });
    return { pending, address: authorizationUrl.href };
  } catch (error) {
    throw asInvalidInput(error);
  }
}

/** Who returns with an answer of the authorization server. */
export interface SignInReturn {
  readonly answer: ToolServerAnswer;
  /** The state that the browser received when the sign-in began. */
  readonly cookie: string | null;
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** True if the answer belongs to this sign-in, and to the browser and the person who began it, in time. */
export function belongsTo(pending: PendingSignIn, { answer, cookie, userId, now }: SignInReturn): boolean {
  const isState = (state: string | null) => state !== null && equals(state, pending.state);
  return isState(answer.state) && isState(cookie) && pending.userId === userId && now < pending.expiresAt;
}

/**
 * Exchanges the code for tokens.
 * @throws InvalidInputError with the reason
 */
export async function finishSignIn(
  { peer, codeVerifier, redirectUri }: PendingSignIn,
  { code, iss, error }: ToolServerAnswer,
): Promise<ToolServerCredentials> {
  const { authorizationServerUrl, metadata } = peer;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    });
    if (code === undefined) throw new InvalidInputError(serverText('tool-server-refused', { reason: error ?? '' }));
    const answer = await exchangeAuthorization(authorizationServerUrl, {
      ...tokenRequest(peer),
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier,
      redirectUri,
    });
    return { peer, tokens: tokensSchema.parse(answer) };
  } catch (caught) {
    throw asInvalidInput(caught);
  }
}

/** Revokes the tokens (RFC 7009), if the authorization server offers that. Failures have no effect here. */
export async function revokeTokens({ peer, tokens }: ToolServerCredentials): Promise<void> {
  const { metadata, client, serverUrl } = peer;
  const address = metadata?.revocation_endpoint;
  if (address === undefined || !isEncrypted(address)) return;
  const form = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    token_type_hint: tokens.refresh_token === undefined ? 'access_token' : 'refresh_token',
    client_id: client.client_id,
    ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', headers, body: form.toString() };
  const response = await oauthFetch(serverUrl)(address, request).catch(() => null);
  await response?.body?.cancel();
}

/** Asks the server without a token: its answer names its metadata and the scopes that it wants (RFC 9728, 5.1). */
async function challengeOf(
  serverUrl: string,
  fetchFn: typeof fetch,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'throughline', version: '1' } };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const response = await fetchFn(serverUrl, { method: 'POST', headers, body });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

/** @throws InvalidInputError if the metadata is about another server (RFC 9728, 3.3) */
function requireOwnResource(serverUrl: string, metadata: OAuthProtectedResourceMetadata | undefined): void {
  if (!metadata) return;
  const { resource } = metadata;
  if (!checkResourceAllowed({ requestedResource: resourceUrlFromServerUrl(serverUrl), configuredResource: resource }))
    throw new InvalidInputError(serverText('tool-server-other-resource', { resource }));
}

/** The page is opened by the browser of an administrator: no other kind of address than that of a web page. */
function requireWebPage(page: URL, serverUrl: string): void {
  const server = new URL(serverUrl);
  const isWeb = page.protocol === 'https:' || (page.protocol === 'http:' && page.hostname === server.hostname);
  if (!isWeb) throw new InvalidInputError(serverText('tool-server-no-page', { scheme: page.protocol }));
}

/** @throws InvalidInputError if client secrets or tokens would be sent there unencrypted */
function requireEncrypted(address: string): void {
  if (!isEncrypted(address)) throw new InvalidInputError(serverText('tool-server-unencrypted', { address }));
}

/** True for https and for loopback hosts: the rule of the SDK for the token endpoint, for the other endpoints. */
function isEncrypted(address: string): boolean {
  try {
    assertSecureTokenEndpoint(address);
    return true;
  } catch {
    return false;
  }
}

function scopeOf(
  challenged: string | undefined,
  resource: OAuthProtectedResourceMetadata | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): string | undefined {
  const scope = challenged ?? resource?.scopes_supported?.join(' ');
  const needsOffline = metadata?.scopes_supported?.includes('offline_access');
  if (!scope || !needsOffline || scope.split(' ').includes('offline_access')) return scope === '' ? undefined : scope;
  return `${scope} offline_access`;
}

function clientMetadata(redirectUri: string, metadata: AuthorizationServerMetadata | undefined) {
  const methods = metadata?.token_endpoint_auth_methods_supported ?? ['none'];
  const { hostname } = new URL(redirectUri);
  return {
    client_name: 'Throughline',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method:
      ['none', 'client_secret_basic', 'client_secret_post'].find((method) => methods.includes(method)) ?? 'none',
    application_type: ['localhost', '127.0.0.1', '[::1]'].includes(hostname) ? 'native' : 'web',
  };
}

function asInvalidInput(error: unknown): InvalidInputError {
  if (error instanceof InvalidInputError && error.text.code.startsWith('tool-server-')) return error;
  if (error instanceof RegistrationRejectedError)
    return new InvalidInputError(serverText('tool-server-not-registered', { status: error.status }), { cause: error });
  const reason = shortReason(reasonOf(error));
  return new InvalidInputError(serverText('tool-server-sign-in-failed', { reason }), { cause: error });
}

function equals(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
