/* Paths of the sign-in page, and of the page to open after it. */

/** Path to which an OpenID Connect provider sends browsers after the sign-in. */
export const OIDC_CALLBACK_PATH = '/login/oidc';

/** Path of the sign-in page. */
export const LOGIN_PATH = '/login';

/** Address of the sign-in page that returns to `next` afterwards. */
export function signInPath(next: string): string {
  return next === '/' ? LOGIN_PATH : `${LOGIN_PATH}?next=${encodeURIComponent(next)}`;
}

/** Page to open after signing in. Anything that is not a page of this app becomes the start page. */
export function safeNext(next: string | undefined): string {
  const here = 'http://here.invalid';
  // `//host` and `/\host` start with a slash, but browsers read them as another host.
  if (next === undefined || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, here)) return '/';
  const { origin, pathname, search, hash } = new URL(next, here);
  const isPage = origin === here && !/^\/(\/|login$|login\/|api\/|v1\/)/.test(pathname);
  return isPage ? `${pathname}${search}${hash}` : '/';
}
