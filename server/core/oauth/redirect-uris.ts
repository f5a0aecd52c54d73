/* Addresses to which authorization codes may be sent (RFC 8252, RFC 9700). */

/** Maximum characters of a redirect URI: browsers and servers accept about so much everywhere. */
export const MAX_REDIRECT_URI = 2_000;

/**
 * Schemes of editors and assistants that are known to receive codes by their own scheme. Other schemes have to be a
 * reversed domain name (`com.example.app`), as RFC 8252 asks: short names belong to handlers of the operating system
 * (`ms-msdt:`, `search-ms:`) and of browsers (`javascript:`), which must not be opened with text of a stranger.
 */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set([
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
  'zed:',
  'kiro:',
  'claude:',
  'raycast:',
]);

/** The scheme of a reversed domain name: at least two labels. */
const REVERSED_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+:$/;
/** Schemes of operating systems that look like a reversed domain name: `x-apple.systempreferences:`. */
const SYSTEM_SCHEME = /^(x-|microsoft\.|com\.apple\.)/;

/** Hosts of the machine of the browser, as they have to be written. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/;

/**
 * True if a client may register this address: `https`, `http` on the loopback interface, or a scheme of a program of
 * the person's device, without a query: its program could read parts of it as its own commands. Never with a fragment, a
 * user name, or characters that readers of addresses treat differently.
 */
export function isRegistrable(uri: string): boolean {
  if (uri.length > MAX_REDIRECT_URI || !/^[\u0021-\u007e]+$/.test(uri) || /[\\#"<>^`{|}]/.test(uri)) return false;
  if (!URL.canParse(uri)) return false;
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(uri)) return false;
  if (protocol === 'https:') return /^https:\/\/[^/]/.test(uri) && hostname !== '';
  if (protocol === 'http:') return LOOPBACK.test(uri);
  if (uri.includes('?') || SYSTEM_SCHEME.test(protocol)) return false;
  return uri.startsWith(protocol) && (KNOWN_SCHEMES.has(protocol) || REVERSED_DOMAIN.test(protocol));
}

/**
 * True if a requested address is a registered one: the same characters. Only the port of a loopback address may differ,
 * because a native program gets a free port at each start (RFC 8252, 7.3).
 */
export function isRegistered(registered: readonly string[], requested: string): boolean {
  if (!isRegistrable(requested)) return false;
  const wanted = withoutLoopbackPort(requested);
  return registered.some((uri) => uri === requested || (wanted !== null && withoutLoopbackPort(uri) === wanted));
}

/** The address without its port; null if it is not on the loopback interface. */
function withoutLoopbackPort(uri: string): string | null {
  const [start, host] = LOOPBACK.exec(uri) ?? [];
  return start === undefined || host === undefined ? null : `http://${host}${uri.slice(start.length)}`;
}

/** Where a redirect leads, for people: a host, this device, or a program with its own scheme. */
export interface RedirectTarget {
  readonly kind: 'host' | 'device' | 'program';
  /** Host with its port, or the scheme without its colon. */
  readonly name: string;
}

/** Describes where an address leads. */
export function redirectTarget(uri: string): RedirectTarget {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return { kind: 'host', name: host };
  return protocol === 'http:' ? { kind: 'device', name: host } : { kind: 'program', name: protocol.slice(0, -1) };
}

/**
 * An address in three parts, to emphasise where it leads: the second is its host with its port, or its scheme without the
 * colon. Together they are the address.
 */
export function redirectParts(uri: string): readonly [before: string, place: string, after: string] {
  const web = /^(https?:\/\/)([^/?]*)(.*)$/s.exec(uri);
  if (web) return [web[1] ?? '', web[2] ?? '', web[3] ?? ''];
  const colon = uri.indexOf(':');
  return ['', uri.slice(0, colon), uri.slice(colon)];
}

/** The address with these parameters appended to its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = new URLSearchParams(given).toString();
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
}
