import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Entry } from '#server/core/site/content';
import type { ImportRun } from '#server/core/site/imports';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

let server: ProductionServer;

beforeAll(async () => {
  server = await startProductionServer();
});
afterAll(() => server.stop());

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${server.url}${path}`);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

/** Imports a file and waits for its end. */
async function importFile(file: string): Promise<ImportRun> {
  const path = `/api/content/imports?filename=${encodeURIComponent(basename(file))}&settings=1`;
  const body = readFileSync(file);
  const { id } = (await (await fetch(`${server.url}${path}`, { method: 'POST', body })).json()) as ImportRun;
  await expect.poll(async () => (await get<ImportRun>(`/api/content/imports/${id}`)).status).not.toBe('running');
  return get<ImportRun>(`/api/content/imports/${id}`);
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly path: string }[];
}

/** Every page and post with what visitors see of it, and its draft. */
async function allEntries() {
  const lists = await Promise.all(
    (['pages', 'posts'] as const).map(async (collection) => {
      const { items } = await get<Listed>(`/api/content/${collection}?limit=100&state=draft`);
      return Promise.all(
        items.map(async ({ id, path }) => ({ path, entry: await get<Entry>(`/api/content/${collection}/${id}`) })),
      );
    }),
  );
  return lists.flat();
}

const unescaped = (html: string) =>
  html
    .replaceAll('<!-- -->', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

/** Three consecutive words of a section, if it has any; the page must contain them. */
function aPhraseOf(sections: Entry['draft']['sections']): string {
  const said = sections
    .flatMap(({ fields }) => [fields['html'], fields['body']])
    .map((text) => (typeof text === 'string' ? text.replace(/<[^>]*>|&[a-z]+;/g, '|') : ''));
  return /[A-Za-z]{4,} [A-Za-z]{2,} [A-Za-z]{2,}/.exec(said.join('|'))?.[0] ?? '';
}

/** What a page of the site may not contain between its head and its foot, for any author. */
const UNSAFE =
  /<(script|iframe|object|embed|style|link|meta|base)\b|<[^>]*\s(on[a-z]+|srcdoc|formaction)\s*=|(href|src)="\s*(javascript|vbscript|data:text)/i;

/** What is wrong with a displayed entry: on the site, or in the preview if it is not published. */
async function faultOf(path: string, { draft, published }: Entry): Promise<string[]> {
  const root = published === null ? '/preview' : '/site';
  const { title, sections } = published ?? draft;
  const response = await fetch(`${server.url}${path === '/' ? root : `${root}${path}`}`);
  const html = await response.text();
  const main = /<main id="content">(.*)<\/main>/s.exec(html)?.[1] ?? '';
  const shown = unescaped(main);
  if (response.status !== 200) return [`${path}: ${response.status}`];
  if (!shown.includes(title)) return [`${path}: without its title`];
  if (!shown.includes(aPhraseOf(sections))) return [`${path}: without "${aPhraseOf(sections)}"`];
  return UNSAFE.test(main) ? [`${path}: ${UNSAFE.exec(main)?.[0] ?? ''}`] : [];
}

it('every imported page and post is displayed, on the site or as a draft in the preview', async () => {
  const { status, error, report } = await importFile('tests/fixtures/wxr/odd-site.xml');
  expect({ status, error }).toEqual({ status: 'complete', error: null });
  const taken = report.counts.page.created + report.counts.post.created;
  const entries = await allEntries();
  expect(entries.length).toBeGreaterThanOrEqual(taken);
  expect(new Set(entries.map(({ entry }) => entry.published === null))).toEqual(new Set([true, false]));
  const faults: string[] = [];
  for (const { path, entry } of entries) faults.push(...(await faultOf(path, entry)));
  expect(faults).toEqual([]);
  for (const path of ['/site', '/site/blog', '/site/sitemap.xml']) {
    expect((await fetch(`${server.url}${path}`)).status, path).toBe(200);
  }
});
