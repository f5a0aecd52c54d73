import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Address of the client that sent a request: the other end of the connection; behind a proxy of ours the address that it
 * added last to `X-Forwarded-For` (what stands before it the client may have written).
 */
export function addressOfClient({ headers, socket }: IncomingMessage, trustsProxy: boolean): string {
  const addedLast = trustsProxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : undefined;
  return addedLast !== undefined && isIP(addedLast) ? addedLast : (socket.remoteAddress ?? '');
}
