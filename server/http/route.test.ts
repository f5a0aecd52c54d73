import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  ConflictError,
  ContextOverflowError,
  InvalidInputError,
  NotFoundError,
  ProviderError,
} from '#server/core/errors';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { logIds } from '#server/platform/telemetry/log-ids';
import { GET as exportSession } from '#app/api/sessions/[id]/export/route';
import { GET as readSession } from '#app/api/sessions/[id]/route';
import { GET as exportSite } from '#app/api/content/export/route';
import { GET as exportStatic } from '#app/api/content/site-files/route';
import { GET as exportMessages } from '#app/api/submissions/export/route';
import { POST as testMail } from '#app/api/settings/mail/test/route';
import { POST as testProvider } from '#app/api/settings/providers/[id]/test/route';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { routeOf } from '#server/http/request-log';
import { type Handler, route, type RouteSpec } from '#server/http/route';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** A client may send anything. */
interface AnythingSent {
  params: undefined;
  query: unknown;
  body: unknown;
}

async function call<B, Query = undefined>(
  spec: Partial<RouteSpec<undefined, Query, B, typeof jsonValueSchema, AnythingSent>>,
  handle: (body: B) => JsonValue | Promise<JsonValue>,
  init: RequestInit & { host?: string; url?: string } = {},
) {
  const { host = 'localhost', url = 'http://localhost/api/x', ...rest } = init;
  const request = new Request(url, { method: 'POST', ...rest, headers: { host } });
  const handler = route<typeof jsonValueSchema, undefined, Query, B, undefined, unknown, unknown>(
    { summary: 'Says something', answer: jsonValueSchema, access: 'chat', ...spec },
    async ({ body }) => handle(body),
  );
  const response = await handler(request, { params: Promise.resolve({}) });
  return { status: response.status, body: (await response.json()) as unknown };
}

