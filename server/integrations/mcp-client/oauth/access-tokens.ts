import { type AuthProvider, OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client';
import { ToolError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import {
  type CredentialStore,
  tokenRequest,
  type ToolServerCredentials,
  tokensSchema,
} from '#server/integrations/mcp-client/oauth/stored-authorization';
import type { Leases } from '#server/platform/database/leases';

/** Storage of credentials, and the leases of their refreshes. */
export interface TokenSource {
  readonly store: CredentialStore;
  readonly leases: Leases;
}

/** Maximum wait for another refresh of the same tokens, milliseconds: more than a refresh lasts. */
const REFRESH_WAIT_MS = 12_000;
/** Errors with which an authorization server ends an authorization (RFC 6749, 5.2). A person has to sign in again. */
const ENDED: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]);

/**
 * The access tokens of one connection to a tool server. They are read once, and refreshed when the server refuses them: by
 * one process at a time, because many servers revoke everything when a refresh token is presented twice.
 */
export class AccessTokens implements AuthProvider {
  readonly #serverId: string;
  readonly #serverUrl: string;
  readonly #source: TokenSource;
  readonly #issued = new Set<string>();
  #credentials: Promise<ToolServerCredentials | null> | null = null;

  constructor(serverId: string, serverUrl: string, source: TokenSource) {
    this.#serverId = serverId;
    this.#serverUrl = serverUrl;
    this.#source = source;
  }

  /** Tokens that texts and answers of the server must not contain. */
  get issued(): readonly string[] {
    return [...this.#issued];
  }

  async token(): Promise<string | undefined> {
    return (await (this.#credentials ??= this.#read()))?.tokens.access_token;
  }

  /** @throws ToolError `tool-server-sign-in` if a person has to connect the server */
  async onUnauthorized(): Promise<void> {
    const refused = await this.token();
    const { leases } = this.#source;
    await leases.withLease(`tool-server-tokens:${this.#serverId}`, () => this.#renew(refused), {
      waitMs: REFRESH_WAIT_MS,
    });
  }

  async #renew(refused: string | undefined): Promise<void> {
    const credentials = await this.#read();
    this.#credentials = Promise.resolve(credentials);
    const { access_token: current, refresh_token: refreshToken } = credentials?.tokens ?? {};
    // Another connection or process has refreshed them, or a person has connected the server.
    if (current !== undefined && current !== refused) return;
    if (credentials === null || refreshToken === undefined) throw new ToolError(serverText('tool-server-sign-in'));
    const { store } = this.#source;
    const { peer } = credentials;
    try {
      const answer = await refreshAuthorization(peer.authorizationServerUrl, { ...tokenRequest(peer), refreshToken });
      const tokens = tokensSchema.parse(answer);
      await store.replaceTokens(this.#serverId, refreshToken, tokens);
      this.#credentials = Promise.resolve({ ...credentials, tokens });
      this.#hide(tokens.access_token, tokens.refresh_token);
    } catch (error) {
      if (!(error instanceof OAuthError) || !ENDED.has(error.code)) throw error;
      await store.replaceTokens(this.#serverId, refreshToken, null);
      this.#credentials = Promise.resolve(null);
      throw new ToolError(serverText('tool-server-sign-in'), { cause: error });
    }
  }

  async #read(): Promise<ToolServerCredentials | null> {
    const credentials = await this.#source.store.credentials(this.#serverId);
    // The address may have been changed since.
    if (credentials?.peer.serverUrl !== this.#serverUrl) return null;
    const { access_token: token, refresh_token: refreshToken } = credentials.tokens;
    this.#hide(token, refreshToken);
    return credentials;
  }

  #hide(...tokens: readonly (string | undefined)[]): void {
    for (const token of tokens) if (token !== undefined) this.#issued.add(token);
  }
}
