import { describe, expect } from 'vitest';
import type { EntryQuery } from '#server/site/content-backend';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import { pricing, sectionId, seed, titlesOf } from '#tests/support/content-backend/material';

export function describeQueries({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: queries`, () => {
    promise('find by type, status, tag and words', ['tags', 'drafts'], async (content) => {
      for (const title of ['One', 'Two', 'Three']) {
        const { entry } = await content.create({ type: 'post', title, tags: ['Clay', title] }, seed);
        if (title !== 'Two') await content.publish(entry.id, seed);
      }
      await content.patch((await content.get('three')).id, [{ op: 'unset', field: 'tags' }], seed);
      await content.create(pricing, seed);
      const found = async (query: EntryQuery) => (await titlesOf(content, query)).toSorted();
      expect(await found({ type: 'post' })).toEqual(['One', 'Three', 'Two']);
      expect(await found({})).toEqual(['One', 'Pricing', 'Three', 'Two']);
      expect(await found({ status: 'changed' })).toEqual(['Three']);
      expect(await found({ tag: 'clay' })).toEqual(['One', 'Two']);
      expect(await found({ state: 'published', tag: 'clay' })).toEqual(['One', 'Three']);
      expect(await found({ text: 'pric' })).toEqual(['Pricing']);
      expect(await found({ state: 'trashed' })).toEqual([]);
    });

    promise('count by status what is not in the trash', [], async (content) => {
      expect(await content.statusCounts('post')).toEqual({ draft: 0, published: 0, changed: 0 });
      for (const title of ['One', 'Two', 'Three']) {
        const { entry } = await content.create({ type: 'post', title }, seed);
        if (title !== 'Two') await content.publish(entry.id, seed);
      }
      expect(await content.statusCounts('post')).toEqual({ draft: 1, published: 2, changed: 0 });
      await content.patch((await content.get('three')).id, [{ op: 'set', field: 'title', value: '3' }], seed);
      await content.trash((await content.get('two')).id, seed);
      expect(await content.statusCounts('post')).toEqual({ draft: 0, published: 1, changed: 1 });
      expect(await content.statusCounts('page')).toEqual({ draft: 0, published: 0, changed: 0 });
    });

    promise('sort, give fields along, and come in pages without gaps', [], async (content) => {
      for (const title of ['C', 'A', 'B', 'D', 'E']) await content.create({ type: 'post', title }, seed);
      expect(await titlesOf(content, { sort: 'title', order: 'asc' })).toEqual(['A', 'B', 'C', 'D', 'E']);
      expect(await titlesOf(content, { sort: 'created', order: 'asc' })).toEqual(['C', 'A', 'B', 'D', 'E']);
      const { items } = await content.query({ sort: 'title', order: 'asc', limit: 1, select: ['slug', 'sections'] });
      expect(items[0]!.selected).toEqual({ slug: 'a', sections: [] });
      const pages: string[][] = [];
      let cursor: string | null = null;
      do {
        const page = await content.query({ sort: 'title', order: 'asc', limit: 2, ...(cursor !== null && { cursor }) });
        expect(page.total).toBe(5);
        pages.push(page.items.map(({ title }) => title));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(pages).toEqual([['A', 'B'], ['C', 'D'], ['E']]);
    });

    promiseOfPage('search the words of drafts', [], async (content, page) => {
      expect(await content.search({ text: 'GLAZE' })).toMatchObject([{ id: page.id, sectionId: sectionId(page, 1) }]);
      expect(await content.search({ text: 'glaze', type: 'post' })).toEqual([]);
    });

    promiseOfPage('know pages below pages', ['hierarchy'], async (content, page) => {
      const { entry } = await content.create({ type: 'page', title: 'Team', parent: page.id }, seed);
      expect(await content.pathOf(entry, 'draft')).toBe('/pricing/team');
      expect(await titlesOf(content, { parent: page.id })).toEqual(['Team']);
      const top = { type: 'page', parent: null } as const;
      expect((await content.query(top)).items).toMatchObject([{ id: page.id, childCount: 1 }]);
      expect((await content.query({ parent: page.id })).items).toMatchObject([{ id: entry.id, childCount: 0 }]);
      const circle = content.patch(page.id, [{ op: 'set', field: 'parent', value: entry.id }], seed);
      await expect(circle).rejects.toThrow(ConflictError);
    });

    promiseOfPage('follow an address that changed', ['redirects', 'drafts'], async (content, page) => {
      await content.publish(page.id, seed);
      await content.patch(page.id, [{ op: 'set', field: 'slug', value: 'prices' }], seed);
      expect(await content.findByPath('/pricing', 'published')).toMatchObject({ kind: 'entry' });
      await content.publish(page.id, seed);
      expect(await content.findByPath('/pricing', 'published')).toEqual({ kind: 'redirect', to: '/prices' });
      expect(await content.redirects()).toMatchObject([{ from: '/pricing', to: '/prices', targetId: page.id }]);
    });

    promiseOfPage('tell what refers to an entry', ['navigation'], async (content, page) => {
      const body = 'See [prices](/pricing).';
      const linking = await content.create(
        { type: 'post', title: 'News', sections: [{ type: 'text', fields: { body } }] },
        seed,
      );
      await content.setNavigation([{ label: 'Prices', href: '/pricing' }], seed);
      const references = await content.referencesTo(content.refOf(page));
      expect(references.map(({ kind, from }) => [kind, from.id])).toEqual(
        expect.arrayContaining([
          ['link', linking.entry.id],
          ['navigation', 'navigation'],
        ]),
      );
    });

    promiseOfPage('keep what search engines are told', ['seo'], async (content, page) => {
      const seo = { title: 'Prices of glazes', description: 'All of them.', noIndex: true };
      const { entry } = await content.patch(page.id, [{ op: 'set', field: 'seo', value: seo }], seed);
      expect(entry.draft.seo).toEqual(seo);
      const wrong = content.patch(page.id, [{ op: 'set', field: 'seo', value: { colour: 'red' } }], seed);
      await expect(wrong).rejects.toThrow(InvalidInputError);
    });
  });
}
