import { readFileSync } from 'node:fs';
import { eq, sql } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { EntryType } from '#server/core/site/content';
import { foldText } from '#server/core/fold-text';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { fillFoldedTexts } from '#server/site/store/folded-texts';
import { assets, entries, redirects } from '#server/platform/database/schema/content';
import { colouredPicture } from '#tests/support/pictures';
import { itWithDatabase as it } from '#tests/support/test-database';
import { equalNames } from '#server/site/store/equal-names';

const by = { actor: 'user' } as const;
const siteOf = (db: Database) =>
  new EmbeddedSite(createContentRepository(db), {
    preparePicture,
    fetchPicture: () => Promise.reject(new Error('No picture was asked for.')),
  });

interface Case {
  readonly create: { readonly title: string; readonly slug?: string; readonly tags?: readonly string[] };
  readonly get: string;
}

const cases = JSON.parse(readFileSync('tests/fixtures/search-case.json', 'utf8')) as readonly Case[];
const variations: readonly Case[] = [
  { create: { title: 'Cafe\u0301 am See' }, get: '/api/content/pages?text=CAFÉ' },
  { create: { title: 'Straße' }, get: '/api/content/pages?text=STRASSE' },
  { create: { title: 'ΟΔΟΣ' }, get: '/api/content/pages?text=οδος' },
  { create: { title: 'Ｆｕｌｌ width' }, get: '/api/content/pages?text=full' },
  { create: { title: 'École', tags: ['E\u0301COLE'] }, get: '/api/content/posts?tag=école' },
  { create: { title: 'Новости', tags: ['Новости'] }, get: '/api/content/posts?tag=НОВОСТИ' },
];

/** The list that a route reads with these parameters. */
async function ask(db: Database, address: string) {
  const { pathname, searchParams } = new URL(address, 'http://site.test');
  const type: EntryType = pathname.endsWith('/posts') ? 'post' : 'page';
  const [text, tag] = [searchParams.get('text') ?? undefined, searchParams.get('tag') ?? undefined];
  return (await siteOf(db).query({ type, text, tag })).items.map(({ title }) => title);
}

async function create(db: Database, { create: { title, slug, tags }, get }: Case) {
  const type: EntryType = get.includes('/posts') ? 'post' : 'page';
  await siteOf(db).create({ type, title, ...(slug && { slug }), ...(tags && { tags: [...tags] }) }, by);
}

