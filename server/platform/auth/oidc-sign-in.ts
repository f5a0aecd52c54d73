import { serverText } from '#server/core/messages/server-text';
import type { FaultLog } from '#server/core/process';
import { type Cookies, SIGN_IN_S, type SignInApi } from '#server/platform/auth/better-auth';
import type { BrowserSignIn } from '#server/platform/auth/browser-sign-in';
import { recordExchange, OIDC, OidcError, type OidcProvider } from '#server/platform/auth/oidc-provider';
import type { Principal } from '#server/core/admin/access-rights';
import { LOGIN_PATH } from '#server/core/sign-in-paths';
import { ConflictError, SiteUnavailableError } from '#server/core/errors';

/** Sign-in with an OpenID Connect provider. */
export interface Oidc {
  /** Display name. */
  readonly name: string;
  /**
   * Address of the provider's sign-in page, with the cookies with which the browser must return.
   * @param next path on this server to open afterwards
   * @param isAfresh true: the provider must ask the user to sign in again, even if the user is signed in there
   * @throws SiteUnavailableError if the provider does not answer or is not configured correctly
   */
  begin(
    headers: Headers,
    next: string,
    isAfresh: boolean,
  ): Promise<{ readonly url: string; readonly cookies: Cookies }>;
  /**
   * Processes the query with which the provider has sent the browser back, and signs the person in.
   * @returns where to send the browser; if the sign-in was refused, the sign-in page with the reason
   */
  finish(headers: Headers, query: Readonly<Record<string, string>>): Promise<Finished>;
}

interface Finished {
  /** Address for the redirect. */
  readonly location: string;
  readonly cookies: Cookies;
  /** Null if the sign-in was refused. */
  readonly principal: Principal | null;
  /** Why the sign-in was refused, for the audit log, with the email address that the provider reported; null if it was not. */
  readonly refusal: { readonly cause: string; readonly email: string | null } | null;
}

interface OidcDeps extends FaultLog {
  readonly origin: string;
  readonly provider: OidcProvider;
  readonly api: SignInApi;
  readonly signIn: BrowserSignIn;
}

/** Creates the sign-in with the provider, over better-auth. */
export function createOidc({ origin, provider, api, signIn, onFault }: OidcDeps): Oidc {
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
            // With `max_age` the ID token must contain when the person signed in there (OpenID Connect Core, 3.1.2.1).
            additionalParams: isAfresh ? { prompt: 'login', max_age: '0' } : { max_age: String(SIGN_IN_S) },
          },
          headers,
          returnHeaders: true,
        })
        .catch((error: unknown) => {
          if (!(error instanceof OidcError)) throw error;
          onFault('sign-in with OpenID Connect failed', error);
          const code =
            error.reason === 'provider_unreachable' ? 'provider-sign-in-unreachable' : 'provider-sign-in-unusable';
          throw new SiteUnavailableError(serverText(code, { name: provider.name }), { cause: error });
        });
      if (!response.url) throw new ConflictError(serverText('provider-sign-in-unreachable', { name: provider.name }));
      const state = new URL(response.url).searchParams.get('state') ?? '';
      return { url: response.url, cookies: sent.getSetCookie().map((cookie) => addStateToName(cookie, state)) };
    },
    async finish(headers, query) {
      const state = query['state'] ?? '';
      const sent = withCookieOfState(headers, state);
      const { result: answer, exchange } = await recordExchange(() =>
        api.callbackOAuth({ method: 'GET', params: { id: OIDC }, query, headers: sent, asResponse: true }),
      );
      const { authTime, email, failure } = exchange;
      // A problem with a person's email address is in the audit log. All others concern the operator: server log.
      if (failure && !failure.reason.startsWith('email_')) onFault('sign-in with OpenID Connect failed', failure);
      const cookies = answer.headers.getSetCookie().map((each) => addStateToName(each, state));
      const location = answer.headers.get('location') ?? `${LOGIN_PATH}?error=unknown`;
      const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
      const signedInHeaders = new Headers({ cookie });
      // `isAfresh` cannot be trusted here, because the browser could have changed the request to the provider: the time
      // that the provider reports decides how fresh the sign-in is.
      await signIn.setAuthenticated(
        signedInHeaders,
        authTime === undefined ? 0 : Math.min(authTime * 1_000, Date.now()),
      );
      const principal = await signIn.principal(signedInHeaders);
      if (principal) await signIn.end(headers);
      // better-auth's own error page is not served here.
      const isOurs = URL.canParse(location, origin) && new URL(location, origin).origin === origin;
      const to =
        isOurs && !new URL(location, origin).pathname.startsWith('/api/')
          ? location
          : signInPageWithError(location, origin);
      if (principal) return { location: to, cookies, principal, refusal: null };
      const cause = failure?.reason ?? errorCodeIn(to, origin);
      // Replaces better-auth's error code by our more precise one.
      const page = failure ? signInPageWithError(to, origin, failure.reason) : to;
      return { location: page, cookies, principal, refusal: { cause, email: email ?? null } };
    },
  };
}

function errorCodeIn(location: string, origin: string): string {
  const error = URL.canParse(location, origin) ? new URL(location, origin).searchParams.get('error') : null;
  return error ?? 'unknown';
}

/** The sign-in page with an error code, and the `next` of `location`. Default: the code in `location`. */
function signInPageWithError(location: string, origin: string, error = errorCodeIn(location, origin)): string {
  const next = URL.canParse(location, origin) ? new URL(location, origin).searchParams.get('next') : null;
  return `${LOGIN_PATH}?${new URLSearchParams({ ...(next !== null && { next }), error })}`;
}

/** better-auth's cookie of a sign-in that has begun and waits for the provider. */
const STATE_COOKIE = /^((?:__Secure-)?throughline\.state)=/;

/**
 * Gives each sign-in that has begun a cookie of its own. better-auth uses one name for all, so that a sign-in in a second
 * tab would end the one in the first.
 */
function addStateToName(cookie: string, state: string): string {
  return cookie.replace(STATE_COOKIE, `$1.${suffixOf(state)}=`);
}

/** Headers with the cookie of this sign-in under better-auth's name, and without the cookies of other sign-ins. */
function withCookieOfState(headers: Headers, state: string): Headers {
  const named = new Headers(headers);
  const pairs = (headers.get('cookie') ?? '').split(/;\s*/);
  const own = pairs.flatMap((pair) => {
    const [, name, suffix, value] = /^((?:__Secure-)?throughline\.state)\.(\w*)=(.*)$/.exec(pair) ?? [];
    return name !== undefined && suffix === suffixOf(state) ? [`${name}=${value ?? ''}`] : [];
  });
  const others = pairs.filter((pair) => !/^(?:__Secure-)?throughline\.state[.=]/.test(pair));
  named.set('cookie', [...others, ...own].join('; '));
  return named;
}

/** The beginning of a state, which distinguishes the sign-ins of one browser; the signed cookie contains the whole state. */
const suffixOf = (state: string) => state.replaceAll(/\W/g, '').slice(0, 12);
