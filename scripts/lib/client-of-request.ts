import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Client } from '#server/http/client';

/** Set by whoever passes a request on, and by whoever wants to be taken for somebody else. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Which client sent a request: the other end of the connection; behind a proxy of ours the address that it added last
 * to `X-Forwarded-For` (what stands before it the client may have written).
 */
export function clientOfRequest({ headers, httpVersion, socket }: IncomingMessage, trustsProxy: boolean): Client {
  const addedLast = trustsProxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : undefined;
  return {
    address: addedLast !== undefined && isIP(addedLast) ? addedLast : (socket.remoteAddress ?? ''),
    // A proxy that was told nothing may add no header; those, and no browser, still speak HTTP/1.0.
    isForwarded: httpVersion === '1.0' || FORWARDED.some((name) => headers[name] !== undefined),
  };
}
