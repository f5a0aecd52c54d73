/** Address of the page to sign in at. */
/** Path that an OpenID Connect provider sends browsers to. */
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

/** Slug of the page that visitors see, at its top level, where there is nothing. */
export const NOT_FOUND_SLUG = '404';

/** One address that leads on because an editor chose so. */
export interface LeadsOn {
  /** A path of the site: `/summer-sale`. */
  readonly from: string;
  /** Another path, or a whole address. */
  readonly to: string;
}

/** The addresses that lead on, as the site's settings keep them: a line each, `/summer-sale /offers`. */
export function leadsOnIn(text: string): LeadsOn[] {
  return text.split('\n').flatMap((line) => {
    const [from, to] = line.trim().split(/\s+/);
    return from && to ? [{ from, to }] : [];
  });
}

/** Writes the text with another continuation of one address; null: it has none. */
export function withLeadsOn(text: string, from: string, to: string | null): string {
  const others = leadsOnIn(text).filter((each) => each.from !== from);
  return [...others, ...(to === null ? [] : [{ from, to }])].map((each) => `${each.from} ${each.to}`).join('\n');
}

/** The origins in a comma-separated text, each as browsers write it (`https://media.example`); null where one is none. */
export function parseOrigins(text: string): string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const origins = items.map(originOf);
  return origins.includes(null) ? null : [...new Set(origins as string[])];
}

/**
 * Values of a `Host` header that mean the host of an address, in small letters. Browsers leave out the port that its protocol
 * has by itself; some proxies write it (`$host:$server_port` of nginx).
 */
export function hostHeadersOf(address: string): readonly string[] {
  const { host, port, protocol } = new URL(address);
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}

/** Null for anything with a path, a name or password, a wildcard, or another protocol. */
function originOf(text: string): string | null {
  if (!/^https?:\/\/[^\s/*;,'"]+\/?$/.test(text) || !URL.canParse(text)) return null;
  const { origin, username, password } = new URL(text);
  return username === '' && password === '' ? origin : null;
}

/**
 * The whole address of a page.
 * @param site address of the start page, without a slash at its end: `https://example.org`
 * @param path of the page on the site: `/about/team`
 */
export function pageAddress(site: string, path: string): string {
  return new URL(`${site}${path === '/' ? '' : path}`).href;
}

/** Cookie in which a browser keeps the site that was chosen in it. It is a wish: rights are looked at for every request. */
export const SITE_COOKIE = 'throughline-site';

/** The site that was chosen in a browser; null: none. */
export function chosenSite(cookies: string | null): string | null {
  const name = `${SITE_COOKIE}=`;
  const found = (cookies ?? '').split('; ').find((cookie) => cookie.startsWith(name));
  return found === undefined ? null : percentDecoded(found.slice(name.length));
}
