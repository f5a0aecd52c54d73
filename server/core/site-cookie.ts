import { percentDecoded } from '#server/core/addresses';

/**
 * Cookie with the site that was selected in a browser. It is only a preference: rights are checked for every request.
 */
export const SITE_COOKIE = 'throughline-site';

/** Id of the site that was selected in a browser; null: none. @param cookies the `Cookie` header */
export function chosenSite(cookies: string | null): string | null {
  const name = `${SITE_COOKIE}=`;
  const found = (cookies ?? '').split('; ').find((cookie) => cookie.startsWith(name));
  return found === undefined ? null : percentDecoded(found.slice(name.length));
}
