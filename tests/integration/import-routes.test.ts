import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { undoOutcomeSchema } from '#server/core/site/changes';
import { importListSchema, importRunSchema } from '#server/core/site/imports';
import { entryListSchema } from '#server/core/site/site-lists';
import { siteDocumentSchema } from '#server/import-export/plan/export-format';
import { startTestServices } from '#tests/support/test-services';
import { answerOf, callRoute, serve, stopServing } from '#tests/support/routes';

const odd = readFileSync('tests/fixtures/wxr/odd-site.xml', 'utf8').replaceAll('{{FUTURE}}', '2020-12-01 08:00:00');

beforeAll(async () => {
  await serve(startTestServices());
});
afterAll(stopServing);

describe('imports over REST', () => {
  it('are rehearsed, begun, followed, listed, undone; the site is exported', async () => {
    const query = '?filename=old-site.xml';
    const rehearsed = await answerOf(importRunSchema, 200, 'POST', '/api/content/imports', {
      query: `${query}&dryRun=1`,
      body: odd,
    });
    expect(rehearsed.report.counts.page.created).toBe(5);
    expect(await answerOf(importListSchema, 200, 'GET', '/api/content/imports')).toEqual({ items: [] });

    const { id, status } = await answerOf(importRunSchema, 202, 'POST', '/api/content/imports', { query, body: odd });
    expect(status).toBe('running');
    const params = { id };
    const run = () => answerOf(importRunSchema, 200, 'GET', '/api/content/imports/[id]', { params });
    await expect.poll(async () => (await run()).status).toBe('complete');
    const { report, done, total } = await run();
    expect({ report, done }).toEqual({ report: rehearsed.report, done: total });
    expect((await answerOf(importRunSchema, 200, 'POST', '/api/content/imports/[id]/cancel', { params })).status).toBe(
      'complete',
    );
    expect((await answerOf(importListSchema, 200, 'GET', '/api/content/imports')).items).toMatchObject([
      { id, done: total },
    ]);
    const pages = await answerOf(entryListSchema, 200, 'GET', '/api/content/[collection]', {
      params: { collection: 'pages' },
    });
    expect(pages.total).toBe(5);

    const file = await callRoute('GET', '/api/content/export', { query: '?media=1&trashed=1' });
    expect(file.headers.get('content-disposition')).toContain('.json"');
    const site = siteDocumentSchema.parse(await file.json());
    expect([site.entries.length, site.trashed]).toEqual([15, []]);

    const { undone, conflicts } = await answerOf(undoOutcomeSchema, 200, 'POST', '/api/content/imports/[id]/undo', {
      params,
    });
    expect([undone.length > 25, conflicts]).toEqual([true, []]);
    const after = await callRoute('GET', '/api/content/export', { query: '?trashed=1' });
    expect(siteDocumentSchema.parse(await after.json())).toMatchObject({ entries: [], navigation: [] });
  });

  it.each([
    ['a file that is neither', 'Words', /neither/],
    ['XML that is broken', odd.replace('</wp:post_name>', ''), /line \d+/],
    ['no file at all', '', /empty/],
    ['an export of a later version', '{"format":"throughline-site/9"}', /another version/],
    ['half an export', '{"format":', /not valid JSON/],
    ['an archive', 'PK\u0003\u0004', /Unpack/],
  ])('refuses %s', async (_what, body, message) => {
    const response = await callRoute('POST', '/api/content/imports', { body: body || undefined });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(message);
  });
});
