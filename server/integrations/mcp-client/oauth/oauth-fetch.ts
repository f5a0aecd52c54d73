import { createOutgoingFetch } from '#server/platform/outgoing/outgoing-fetch';

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
 * Creates the `fetch` for the sign-in at a tool server. The tool server itself names the addresses, so other hosts than its
 * own must be on the public internet. Codes and tokens are sent without following redirects.
 * @param serverUrl configured by an administrator
 */
export function oauthFetch(serverUrl: string): typeof fetch {
  const { hostname } = new URL(serverUrl);
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { read, send } = url.hostname === hostname ? configured : found;
    const signal = AbortSignal.any([...(init.signal ? [init.signal] : []), AbortSignal.timeout(TIMEOUT_MS)]);
    return (init.method === 'POST' ? send : read)(input, { ...init, signal });
  };
}
