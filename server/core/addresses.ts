/** Address of the page to sign in at. */
/** Where an OpenID Connect provider sends browsers back to. */
export const OIDC_CALLBACK_PATH = '/login/oidc';

export const LOGIN_PATH = '/login';

/** The same, to come back from. */
export function signInPath(next: string): string {
  return next === '/' ? LOGIN_PATH : `${LOGIN_PATH}?next=${encodeURIComponent(next)}`;
}

/** Page to open after signing in: always one of ours, whatever the address says. */
export function safeNext(next: string | undefined): string {
  const here = 'http://here.invalid';
  // What begins otherwise, a browser may take for another host.
  if (next === undefined || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, here)) return '/';
  const { origin, pathname, search, hash } = new URL(next, here);
  const isPage = origin === here && !/^\/(\/|login$|login\/|api\/|v1\/)/.test(pathname);
  return isPage ? `${pathname}${search}${hash}` : '/';
}

/** A piece of an address without its percent encoding; as it is where that is broken. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Posts live below this segment of the site; it lists them, unless a page has this slug. */
export const POSTS_SEGMENT = 'blog';

/** The origins in a comma-separated text, each as browsers write it (`https://media.example`); null where one is none. */
export function parseOrigins(text: string): string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const origins = items.map(originOf);
  return origins.includes(null) ? null : [...new Set(origins as string[])];
}

/** Null for anything with a path, a name or password, a wildcard, or another protocol. */
function originOf(text: string): string | null {
  if (!/^https?:\/\/[^\s/*;,'"]+\/?$/.test(text) || !URL.canParse(text)) return null;
  const { origin, username, password } = new URL(text);
  return username === '' && password === '' ? origin : null;
}