describe('a route', () => {
  beforeAll(() => {
    globals.throughlineServices = startTestServices();
  });
  afterAll(async () => {
    await (await globals.throughlineServices)?.[Symbol.asyncDispose]();
    delete globals.throughlineServices;
  });

  const named = z.strictObject({ name: z.string().min(2) });

  it('logs a stream that breaks off, and failures while it is read, with its request id', async () => {
    const { log } = (await globals.throughlineServices)!;
    const seen: unknown[] = [];
    const spy = vi.spyOn(log, 'error').mockImplementation((_: unknown, message?: string) => {
      seen.push([message, logIds().requestId]);
    });
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          if (pulled > 2) throw new Error('The store is gone.');
          if (pulled === 2) log.error({}, 'something failed');
          controller.enqueue(new Uint8Array([pulled]));
        },
      },
      { highWaterMark: 0 },
    );
    const spec = { summary: 'Streams', answer: z.json(), access: 'public' } as const;
    const handler = route(spec, () => Promise.resolve(new Response(stream)));
    const request = new Request('http://localhost/api/x', { headers: { 'x-request-id': 'mine-7' } });
    const response = await handler(request, { params: Promise.resolve({}) });
    expect(response.headers.get('x-request-id')).toBe('mine-7');
    await expect(response.text()).rejects.toThrow('The store is gone.');
    expect(seen).toEqual([
      ['something failed', 'mine-7'],
      ['stream broke off', 'mine-7'],
    ]);
    spy.mockRestore();
  });

  it('logs nothing for a stream that its reader cancelled', async () => {
    const { log } = (await globals.throughlineServices)!;
    const spy = vi.spyOn(log, 'error').mockImplementation(() => undefined);
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise<void>(() => undefined) });
    const spec = { summary: 'Streams', answer: z.json(), access: 'public' } as const;
    const handler = route(spec, () => Promise.resolve(new Response(silent)));
    const response = await handler(new Request('http://localhost/api/x'), { params: Promise.resolve({}) });
    const reader = response.body!.getReader();
    const next = reader.read();
    await new Promise(setImmediate);
    await reader.cancel();
    expect((await next).done).toBe(true);
    await new Promise(setImmediate);
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  });

  it('names problem and place of every invalid request, also for the whole body', async () => {
    const broken = await call({ body: named }, () => null, { body: '[' });
    expect(broken.body).toMatchObject({
      error: { details: { issues: [{ path: '', message: 'The body is not valid JSON.' }] } },
    });
    const limited = await call({}, () => {
      throw new InvalidInputError('Too many.', { details: { limit: 3 } });
    });
    expect(limited.body).toMatchObject({
      error: { details: { issues: [{ path: '', message: 'Too many.' }], limit: 3 } },
    });
  });

  it('names few of very many mistakes, briefly', async () => {
    const long = { ['x'.repeat(5_000)]: 1 };
    const many = z.array(z.strictObject({}));
    const answer = await call({ body: many }, () => null, {
      body: JSON.stringify(Array.from({ length: 100 }, () => long)),
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000);
  });

  it.each([
    [new NotFoundError('page', 'pag_1'), 404],
    [new ConflictError('Busy.'), 409],
    [new ContextOverflowError('Too long.'), 422],
    [new ProviderError('Down.', { retryable: true }), 502],
  ])('answers %s with %i, its code and words', async (error, status) => {
    const answer = await call({}, () => {
      throw error;
    });
    expect(answer).toMatchObject({ status, body: { error: { code: error.code, message: error.message } } });
  });

  it('records who reads the conversation of another person, once an hour, and every export', async () => {
    const { sessions, audit } = (await globals.throughlineServices)!;
    const others = await sessions.create({ ownerId: 'usr_01kas8yx3b5d7f9h1k3m5p7q9s', title: 'Of somebody else' });
    const own = await sessions.create({ ownerId: LOCAL_OWNER, title: 'My own' });
    const read = async (id: string, get: Handler, path = '') => {
      const request = new Request(`http://localhost/api/sessions/${id}${path}`, { headers: { host: 'localhost' } });
      const response = await get(request, { params: Promise.resolve({ id }) });
      expect(response.status, await response.text()).toBe(200);
    };
    for (const { id } of [others, own, others]) await read(id, readSession);
    await read(others.id, exportSession, '/export');
    const listed = async (action: 'session-read' | 'session-exported') =>
      (await audit.list({ action })).items.map(({ target, details }) => [target, details?.['ownerId']]);
    expect(await listed('session-read')).toEqual([['Of somebody else', others.ownerId]]);
    expect(await listed('session-exported')).toEqual([['Of somebody else', others.ownerId]]);
  });

  it('records exports of the site and of messages, and tests of mail and of providers', async () => {
    const services = (await globals.throughlineServices)!;
    const { audit } = services;
    // Its pages are rendered by a running server.
    const rendered = { address: '', pages: 1, problems: [], notes: [], files: () => Readable.from([]).iterator() };
    const staticSite = vi.spyOn(services, 'staticSite').mockResolvedValue(rendered as never);
    const send = async (handler: Handler, path: string, body?: object, params: Record<string, string> = {}) => {
      const headers = { host: 'localhost', origin: 'http://localhost', 'content-type': 'application/json' };
      const request = new Request(`http://localhost${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const response = await handler(request, { params: Promise.resolve(params) });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await send(exportSite, '/api/content/export')).toBe(200);
    expect(await send(exportStatic, '/api/content/site-files?url=https://kiln.example')).toBe(200);
    expect(await send(exportStatic, '/api/content/site-files?url=https://kiln.example&check=1')).toBe(200);
    expect(await send(exportMessages, '/api/submissions/export')).toBe(200);
    await send(testMail, '/api/settings/mail/test', { email: 'ada@kiln.example' });
    await send(testProvider, '/api/settings/providers/openai/test', {}, { id: 'openai' });
    const { items } = await audit.list({});
    const recorded = items.map(({ action, target, details }) => [action, target, details?.['format']]);
    staticSite.mockRestore();
    const { siteName } = await services.builtIn.content.settings();
    expect(recorded).toEqual(
      expect.arrayContaining([
        ['site-exported', siteName, 'json'],
        ['site-exported', siteName, 'zip'],
        ['submissions-exported', null, undefined],
        ['mail-tested', 'ada@kiln.example', undefined],
        ['provider-tested', 'openai', undefined],
      ]),
    );
    // A check of the export sends nothing.
    expect(recorded.filter(([action]) => action === 'site-exported')).toHaveLength(2);
  });

  it('hides the details of an internal error', async () => {
    const answer = await call({}, () => {
      throw new Error('password is hunter2');
    });
    expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });
});

it.each([
  ['/api/sessions', {}, '/api/sessions'],
  ['/api/sessions/ses_1/events', { id: 'ses_1' }, '/api/sessions/[id]/events'],
  // The number of names equals the number of routes, for any address.
  ['/api/sessions/%C3%A9%2f%3Cb%3E', { id: 'é/<b>' }, '/api/sessions/[id]'],
  ['/api/sessions/%C3%A9', { id: '%C3%A9' }, '/api/sessions/[id]'],
  ['/api/sessions/%zz', { id: '%zz' }, '/api/sessions/[id]'],
  ['/api/content/posts/posts/publish', { type: 'posts', ref: 'posts' }, '/api/content/[type]/[ref]/publish'],
  ['/api/sessions/s', { id: 's' }, '/api/sessions/[id]'],
  ['/v1/models/throughline/offline', { id: ['throughline', 'offline'] }, '/v1/models/[id]'],
  ['/v1', { path: undefined }, '/v1'],
])('names the route of %s', (path, params, name) => {
  expect(routeOf(`http://localhost${path}`, params)).toBe(name);
});
