/*
 * The cookie of a browser in which a person has begun a sign-in to a tool server. An answer of the authorization server is
 * accepted from this browser only (RFC 9700, 4.7.1).
 */

/** Lifetime of the cookie; seconds. The sign-in itself ends after ten minutes. */
const LIFETIME_S = 600;

/** Browsers take a cookie with this prefix from https only, as for the cookies of sessions. */
const nameAt = (origin: string) => `${origin.startsWith('https:') ? '__Secure-' : ''}throughline.tool-server`;

/** The `Set-Cookie` value. @param origin of our pages */
export function stateCookie(state: string, origin: string): string {
  const attributes = `Max-Age=${LIFETIME_S}; Path=/api/settings/mcp-servers; HttpOnly; SameSite=Strict`;
  return `${nameAt(origin)}=${state}; ${attributes}${origin.startsWith('https:') ? '; Secure' : ''}`;
}

/** The state in the cookie of a request; null: this browser has begun no sign-in. */
export function stateOf(headers: Headers, origin: string): string | null {
  const start = `${nameAt(origin)}=`;
  const cookie = (headers.get('cookie') ?? '').split('; ').find((each) => each.startsWith(start));
  return cookie?.slice(start.length) ?? null;
}
