import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LOCAL_OWNER, type Principal, scopesOfRole } from '#server/core/principal';
import { content } from '#server/http/answer';
import { type RouteSpec, route } from '#server/http/route';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';

const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };
const owner: Principal = {
  kind: 'local',
  userId: LOCAL_OWNER,
  name: 'Owner',
  scopes: scopesOfRole.admin,
  keyId: null,
};

let services: Services;
let key: string;

async function call(spec: Pick<RouteSpec<undefined, undefined, unknown>, 'access' | 'startsTurn'>, body = '{}') {
  const handler = route({ summary: 'Says something', answer: z.json(), body: z.unknown(), ...spec }, async () => 'hi');
  const headers = { host: 'localhost', authorization: `Bearer ${key}` };
  const request = new Request('http://localhost/api/x', { method: 'POST', headers, body });
  return handler(request, { params: Promise.resolve({}) });
}

async function newKey(name: string): Promise<string> {
  return (await services.keys.create(owner, { name, scopes: ['chat'], expiresAt: null })).key;
}

describe('the limits of a route', () => {
  beforeAll(async () => {
    container.throughlineServices = startTestServices({
      REQUESTS_PER_MINUTE: '4',
      TURNS_PER_MINUTE: '2',
      OPEN_STREAMS: '2',
    });
    services = await container.throughlineServices;
  });
  afterAll(async () => {
    await services[Symbol.asyncDispose]();
    delete container.throughlineServices;
  });

  it('are looked at before the body, also of what is then refused, and say when to come again', async () => {
    key = await newKey('Requests');
    const statuses: number[] = [];
    statuses.push((await call({ access: 'chat' })).status, (await call({ access: 'admin' })).status);
    statuses.push((await call({ access: 'chat' }, '[')).status, (await call({ access: 'chat' })).status);
    expect(statuses).toEqual([200, 403, 400, 200]);
    const refused = await call({ access: 'chat' }, '[');
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    const { error } = (await refused.json()) as { error: object };
    expect(error).toMatchObject({ code: 'rate_limited', details: { retryAfterSeconds: retryAfter } });
  });

  it('count turns by themselves', async () => {
    key = await newKey('Turns');
    const starts = { access: 'chat', startsTurn: true } as const;
    const statuses = [(await call(starts)).status, (await call(starts)).status, (await call(starts)).status];
    expect(statuses).toEqual([200, 200, 429]);
    expect((await call({ access: 'chat' })).status).toBe(200);
  });

  it('leave a person’s routes to persons', async () => {
    const { key: almighty } = await services.keys.create(owner, { name: 'All', scopes: ['admin'], expiresAt: null });
    key = almighty;
    expect((await call({ access: 'person' })).status).toBe(403);
    expect((await call({ access: 'signed-in' })).status).toBe(200);
    key = 'no key of ours';
    expect((await call({ access: 'person' })).status).toBe(200);
  });

  it('count the event streams that a user has open, by whatever key, before anything is begun', async () => {
    let begun = 0;
    const follow = (signal: AbortSignal, isStream = true) => {
      const handler = route(
        { summary: 'Follows', answer: { 200: content('text/event-stream', 'Events.') }, access: 'chat' },
        async () => {
          begun += 1;
          const headers = { 'content-type': isStream ? 'text/event-stream' : 'text/plain' };
          return new Response(new ReadableStream({}), { headers });
        },
      );
      const headers = { host: 'localhost', authorization: `Bearer ${key}` };
      return handler(new Request('http://localhost/api/x', { headers, signal }), { params: Promise.resolve({}) });
    };
    const [first, second] = [new AbortController(), new AbortController()];
    key = await newKey('Streams');
    expect((await follow(first.signal, false)).status).toBe(200);
    const open = await follow(first.signal);
    expect([open.status, (await follow(second.signal)).status]).toEqual([200, 200]);
    key = await newKey('More streams');
    const refused = await follow(first.signal);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(begun).toBe(3);
    await open.body!.cancel();
    expect((await follow(first.signal)).status).toBe(200);
    second.abort();
    expect((await follow(first.signal)).status).toBe(200);
  });
});
