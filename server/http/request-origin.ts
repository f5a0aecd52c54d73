/**
 * Where a visitor reached this server, for addresses in what search engines read: `https://example.org`. A proxy in
 * front says by `x-forwarded-proto` that it was https. Null where the request does not say.
 */
export function requestOrigin(headers: Pick<Headers, 'get'>): string | null {
  const host = headers.get('host');
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  const origin = `${scheme}://${host ?? ''}`;
  return URL.canParse(origin) ? new URL(origin).origin : null;
}
