/**
 * An address without the parts that may contain credentials: name, password, query and fragment. A text that is not an
 * address stays unchanged.
 */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.host === '') return address.replace(/[?#].*$/s, '');
  const path = url.pathname === '/' ? '' : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}
