import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { BodyMemory } from '#server/core/body-memory';
import { CLIENT_HEADER } from '#server/platform/auth/trusted-headers';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { localOwner } from '#server/platform/auth/authenticator';
import { content } from '#server/http/schemas/route-answer';
import { type RouteSpec, route } from '#server/http/route';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';
import { createTestDatabase } from '#tests/support/test-database';
import { colouredPicture } from '#tests/support/pictures';
import { createContentRepository } from '#server/site/store/content-repository';

// oxlint-disable-next-line no-restricted-imports -- routes have no subpath
const { POST: chat } = await import('../../app/api/chat/route');
// oxlint-disable-next-line no-restricted-imports -- routes have no subpath
const { POST: queue } = await import('../../app/api/message/queue/route');
// oxlint-disable-next-line no-restricted-imports -- routes have no subpath
const { POST: compact } = await import('../../app/api/sessions/[id]/compact/route');
// oxlint-disable-next-line no-restricted-imports -- routes have no subpath
const { POST: prepare } = await import('../../app/api/sessions/[id]/prepare/route');
// oxlint-disable-next-line no-restricted-imports -- routes have no subpath
const { GET: servePicture } = await import('../../app/media/[id]/[filename]/route');

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

let services: Services;
let key: string;

async function call(spec: Pick<RouteSpec<undefined, undefined, unknown>, 'access' | 'startsTurn'>, body = '{}') {
  const handler = route({ summary: 'Says something', answer: z.json(), body: z.unknown(), ...spec }, async () => 'hi');
  const headers = { host: 'localhost', authorization: `Bearer ${key}` };
  const request = new Request('http://localhost/api/x', { method: 'POST', headers, body });
  return handler(request, { params: Promise.resolve({}) });
}

async function newKey(name: string): Promise<string> {
  return (await services.keys.create(localOwner, { name, scopes: ['chat'], expiresAt: null })).key;
}

