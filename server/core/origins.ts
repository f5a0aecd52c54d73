/**
 * The origins in a comma-separated text, in the form that browsers use (`https://media.example`); null if one is
 * invalid.
 */
export function parseOrigins(text: string): string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const origins = items.map(originOf);
  return origins.includes(null) ? null : [...new Set(origins as string[])];
}

/**
 * Values of the `Host` header of requests to an address, in lower case. Browsers omit the default port of the
 * protocol; some proxies include it (`$host:$server_port` of nginx).
 */
export function hostHeadersOf(address: string): readonly string[] {
  const { host, port, protocol } = new URL(address);
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}

/** The origin; null for anything with a path, a name or password, a wildcard, or another protocol. */
function originOf(text: string): string | null {
  if (!/^https?:\/\/[^\s/*;,'"]+\/?$/.test(text) || !URL.canParse(text)) return null;
  const { origin, username, password } = new URL(text);
  return username === '' && password === '' ? origin : null;
}
