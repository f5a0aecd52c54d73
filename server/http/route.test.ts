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
import { logIds } from '#server/observability/log';
import { openAIErrorResponse } from '#server/http/error-response';
import { route, routeOf, type RouteSpec } from '#server/http/route';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

async function call<B, Query = undefined>(
  spec: Partial<RouteSpec<undefined, Query, B, typeof jsonValueSchema>>,
  handle: (body: B) => JsonValue | Promise<JsonValue>,
  init: RequestInit & { host?: string; url?: string } = {},
) {
  const { host = 'localhost', url = 'http://localhost/api/x', ...rest } = init;
  const request = new Request(url, { method: 'POST', ...rest, headers: { host } });
  const handler = route<typeof jsonValueSchema, undefined, Query, B>(
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

  it('gives its handler the checked body and answers with JSON', async () => {
    const answer = await call({ body: named }, ({ name }) => ({ hello: name }), { body: '{"name":"Ada"}' });
    expect(answer).toEqual({ status: 200, body: { hello: 'Ada' } });
  });

  it('tells of a stream that breaks off, and of what fails while it is read, under the id of its request', async () => {
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

  it('says nothing of a stream whose reader has enough of it', async () => {
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

  it('refuses what fits no schema, says where, and does not run', async () => {
    let ran = false;
    const run = () => (ran = true);
    const answers = [
      await call({ body: named }, run, { body: '{"name":"A","more":1}' }),
      await call({ body: named }, run, {}),
      await call({ body: named }, run, { body: '[' }),
      await call({}, run, { body: '{"unexpected":1}' }),
      await call({ bodyLimit: 5, body: z.unknown() }, run, { body: '"long body"' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 413]);
    expect(answers[0]?.body).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('"name"') as string, details: { issues: [{ path: 'name' }, {}] } }, // prettier-ignore
    });
    expect(ran).toBe(false);
  });

  it('says with every wrong request what is wrong and where, also where that is the whole', async () => {
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

  it('refuses a write with a parameter that it does not take, and names those that it takes', async () => {
    const query = z.object({ dryRun: z.string().optional(), note: z.string().optional() });
    const sent = (more: object) =>
      call({ query, ...more }, () => 'done', { url: 'http://localhost/api/x?dryrun=1&secret=1' });
    expect(await sent({})).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'invalid_input',
          message: 'Invalid query, "dryrun": is not a parameter of this request, which takes dryRun, note.',
          details: { issues: [{ path: 'dryrun' }, { path: 'secret' }] },
        },
      },
    });
    expect((await sent({ query: undefined })).body).toMatchObject({
      error: { message: 'Invalid query, "dryrun": is not a parameter of this request, which takes none.' },
    });
    const ours = { url: 'http://localhost/api/x?x-site=embedded&dryRun=1' };
    expect((await call({ query }, () => 'done', ours)).status).toBe(200);
    expect((await sent({ refusal: openAIErrorResponse })).status).toBe(200);
    const read = new Request('http://localhost/api/x?_=17', { headers: { host: 'localhost' } });
    const spec = { summary: 'Reads', answer: z.json(), access: 'chat', query } as const;
    const handler = route(spec, () => Promise.resolve('read'));
    expect((await handler(read, { params: Promise.resolve({}) })).status).toBe(200);
  });

  it('tells of few of very many mistakes, in few words', async () => {
    const long = { ['x'.repeat(5_000)]: 1 };
    const many = z.array(z.strictObject({}));
    const answer = await call({ body: many }, () => null, {
      body: JSON.stringify(Array.from({ length: 100 }, () => long)),
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000);
  });

  it('is closed to others before anything is read, unless it is public', async () => {
    expect(await call({ body: named }, () => null, { host: 'site.test', body: '[' })).toMatchObject({ status: 403 });
    expect(await call({ access: 'public' }, () => 'hi', { host: 'site.test' })).toEqual({ status: 200, body: 'hi' });
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

  it('tells nobody what a fault of ours was', async () => {
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
  // Whatever is asked for, there are as many names as routes.
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
