import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';
import { isPrivateHost } from '#server/platform/outgoing/public-addresses';

/** Maximum bytes of metadata, of a registration and of tokens; real ones have up to 10 kB. */
const MAX_BYTES = 100_000;
/** Maximum duration of one request, milliseconds. */
const TIMEOUT_MS = 10_000;

const rules = { maxBytes: MAX_BYTES };
const configured = {
  read: createOutgoingFetch({ ...rules, allowed: 'configured', redirects: 3 }),
  send: createOutgoingFetch({ ...rules, allowed: 'configured', redirects: 0 }),
};
const found = {
  read: createOutgoingFetch({ ...rules, allowed: 'public', redirects: 3 }),
  send: createOutgoingFetch({ ...rules, allowed: 'public', redirects: 0 }),
};

/**
 * Creates the `fetch` for the sign-in at a tool server. The tool server itself names the addresses, so addresses outside its
 * own origin must be on the public internet. Codes and tokens are sent without following redirects.
 * @param serverUrl configured by an administrator
 */
export function oauthFetch(serverUrl: string): typeof fetch {
  const server = new URL(serverUrl);
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { read, send } = belongsToServer(url, server) ? configured : found;
    const signal = AbortSignal.any([...(init.signal ? [init.signal] : []), AbortSignal.timeout(TIMEOUT_MS)]);
    return (init.method === 'POST' ? send : read)(input, { ...init, signal });
  };
}

/**
 * True for the origin of the tool server. If that is `localhost` or a private IP address, also for other ports of the same
 * host, where its authorization server may be. A name counts by its origin only, because it may resolve to any address.
 */
function belongsToServer(url: URL, server: URL): boolean {
  if (url.origin === server.origin) return true;
  const isDowngrade = server.protocol === 'https:' && url.protocol === 'http:';
  return url.hostname === server.hostname && isPrivateHost(server.hostname) && !isDowngrade;
}
