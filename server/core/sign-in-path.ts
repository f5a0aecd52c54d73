/** Address of the page to sign in at. */
export const LOGIN_PATH = '/login';

/** The same, to come back from. */
export function signInPath(next: string): string {
  return next === '/' ? LOGIN_PATH : `${LOGIN_PATH}?next=${encodeURIComponent(next)}`;
}

/** Where to go after signing in: a page of ours, whatever the address says. */
export function safeNext(next: string | undefined): string {
  const here = 'http://here.invalid';
  // What begins otherwise, a browser may take for another host.
  if (next === undefined || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, here)) return '/';
  const { origin, pathname, search, hash } = new URL(next, here);
  const isPage = origin === here && !/^\/(\/|login$|login\/|api\/|v1\/)/.test(pathname);
  return isPage ? `${pathname}${search}${hash}` : '/';
}
