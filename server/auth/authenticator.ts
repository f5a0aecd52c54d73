import type { Accounts } from '#server/auth/accounts';
import { type ApiKeys, bearerOf, isApiKey } from '#server/auth/api-keys';
import { requireLocal } from '#server/auth/local-access';
import { requireSameOrigin } from '#server/auth/client';
import { UnauthenticatedError } from '#server/core/errors';
import { LOCAL_OWNER, type Principal, scopesOfRole } from '#server/core/access-rights';

/** Finds out who makes a request. */
export interface Authenticator {
  /**
   * @param request or its headers alone (pages have no more); its method says whether it may change something
   * @throws UnauthenticatedError (nobody, or a key that is not one), ForbiddenError (not from here)
   */
  authenticate(request: Pick<Request, 'headers' | 'method'>): Promise<Principal>;
}

const localOwner: Principal = {
  kind: 'local',
  userId: LOCAL_OWNER,
  name: 'Owner',
  scopes: scopesOfRole.admin,
  sites: null,
  keyId: null,
};

export interface AuthenticatorDeps {
  /** Null: local mode. */
  readonly accounts: Pick<Accounts, 'signedIn' | 'origin'> | null;
  readonly keys: Pick<ApiKeys, 'find'>;
}

/**
 * A key decides wherever one is sent. Without one, local mode takes whoever sits at this machine for the owner, and
 * accounts mode asks for a cookie of someone who has signed in.
 */
export function createAuthenticator({ accounts, keys }: AuthenticatorDeps): Authenticator {
  return {
    async authenticate(request) {
      const { headers } = request;
      if (!accounts) requireLocal(headers);
      const bearer = bearerOf(headers);
      // Clients of other servers send words of their own where those want none; in local mode they say nothing.
      if (bearer !== null && (accounts || isApiKey(bearer))) return keys.find(bearer);
      if (!accounts) return localOwner;
      // A program that forgot its key hears so, and not of pages.
      if (!headers.has('cookie')) throw new UnauthenticatedError(WHO_ARE_YOU);
      requireSameOrigin(request, accounts.origin);
      const principal = await accounts.signedIn(headers);
      if (!principal) throw new UnauthenticatedError(WHO_ARE_YOU);
      return principal;
    },
  };
}

const WHO_ARE_YOU = 'Sign in, or send an API key as a bearer token.';
