import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { undoOutcomeSchema } from '#server/core/content';
import { importListSchema, importRunSchema } from '#server/core/imports';
import { entryListSchema } from '#server/core/site-lists';
import { siteDocumentSchema } from '#server/export/site-document';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

const routes = import.meta.glob<Record<string, Handler>>('/app/api/content/**/route.ts', { eager: true });
const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };
const odd = readFileSync('tests/fixtures/wxr/odd-site.xml', 'utf8').replaceAll('{{FUTURE}}', '2020-12-01 08:00:00');

let services: Services;

beforeAll(async () => {
  services = await startTestServices();
  container.throughlineServices = Promise.resolve(services);
});
afterAll(async () => {
  delete container.throughlineServices;
  await services[Symbol.asyncDispose]();
});

async function call(method: string, route: string, { params = {}, query = '', body = '' } = {}): Promise<Response> {
  const handler = routes[`/app/api/content/${route}/route.ts`]?.[method];
  if (!handler) throw new Error(`There is no ${method} ${route}.`);
  const request = new Request(`http://localhost/api/content/${route}${query}`, {
    method,
    headers: { host: 'localhost' },
    ...(body !== '' && { body }),
  });
  return handler(request, { params: Promise.resolve(params) });
}

async function answer<T>(schema: z.ZodType<T>, status: number, ...request: Parameters<typeof call>): Promise<T> {
  const response = await call(...request);
  const text = await response.text();
  expect(response.status, text.slice(0, 300)).toBe(status);
  return schema.parse(JSON.parse(text));
}

describe('imports over REST', () => {
  it('are rehearsed, begun, followed, listed, undone; the site is exported', async () => {
    const query = '?filename=old-site.xml';
    const rehearsed = await answer(importRunSchema, 200, 'POST', 'imports', { query: `${query}&dryRun=1`, body: odd });
    expect(rehearsed.report.counts.page.created).toBe(5);
    expect(await answer(importListSchema, 200, 'GET', 'imports')).toEqual({ items: [] });

    const { id, status } = await answer(importRunSchema, 202, 'POST', 'imports', { query, body: odd });
    expect(status).toBe('running');
    const params = { id };
    const run = () => answer(importRunSchema, 200, 'GET', 'imports/[id]', { params });
    await expect.poll(async () => (await run()).status).toBe('complete');
    const { report, done, total } = await run();
    expect({ report, done }).toEqual({ report: rehearsed.report, done: total });
    expect((await answer(importRunSchema, 200, 'POST', 'imports/[id]/cancel', { params })).status).toBe('complete');
    expect((await answer(importListSchema, 200, 'GET', 'imports')).items).toMatchObject([{ id, done: total }]);
    const pages = await answer(entryListSchema, 200, 'GET', '[collection]', { params: { collection: 'pages' } });
    expect(pages.total).toBe(5);

    const file = await call('GET', 'export', { query: '?media=1&trashed=1' });
    expect(file.headers.get('content-disposition')).toContain('.json"');
    const site = siteDocumentSchema.parse(await file.json());
    expect([site.entries.length, site.trashed]).toEqual([15, []]);

    const { undone, conflicts } = await answer(undoOutcomeSchema, 200, 'POST', 'imports/[id]/undo', { params });
    expect([undone.length > 25, conflicts]).toEqual([true, []]);
    const after = await call('GET', 'export', { query: '?trashed=1' });
    expect(siteDocumentSchema.parse(await after.json())).toMatchObject({ entries: [], navigation: [] });
  });

  it('that died with their process keep nobody from another site', async () => {
    const settle = vi.spyOn(services.imports, 'settle');
    const [activate] = Object.values(
      import.meta.glob<Record<string, Handler>>('/app/api/settings/sites/active/route.ts', { eager: true }),
    );
    const request = new Request('http://localhost/api/settings/sites/active', {
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      body: JSON.stringify({ siteId: 'embedded' }),
    });
    expect((await activate?.['POST']?.(request, { params: Promise.resolve({}) }))?.status).toBe(200);
    expect(settle).toHaveBeenCalledOnce();
  });

  it.each([
    ['a file that is neither', 'Words', 400, /neither/],
    ['XML that is broken', odd.replace('</wp:post_name>', ''), 400, /line \d+/],
    ['no file at all', '', 400, /empty/],
  ])('refuses %s', async (_what, body, status, message) => {
    const response = await call('POST', 'imports', { body });
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(message);
  });
});
