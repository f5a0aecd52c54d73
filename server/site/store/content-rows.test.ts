import { describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import type { Entry } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { createContentRepository } from '#server/site/store/content-repository';
import type { EntryListQuery } from '#server/site/embedded/content-store';
import { createTestDatabase } from '#tests/support/test-database';
import { testEntry } from '#tests/support/test-entry';

const base: EntryListQuery = {
  type: 'page',
  state: 'draft',
  words: [],
  textWords: [],
  sort: 'updated',
  order: 'desc',
  select: [],
  limit: 2,
};

function entry(n: number, changes: Omit<Partial<Entry>, 'draft'> = {}, document: Partial<Entry['draft']> = {}): Entry {
  const draft = { title: `Page ${n}`, slug: `page-${n}`, ...document };
  return testEntry(`pag_${n}`, draft, { createdAt: n, updatedAt: 100, ...changes });
}

type Repository = ReturnType<typeof createContentRepository>;

async function withEntries(entries: readonly Entry[], test: (content: Repository) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const content = createContentRepository(db);
  await content.write(async (tx) => {
    for (const one of entries) await tx.saveEntry(one);
  });
  await test(content);
}

/** Titles of every page of a list, and how many pages there were. */
async function titles(content: Repository, query: Partial<EntryListQuery>) {
  const found: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
    const page: Awaited<ReturnType<Repository['listEntries']>> = await content.listEntries({
      ...base,
      ...query,
      cursor,
    });
    found.push(...page.items.map(({ title }) => title));
    cursor = page.nextCursor;
  }
  return { found, pages };
}

