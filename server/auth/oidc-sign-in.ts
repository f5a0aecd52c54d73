import { isAPIError } from 'better-auth/api';
import { type Cookies, OIDC, type OidcProvider, type SignInApi } from '#server/auth/better-auth';
import type { Principal } from '#server/core/access-rights';
import { LOGIN_PATH } from '#server/core/addresses';
import { ConflictError, SiteUnavailableError } from '#server/core/errors';

/** Sign-in with an OpenID Connect provider. */
export interface Oidc {
  /** For people. */
  readonly name: string;
  /**
   * Address to sign in at, with the cookies that the browser has to come back with.
   * @param next path of ours to go to afterwards
   * @param isAfresh the provider has to ask again who they are
   * @throws SiteUnavailableError when the provider does not answer
   */
  begin(
    headers: Headers,
    next: string,
    isAfresh: boolean,
  ): Promise<{ readonly url: string; readonly cookies: Cookies }>;
  /** Takes what the provider has sent the browser back with. `principal` is null where nobody is let in; `location` says why. */
  finish(headers: Headers, query: Readonly<Record<string, string>>): Promise<Finished>;
}

interface Finished {
  readonly location: string;
  readonly cookies: Cookies;
  readonly principal: Principal | null;
}

interface OidcDeps {
  readonly origin: string;
  readonly provider: OidcProvider;
  readonly api: SignInApi;
  readonly signedIn: (headers: Headers) => Promise<Principal | null>;
  /** Ends the sign-in that a browser had before. */
  readonly endFormer: (headers: Headers) => Promise<void>;
}

export function createOidc({ origin, provider, api, signedIn, endFormer }: OidcDeps): Oidc {
  return {
    name: provider.name,
    async begin(headers, next, isAfresh) {
      const { response, headers: sent } = await api
        .signInSocial({
          body: {
            provider: OIDC,
            callbackURL: `${origin}${next}`,
            errorCallbackURL: `${origin}${LOGIN_PATH}?${new URLSearchParams({ next })}`,
            disableRedirect: true,
            ...(isAfresh && { additionalParams: { prompt: 'login', max_age: '0' } }),
          },
          headers,
          returnHeaders: true,
        })
        .catch((error: unknown) => {
          // It was not to be found when this server started, nor is it now.
          throw isAPIError(error) ? new SiteUnavailableError(UNREACHABLE(provider.name), { cause: error }) : error;
        });
      if (!response.url) throw new ConflictError(UNREACHABLE(provider.name));
      return { url: response.url, cookies: sent.getSetCookie() };
    },
    async finish(headers, query) {
      const answer = await api.callbackOAuth({
        method: 'GET',
        params: { id: OIDC },
        query,
        headers,
        asResponse: true,
      });
      const cookies = answer.headers.getSetCookie();
      const location = answer.headers.get('location') ?? `${LOGIN_PATH}?error=unknown`;
      const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
      const principal = await signedIn(new Headers({ cookie }));
      if (principal) await endFormer(headers);
      // Its own page of errors is not served here.
      const isOurs = URL.canParse(location, origin) && new URL(location, origin).origin === origin;
      const to =
        isOurs && !new URL(location, origin).pathname.startsWith('/api/') ? location : failedAt(location, origin);
      return { location: to, cookies, principal };
    },
  };
}

const UNREACHABLE = (name: string) => `${name} cannot be reached. Try again later, or sign in with your password.`;

function failedAt(location: string, origin: string): string {
  const error = URL.canParse(location, origin) ? new URL(location, origin).searchParams.get('error') : null;
  return `${LOGIN_PATH}?${new URLSearchParams({ error: error ?? 'unknown' })}`;
}
