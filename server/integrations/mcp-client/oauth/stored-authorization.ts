import { z } from 'zod';
import { oauthFetch } from '#server/integrations/mcp-client/oauth/oauth-fetch';

/* What is stored about the sign-in of this server at a tool server. All of it is encrypted. */

const text = z.string().max(20_000);

/** Metadata of an authorization server (RFC 8414): the fields that are used after a person agreed. */
const metadataSchema = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  revocation_endpoint: text.optional(),
  response_types_supported: z.array(text).max(100),
  token_endpoint_auth_methods_supported: z.array(text).max(100).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/** How we are registered at an authorization server (RFC 7591). */
const clientSchema = z.object({
  client_id: text,
  client_secret: text.optional(),
  token_endpoint_auth_method: text.optional(),
});

const peerSchema = z.object({
  /** Address of the tool server for which the tokens were issued. They are sent nowhere else. */
  serverUrl: text,
  authorizationServerUrl: text,
  /** Absent: the authorization server has none, and has the addresses of the revision 2025-03-26. */
  metadata: metadataSchema.optional(),
  client: clientSchema,
  /** Resource indicator (RFC 8707), as the tool server names itself. */
  resource: text.optional(),
});
/** The authorization server of a tool server, and our registration there. */
export type AuthorizationPeer = z.infer<typeof peerSchema>;

export const tokensSchema = z.object({
  access_token: text,
  token_type: text,
  refresh_token: text.optional(),
});
export type IssuedTokens = z.infer<typeof tokensSchema>;

/** The tokens that a tool server accepts, and where they are refreshed. */
export const credentialsSchema = z.object({ peer: peerSchema, tokens: tokensSchema });
export type ToolServerCredentials = z.infer<typeof credentialsSchema>;

/** A sign-in that a person has begun, until the browser returns. */
export const pendingSignInSchema = z.object({
  peer: peerSchema,
  /** Returned by the browser. Only the browser that began has it as a cookie, too. */
  state: text,
  userId: text,
  codeVerifier: text,
  redirectUri: text,
  /** Epoch milliseconds. */
  expiresAt: z.number(),
});
export type PendingSignIn = z.infer<typeof pendingSignInSchema>;

/** What every request for tokens needs to know of the authorization server. */
export function tokenRequest({ metadata, client, resource, serverUrl }: AuthorizationPeer) {
  return {
    ...(metadata && { metadata }),
    clientInformation: client,
    ...(resource !== undefined && { resource }),
    fetchFn: oauthFetch(serverUrl),
  };
}

/** Storage of the credentials of tool servers. */
export interface CredentialStore {
  /** Returns null if the server is not connected, or if its credentials cannot be decrypted. */
  credentials(serverId: string): Promise<ToolServerCredentials | null>;
  /**
   * Replaces the tokens. Has no effect if the server has been connected again, disconnected or deleted since they were read.
   * @param former the refresh token that was used
   * @param tokens null: the authorization server no longer accepts it
   */
  replaceTokens(serverId: string, former: string | undefined, tokens: IssuedTokens | null): Promise<void>;
}