describe('listEntries', () => {
  it('goes through ties once, forwards and backwards', () =>
    withEntries(
      [1, 2, 3, 4, 5].map((n) => entry(n)),
      async (content) => {
        const down = await titles(content, {});
        expect(down).toEqual({ found: ['Page 5', 'Page 4', 'Page 3', 'Page 2', 'Page 1'], pages: 3 });
        expect((await titles(content, { order: 'asc', sort: 'title' })).found).toEqual(down.found.toReversed());
        expect((await content.listEntries(base)).total).toBe(5);
      },
    ));

  it('sorts titles ignoring case, and unpublished entries after published ones', () =>
    withEntries(
      [
        entry(1, { publishedAt: 5, published: { title: 'Old b', slug: 'b', sections: [] } }, { title: 'b' }),
        entry(2, {}, { title: 'C' }),
        entry(3, { publishedAt: 4, published: { title: 'Old a', slug: 'a', sections: [] } }, { title: 'A' }),
      ],
      async (content) => {
        expect((await titles(content, { sort: 'title', order: 'asc' })).found).toEqual(['A', 'b', 'C']);
        expect((await titles(content, { sort: 'published', order: 'asc' })).found).toEqual(['A', 'b', 'C']);
        const published = { state: 'published', sort: 'title', order: 'asc' } as const;
        expect((await titles(content, published)).found).toEqual(['Old a', 'Old b']);
      },
    ));

  it('sorts published entries by their last public change, ignoring drafts', () => {
    const shown = (n: number, title: string, updatedAt: number, edited = title) =>
      entry(n, { published: { title, slug: `page-${n}`, sections: [] }, publishedAt: n, updatedAt }, { title: edited });
    return withEntries([shown(1, 'A', 10), shown(2, 'B', 20), shown(3, 'C', 30), entry(4)], async (content) => {
      const listed = async () => {
        const { items } = await content.listEntries({ ...base, state: 'published', limit: 10 });
        return items.map(({ title, updatedAt }) => [title, updatedAt]);
      };
      const save = (changed: Entry) => content.write((tx) => tx.saveEntry(changed));
      expect(await listed()).toEqual([['C', 30], ['B', 20], ['A', 10]]); // oxfmt-ignore
      await save(shown(1, 'A', 40, 'A draft'));
      expect(await listed()).toEqual([['C', 30], ['B', 20], ['A', 10]]); // oxfmt-ignore
      await save(shown(2, 'B!', 50));
      expect(await listed()).toEqual([['B!', 50], ['C', 30], ['A', 10]]); // oxfmt-ignore
      await save(entry(3, { updatedAt: 60 }));
      expect(await listed()).toEqual([['B!', 50], ['A', 10]]); // oxfmt-ignore
      await save(shown(3, 'C', 70));
      expect((await titles(content, { state: 'published' })).found).toEqual(['C', 'B!', 'A']);
    });
  });

  it('finds by the page above, by words, by tag and in the trash', () =>
    withEntries(
      [
        entry(1, {}, { title: 'About us', excerpt: 'Potters since 1988' }),
        entry(2, {}, { parent: 'pag_1', tags: ['Clay'] }),
        entry(3, { deletedAt: 7 }),
      ],
      async (content) => {
        expect((await titles(content, { parent: 'pag_1' })).found).toEqual(['Page 2']);
        expect((await titles(content, { parent: null })).found).toEqual(['About us']);
        expect((await titles(content, { words: ['ABOUT', 'potters'] })).found).toEqual(['About us']);
        expect((await titles(content, { words: ['about', 'glaze'] })).found).toEqual([]);
        expect((await titles(content, { tag: 'clay' })).found).toEqual(['Page 2']);
        expect((await titles(content, { state: 'trashed', type: undefined })).found).toEqual(['Page 3']);
        const { items } = await content.listEntries({ ...base, parent: 'pag_1', select: ['tags', 'seo'] });
        expect(items[0]).toMatchObject({ parent: 'pag_1', selected: { tags: ['Clay'] } });
      },
    ));

  it('counts no page that visitors need a password for, neither above nor below published pages', () => {
    const shown = (n: number, { marks, parent }: { marks?: Entry['marks']; parent?: string } = {}) => {
      const document = { title: `Page ${n}`, slug: `page-${n}`, ...(parent !== undefined && { parent }) };
      const published = { ...document, sections: [] };
      return entry(n, { published, publishedAt: n, ...(marks && { marks }) }, document);
    };
    const all = [
      shown(1, { marks: ['password'] }),
      shown(2, { parent: 'pag_1' }),
      shown(3, { parent: 'pag_2', marks: ['password'] }),
      shown(4, { parent: 'pag_2' }),
    ];
    return withEntries(all, async (content) => {
      const { items } = await content.listEntries({ ...base, state: 'published', parent: null });
      expect(items).toMatchObject([{ title: 'Page 2', childCount: 1 }]);
      const drafts = await content.listEntries({ ...base, parent: null });
      expect(drafts.items).toMatchObject([{ title: 'Page 1', childCount: 1 }]);
    });
  });

  it('refuses the cursor of another order', () =>
    withEntries([entry(1), entry(2), entry(3)], async (content) => {
      const { nextCursor } = await content.listEntries(base);
      const other = content.listEntries({ ...base, sort: 'title', cursor: nextCursor ?? '' });
      await expect(other).rejects.toThrow(InvalidInputError);
    }));

  it.each([
    ['updated_at', 'entries_type_updated'],
    ['created_at', 'entries_type_created'],
    ['case when published_at is null then 8640000000000000 else published_at end', 'entries_type_published'],
    ['title collate nocase', 'entries_type_title'],
    ['published_title collate nocase', 'entries_type_published_title'],
  ])('has an index for the order by %s', async (key, index) => {
    await using db = await createTestDatabase();
    const plan = await db.read.all<{ detail: string }>(
      sql.raw(`explain query plan select id from entries where deleted_at is null and site_id = 'embedded' and type = 'page'
        and (${key}, id) < (1, 'x') order by ${key} desc, id desc limit 3`),
    );
    expect(plan.map(({ detail }) => detail).join('; ')).toContain(index);
    expect(plan.map(({ detail }) => detail).join('; ')).not.toContain('TEMP B-TREE');
  });
});
