import type { Accounts } from '#server/platform/auth/accounts';
import { type AuthorizationServer, isAccessToken } from '#server/platform/auth/oauth/authorization-server';
import { type ApiKeys, bearerOf, isApiKey } from '#server/platform/auth/api-keys';
import { requireLocal } from '#server/platform/auth/local-access';
import { type RequestHead, requireSameOrigin } from '#server/platform/auth/same-origin';
import { UnauthenticatedError } from '#server/core/errors';
import { LOCAL_OWNER, type Principal, scopesOfRole } from '#server/core/admin/access-rights';
import { serverText } from '#server/core/messages/server-text';

/** Determines the principal of a request. */
export interface Authenticator {
  /**
   * @param request or only its headers (pages have no more); its method decides whether it may change something
   * @param acceptsOAuth true: access tokens of OAuth are accepted. Default false: they open `/mcp` only
   * @throws UnauthenticatedError (not signed in, or an invalid key or token), ForbiddenError (not from this origin)
   */
  authenticate(request: RequestHead, acceptsOAuth?: boolean): Promise<Principal>;
}

/** The person at this machine, in local mode. */
export const localOwner: Principal = {
  kind: 'local',
  userId: LOCAL_OWNER,
  name: 'Owner',
  scopes: scopesOfRole.admin,
  sites: null,
  keyId: null,
};

/** What an authenticator is made from. */
export interface AuthenticatorDeps {
  /** Null: local mode. */
  readonly accounts: Pick<Accounts, 'signedIn' | 'origin'> | null;
  readonly keys: Pick<ApiKeys, 'find'>;
  /** Null: local mode. */
  readonly oauth: Pick<AuthorizationServer, 'principalOf'> | null;
}

/**
 * A key has priority if one is sent. Without a key, local mode treats the person at this machine as the owner, and
 * accounts mode requires a sign-in cookie.
 */
export function createAuthenticator({ accounts, keys, oauth }: AuthenticatorDeps): Authenticator {
  return {
    async authenticate(request, acceptsOAuth = false) {
      const { headers } = request;
      if (!accounts) requireLocal(headers);
      const bearer = bearerOf(headers);
      if (bearer !== null && oauth && isAccessToken(bearer)) {
        if (!acceptsOAuth) throw new UnauthenticatedError(ONLY_MCP);
        return oauth.principalOf(bearer);
      }
      // Some clients send a placeholder to servers that need no key: local mode ignores tokens that are not our keys.
      if (bearer !== null && (accounts || isApiKey(bearer))) return keys.find(bearer);
      if (!accounts) return localOwner;
      // A program without a key sends no cookie: it needs a message about keys, not one about the origin of a page.
      if (!headers.has('cookie')) throw new UnauthenticatedError(WHO_ARE_YOU);
      requireSameOrigin(request, accounts.origin);
      const principal = await accounts.signedIn(headers);
      if (!principal) throw new UnauthenticatedError(WHO_ARE_YOU);
      return principal;
    },
  };
}

const ONLY_MCP = serverText('token-for-mcp-only');
const WHO_ARE_YOU = serverText('sign-in-or-key');
