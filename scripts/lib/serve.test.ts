import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { addressOfClient } from '#scripts/lib/client-address';
import { createAppServer } from '#scripts/lib/serve';
import { clientOf } from '#server/platform/auth/trusted-headers';

function requestFrom(address: string, headers: Record<string, string> = {}): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  return Object.assign(new IncomingMessage(socket), { headers });
}

describe('the client of a request', () => {
  it.each([
    ['203.0.113.7', {}, false, '203.0.113.7'],
    ['203.0.113.7', { 'x-forwarded-for': '127.0.0.1' }, false, '203.0.113.7'],
    ['10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' }, true, '203.0.113.7'],
    ['10.0.0.1', { 'x-forwarded-for': '2001:db8::1' }, true, '2001:db8::1'],
    ['10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7:51234' }, true, '203.0.113.7'],
    ['10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:51234' }, true, '2001:db8::1'],
    ['10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]' }, true, '2001:db8::1'],
    ['10.0.0.1', { 'x-forwarded-for': '[127.0.0.1:1' }, true, '10.0.0.1'],
    ['10.0.0.1', { 'x-forwarded-for': 'direct 127.0.0.1' }, true, '10.0.0.1'],
    ['10.0.0.1', {}, true, '10.0.0.1'],
  ] as const)('%s with %o, proxy %s', (address, headers, trustsProxy, client) => {
    expect(addressOfClient(requestFrom(address, headers), trustsProxy)).toBe(client);
  });

  it('is unknown if our server did not set it', () => {
    expect(clientOf(new Headers())).toEqual({ address: '' });
  });
});

describe('a request that asks for another protocol', () => {
  /** The first line and the body of the answer to a raw request. Upgrades are closed, as Next closes them. */
  async function ask(request: string, dev = false): Promise<string> {
    const server = createAppServer(dev, (incoming, outgoing) => {
      void text(incoming).then((body) => outgoing.writeHead(200, { connection: 'close' }).end(`got ${body}`));
    });
    server.on('upgrade', (_, socket) => socket.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(request);
    try {
      const answer = await text(socket);
      return `${answer.split('\r\n')[0]} ${answer.split('\r\n\r\n')[1]?.includes('got') ? answer.slice(answer.indexOf('got ')).split('\r\n')[0] : ''}`;
    } finally {
      socket.destroy();
      server.close();
    }
  }

  const head = (method: string, upgrade: string, more = '') =>
    `${method} /v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: ${upgrade}\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n${more}\r\n`;

  it.each([
    ['curl --http2', head('GET', 'h2c'), 'got '],
    ["Java's client, with a body", `${head('POST', 'h2c', 'content-length: 2\r\n')}{}`, 'got {}'],
    ['TLS', head('GET', 'TLS/1.0'), 'got '],
    ['several', head('GET', 'h2c, websocket'), 'got '],
    ['a WebSocket', head('GET', 'websocket'), 'got '],
  ])('is answered as a plain request: %s', async (_, request, body) => {
    expect(await ask(request)).toBe(`HTTP/1.1 200 OK ${body}`);
    if (!request.includes(' websocket')) expect(await ask(request, true)).toBe(`HTTP/1.1 200 OK ${body}`);
  });

  it('is left to Next in development where it is a WebSocket', async () => {
    const answered = await ask(head('GET', 'websocket'), true).catch(() => 'closed');
    expect(answered).not.toContain('200');
  });
});