describe('a search without regard to case', () => {
  it.for([...cases, ...variations])('finds $create.title by $get', async (each, { db }) => {
    await create(db, each);
    expect(await ask(db, each.get)).toEqual([each.create.title]);
  });

  it('distinguishes accents and other words', async ({ db }) => {
    await create(db, { create: { title: 'Übung', tags: ['Übungen'] }, get: '/posts' });
    expect(await ask(db, '/api/content/posts?text=ubung')).toEqual([]);
    expect(await ask(db, '/api/content/posts?tag=übung')).toEqual([]);
    expect(await ask(db, '/api/content/posts?text=übungen')).toEqual([]);
  });

  it('finds published text by its words', async ({ db }) => {
    const site = siteOf(db);
    const { entry } = await site.create({ type: 'page', title: 'ÄLTER' }, by);
    await site.publish(entry.id, by);
    await site.patch(entry.id, [{ op: 'set', field: 'title', value: 'Neuer' }], by);
    expect((await site.query({ state: 'published', text: 'älter' })).total).toBe(1);
    expect((await site.query({ text: 'älter' })).total).toBe(0);
    expect((await site.query({ text: 'NEUER' })).total).toBe(1);
  });

  it('finds pictures, and counts spellings of a tag as one', async ({ db }) => {
    const site = siteOf(db);
    await site.assets.add(
      { data: await colouredPicture('#336699'), filename: 'a.png', alt: 'Grüße', tags: ['ÖL'] },
      by,
    );
    expect((await site.assets.list({ text: 'GRÜSSE' })).items).toHaveLength(1);
    expect((await site.assets.list({ tag: 'öl' })).items).toHaveLength(1);
    expect((await site.assets.list({ tag: 'ol' })).items).toHaveLength(0);
    await create(db, { create: { title: 'A', tags: ['Übungen', 'x'] }, get: '/posts' });
    await create(db, { create: { title: 'B', tags: ['übungen'] }, get: '/posts' });
    expect(await site.tags()).toEqual([
      { tag: 'Übungen', count: 2 },
      { tag: 'x', count: 1 },
    ]);
  });

  it('finds words in the texts of sections without regard to accents, and returns the place', async ({ db }) => {
    const site = siteOf(db);
    const answer = 'Yes: **Kéramik** is open.';
    const sections = [
      { type: 'text' as const, fields: { body: 'Opening hours.' } },
      { type: 'faq' as const, fields: { items: [{ question: 'May I visit?', answer }] } },
    ];
    const { entry } = await site.create({ type: 'page', title: 'Visit', author: 'Mara', sections }, by);
    await site.create({ type: 'page', title: 'Keramik', excerpt: 'A visit.' }, by);
    const search = async (query: object) =>
      (await site.query({ sort: 'title', order: 'asc', ...query })).items.map(({ title, match }) => [title, match]);
    const match = { sectionId: entry.draft.sections[1]?.id, snippet: expect.stringContaining('Kéramik') };
    const both = [['Keramik', undefined], ['Visit', match]]; // oxfmt-ignore
    expect(await search({ search: 'KERAMIK' })).toEqual(both);
    expect(await search({ search: 'keramik hours' })).toEqual([['Visit', expect.anything()]]);
    expect(await search({ search: 'body' })).toEqual([]);
    expect(await search({ search: 'visit', author: 'Mara', updatedFrom: entry.updatedAt })).toEqual([
      ['Visit', undefined],
    ]);
    // A match in the title comes before a newer one in an excerpt.
    const best = (await site.query({ search: 'visit' })).items.map(({ title }) => title);
    expect(best).toEqual(['Visit', 'Keramik']);
    expect(await search({ author: 'mara' })).toEqual([]);
    expect(await search({ search: 'visit', updatedBefore: entry.updatedAt })).toEqual([]);
    expect(await site.authors()).toEqual([{ author: 'Mara', count: 1 }]);

    // Rows of a version that did not store the texts.
    await db.write((tx) => tx.update(entries).set({ folded: sql`json_remove(folded, '$.draft.texts')` }));
    expect(await search({ search: 'Kéramik' })).toEqual([['Visit', match]]);
    expect(await fillFoldedTexts(db)).toBe(2);
    expect(await search({ search: 'keramik' })).toEqual(both);
  });

  it('equals that of filled rows of older versions, and lists keys that became equal', async ({ db }) => {
    const site = siteOf(db);
    await create(db, { create: { title: 'Öffnung', tags: ['Übungen'] }, get: '/posts' });
    await create(db, { create: { title: 'plain', tags: ['übungen', 'other'] }, get: '/posts' });
    await site.assets.add({ data: await colouredPicture('#336699'), filename: 'a.png', alt: 'Öl', tags: [] }, by);
    await db.write(async (tx) => {
      await tx.update(entries).set({ folded: null });
      await tx.update(assets).set({ folded: null });
      const [row] = await tx.select().from(entries).limit(1);
      const target = { siteId: 'embedded', targetId: row?.id ?? '', createdAt: 1 };
      await tx.insert(redirects).values([
        { ...target, fromPath: '/caf\u00e9' },
        { ...target, fromPath: '/cafe\u0301' },
      ]);
    });
    expect(await ask(db, '/api/content/posts?text=öffnung')).toEqual([]);
    // An unfilled row is found as before.
    expect(await ask(db, '/api/content/posts?text=PLAIN')).toEqual(['plain']);
    expect(await fillFoldedTexts(db)).toBe(3);
    expect(await fillFoldedTexts(db)).toBe(0);
    expect(await ask(db, '/api/content/posts?text=öffnung')).toEqual(['Öffnung']);
    expect((await site.assets.list({ text: 'öl' })).items).toHaveLength(1);
    expect(await equalNames(db.read)).toEqual(
      expect.arrayContaining([expect.arrayContaining(['Übungen', 'übungen']), expect.arrayContaining(['/caf\u00e9'])]),
    );
    expect(await equalNames(db.read)).toHaveLength(2);
    expect((await site.query({ tag: 'Übungen' })).total).toBe(2);
  });

  it('reads the row itself where an older version has written it since', async ({ db }) => {
    await create(db, { create: { title: 'Before' }, get: '/pages' });
    await db.write((tx) =>
      tx
        .update(entries)
        .set({ title: 'After', revision: sql`revision + 1` })
        .where(eq(entries.title, 'Before')),
    );
    expect(await ask(db, '/api/content/pages?text=after')).toHaveLength(1);
    expect(await ask(db, '/api/content/pages?text=before')).toHaveLength(1);
  });
});

describe('an address in composed and decomposed characters', () => {
  it('is the same address', async ({ db }) => {
    const site = siteOf(db);
    const { entry } = await site.create({ type: 'page', title: 'Here' }, by);
    await site.publish(entry.id, by);
    const target = { siteId: 'embedded', targetId: entry.id, createdAt: 1 };
    await db.write((tx) =>
      tx.insert(redirects).values([
        { ...target, fromPath: '/caf\u00e9' },
        { ...target, fromPath: '/u\u0308ber-uns' },
      ]),
    );
    for (const path of ['/caf\u00e9', '/cafe\u0301', '/\u00fcber-uns', '/u\u0308ber-uns', '/caf%C3%A9', '/cafe%CC%81'])
      expect(await site.findByPath(path, 'published'), path).toEqual({ kind: 'redirect', to: '/here' });
    await site.updateSettings({ redirects: '/Me\u0301nu /here' }, by);
    for (const path of ['/m\u00e9nu', '/ME\u0301NU'])
      expect(await site.findByPath(path, 'published'), path).toEqual({ kind: 'redirect', to: '/here' });
  });
});

describe('foldText', () => {
  it.each(['Straße', 'ΟΔΟΣ ς', 'İıI', 'É e\u0301', 'Ｆ', 'Я', 'ﬁ'])('changes nothing of a folded text: %s', (text) => {
    expect(foldText(foldText(text))).toBe(foldText(text));
  });
});
