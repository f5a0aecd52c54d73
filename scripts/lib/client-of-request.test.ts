import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientOfRequest } from '#scripts/lib/client-of-request';
import { CLIENT_HEADER, clientHeader, clientOf } from '#server/http/client';
import { mayCreateOwner } from '#server/http/may-create-owner';

function requestFrom(address: string, headers: Record<string, string> = {}, httpVersion = '1.1'): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  return Object.assign(new IncomingMessage(socket), { headers, httpVersion });
}

/** As a route sees the headers. */
function seen(request: IncomingMessage, trustsProxy = false): Headers {
  const client = clientHeader(clientOfRequest(request, trustsProxy));
  return new Headers({ ...(request.headers as Record<string, string>), [CLIENT_HEADER]: client });
}

describe('the client of a request', () => {
  it.each([
    ['203.0.113.7', {}, false, { address: '203.0.113.7', isForwarded: false }],
    ['203.0.113.7', { 'x-forwarded-for': '127.0.0.1' }, false, { address: '203.0.113.7', isForwarded: true }],
    ['10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' }, true, { address: '203.0.113.7', isForwarded: true }],
    ['10.0.0.1', { 'x-forwarded-for': '2001:db8::1' }, true, { address: '2001:db8::1', isForwarded: true }],
    ['10.0.0.1', { 'x-forwarded-for': 'direct 127.0.0.1' }, true, { address: '10.0.0.1', isForwarded: true }],
    ['10.0.0.1', {}, true, { address: '10.0.0.1', isForwarded: false }],
  ] as const)('%s with %o, proxy %s', (address, headers, trustsProxy, client) => {
    expect(clientOf(seen(requestFrom(address, headers), trustsProxy))).toEqual(client);
  });

  it('is nobody where our server did not say', () => {
    expect(clientOf(new Headers())).toEqual({ address: '', isForwarded: true });
  });
});

describe('the owner may be created', () => {
  const local = { host: 'localhost:3000' };

  it.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])('from %s', (address) => {
    expect(mayCreateOwner(seen(requestFrom(address, local)))).toBe(true);
  });

  it.each([
    ['203.0.113.7', local],
    ['192.168.0.2', local],
    ['::ffff:192.168.0.2', local],
    ['127.0.0.1', { host: 'cms.example' }],
    ['127.0.0.1', { ...local, via: '1.1 proxy' }],
    ['127.0.0.1', { ...local, 'x-forwarded-host': 'cms.example' }],
  ])('not from %s with %o', (address, headers) => {
    expect(mayCreateOwner(seen(requestFrom(address, headers)))).toBe(false);
  });

  it('not through a proxy that says nothing of itself, as nginx is where nothing is set', () => {
    expect(mayCreateOwner(seen(requestFrom('127.0.0.1', local, '1.0')))).toBe(false);
  });
});
