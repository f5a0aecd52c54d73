import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Address of the client that sent a request: the other end of the connection or, with a trusted proxy, the last address
 * in `X-Forwarded-For` (the client may have written the earlier ones). Some proxies append the port.
 */
export function addressOfClient({ headers, socket }: IncomingMessage, trustsProxy: boolean): string {
  const addedLast = trustsProxy
    ? (String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim() ?? '')
    : '';
  const [, withPort, inBrackets] = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/.exec(addedLast) ?? [];
  const address = withPort ?? inBrackets ?? addedLast;
  return isIP(address) ? address : (socket.remoteAddress ?? '');
}
