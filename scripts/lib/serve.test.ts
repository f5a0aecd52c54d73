import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressOfClient } from '#scripts/lib/serve';
import { clientOf } from '#server/auth/client';

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

  it('is nobody where our server did not say', () => {
    expect(clientOf(new Headers())).toEqual({ address: '' });
  });
});