describe('the limits of a route', () => {
  beforeAll(async () => {
    globals.throughlineServices = startTestServices({
      REQUESTS_PER_MINUTE: '4',
      TURNS_PER_MINUTE: '2',
      OPEN_STREAMS: '2',
    });
    services = await globals.throughlineServices;
  });
  afterAll(async () => {
    await services[Symbol.asyncDispose]();
    delete globals.throughlineServices;
  });

  it('are checked before the body, also for refused requests, and return Retry-After', async () => {
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

  it('let an address send ten concurrent bodies to public routes, and no more until one arrived', async () => {
    const handler = route(
      { summary: 'Takes', answer: z.json(), body: z.unknown(), access: 'public' },
      async () => 'hi',
    );
    const begin = (address: string, length?: string) => {
      let controller!: ReadableStreamDefaultController<Uint8Array>;
      const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
      const headers = { host: 'localhost', [CLIENT_HEADER]: address, ...(length && { 'content-length': length }) };
      const request = new Request('http://localhost/api/x', { method: 'POST', headers, body, duplex: 'half' } as never);
      const answer = handler(request, { params: Promise.resolve({}) });
      const end = async () => {
        controller.enqueue(new TextEncoder().encode('{}'));
        controller.close();
        return (await answer).status;
      };
      return { answer, end };
    };
    const slow = Array.from({ length: 10 }, () => begin('2001:db8::1'));
    // The same /64 network.
    const refused = await begin('2001:db8::2').answer;
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(await begin('2001:db8:0:1::1').end()).toBe(200);
    expect(await slow[0]!.end()).toBe(200);
    expect(await begin('2001:db8::2').end()).toBe(200);
    expect((await begin('198.51.100.7', '16001').answer).status).toBe(413);
    for (const each of slow.slice(1)) expect(await each.end()).toBe(200);
  });

  it('count the bodies of all keys of a user together', async () => {
    const owners = new Set<string>();
    const { bodies } = services.limits;
    const open = vi.spyOn(bodies, 'open').mockImplementation((sender) => {
      owners.add(sender);
      return new BodyMemory().open(sender);
    });
    try {
      for (const name of ['First', 'Second']) {
        key = await newKey(name);
        expect((await call({ access: 'chat' })).status).toBe(200);
      }
      expect([...owners]).toEqual([LOCAL_OWNER]);
    } finally {
      open.mockRestore();
    }
  });

  it('count turns by themselves', async () => {
    key = await newKey('Turns');
    const starts = { access: 'chat', startsTurn: true } as const;
    const statuses = [(await call(starts)).status, (await call(starts)).status, (await call(starts)).status];
    expect(statuses).toEqual([200, 200, 429]);
    expect((await call({ access: 'chat' })).status).toBe(200);
  });

  it('leave a person’s routes to persons', async () => {
    const { key: almighty } = await services.keys.create(localOwner, {
      name: 'All',
      scopes: ['admin'],
      expiresAt: null,
    });
    key = almighty;
    expect((await call({ access: 'person' })).status).toBe(403);
    expect((await call({ access: 'signed-in' })).status).toBe(200);
    key = 'no key of ours';
    expect((await call({ access: 'person' })).status).toBe(200);
  });

  it('count messages, summaries and prepared conversations as turns', async () => {
    for (const start of [chat, queue, compact, prepare]) {
      key = await newKey('Summaries');
      const statuses: number[] = [];
      for (let times = 0; times < 3; times += 1) {
        const headers = { host: 'localhost', authorization: `Bearer ${key}` };
        const body = JSON.stringify({ messages: [] });
        const request = new Request('http://localhost/api/x', { method: 'POST', headers, body });
        statuses.push((await start(request, { params: Promise.resolve({ id: 'ses_none' }) })).status);
      }
      expect(statuses.map((status) => status === 429)).toEqual([false, false, true]);
    }
  });

  it('release the place of an event stream that was requested with HEAD', async () => {
    key = await newKey('Heads');
    let released = 0;
    const handler = route(
      { summary: 'Follows', answer: { 200: content('text/event-stream', 'Events.') }, access: 'chat' },
      async () =>
        new Response(new ReadableStream({ cancel: () => void (released += 1) }), {
          headers: { 'content-type': 'text/event-stream' },
        }),
    );
    const headers = { host: 'localhost', authorization: `Bearer ${key}` };
    for (let asked = 1; asked <= 3; asked += 1) {
      const request = new Request('http://localhost/api/x', { method: 'HEAD', headers });
      const { status, body, headers: told } = await handler(request, { params: Promise.resolve({}) });
      expect([status, body, told.get('content-type'), released]).toEqual([200, null, 'text/event-stream', asked]);
    }
  });

  it('count the event streams that all keys of a person have open, before anything is begun', async () => {
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
    key = await newKey('Another program of the same person');
    expect((await follow(first.signal, false)).status).toBe(200);
    expect([(await follow(first.signal)).status, (await follow(second.signal)).status]).toEqual([200, 200]);
    second.abort();
    const open = await follow(first.signal);
    expect(open.status).toBe(200);
    key = await newKey('Streams');
    const refused = await follow(first.signal);
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { error: { message: string } }).error.message).toMatch(/event streams are open/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(begun).toBe(4);
    await open.body!.cancel();
    expect((await follow(first.signal)).status).toBe(200);
  });
});

it('requests for pictures do not read the site each time, and wrong names never do', async () => {
  const files = await createTestDatabase();
  const store = createContentRepository(files);
  let sitesRead = 0;
  const entries: typeof store.entries = (...given) => {
    sitesRead += 1;
    return store.entries(...given);
  };
  globals.throughlineServices = startTestServices({}, { contentStore: { ...store, entries } });
  const {
    builtIn: { content: site },
    [Symbol.asyncDispose]: dispose,
  } = await globals.throughlineServices;
  try {
    const origin = { actor: 'user' } as const;
    const { asset } = await site.assets.add({ data: await colouredPicture('#b5651d'), filename: 'kiln.png' }, origin);
    await site.updateSettings({ footerText: asset.url }, origin);
    const ask = async (filename: string) => {
      const request = new Request(`http://localhost/media/${asset.id}/${filename}`, { headers: { host: 'localhost' } });
      return (await servePicture(request, { params: Promise.resolve({ id: asset.id, filename }) })).status;
    };
    sitesRead = 0;
    expect([await ask('other.png'), await ask('other.png'), sitesRead]).toEqual([404, 404, 0]);
    expect([await ask('kiln.png'), await ask('kiln.png'), sitesRead]).toEqual([200, 200, 1]);
  } finally {
    await dispose();
    await files.close();
    delete globals.throughlineServices;
  }
});
