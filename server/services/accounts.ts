import type { Accounts } from '#server/platform/auth/accounts';
import type { OidcProvider } from '#server/platform/auth/oidc-provider';
import type { Env } from '#server/platform/config/env';
import type { ProcessContext } from '#server/platform/process-context';

/** The provider for single sign-on; null if none is set. */
function oidcProviderOf(env: Env): OidcProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NEW_PEOPLE } = env;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  const newRole = OIDC_NEW_PEOPLE === 'off' ? null : OIDC_NEW_PEOPLE;
  return { issuer, clientId, clientSecret, name: env.OIDC_NAME ?? new URL(issuer).host, newRole };
}

/** Accounts of people; null in local mode, which has no sign-in and does not load its code. */
export async function openAccounts({ env, database, onFault }: ProcessContext): Promise<Accounts | null> {
  const { AUTH_MODE, AUTH_SECRET, PUBLIC_URL } = env;
  if (AUTH_MODE === 'local' || AUTH_SECRET === undefined || PUBLIC_URL === undefined) return null;
  const [{ createAccounts }, { reencryptFactors }] = await Promise.all([
    import('#server/platform/auth/accounts'),
    import('#server/platform/auth/secret-rotation'),
  ]);
  const { origin } = new URL(PUBLIC_URL);
  const secrets = { current: AUTH_SECRET, former: env.FORMER_AUTH_SECRET };
  const locked = await reencryptFactors(database, secrets);
  if (locked.length > 0)
    onFault(
      `One-time codes of ${locked.join(', ')} cannot be checked: AUTH_SECRET has changed. Set FORMER_AUTH_SECRET, or remove them (npm run user -- password --remove-second-factor)`,
    );
  return createAccounts({ database, origin, secrets, oidc: oidcProviderOf(env), onFault });
}
