import { describe, expect, it } from 'vitest';
import type { ContentBackend, NewEntry } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import type { ChangeOrigin, Entry } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { createContentRepository } from '#server/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const api: ChangeOrigin = { actor: 'api' };
const turn: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId: 'call_1' };

const pricing: NewEntry = {
  type: 'page',
  title: 'Pricing',
  excerpt: 'What it costs.',
  sections: [
    { type: 'hero', fields: { heading: 'Fair prices' } },
    { type: 'text', fields: { body: 'We charge by the glaze.' } },
  ],
};

async function withSite(test: (site: ContentBackend, url: string) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  let time = 1_000;
  const site = createEmbeddedContentBackend(createContentRepository(db), { now: () => (time += 1) });
  await test(site, db.url);
}

function sectionId(entry: Entry, index: number): string {
  return entry.draft.sections[index]!.id;
}

describe('entries', () => {
  it('are created as drafts with ids, a slug and one revision that names its origin', () =>
    withSite(async (site) => {
      const { entry, change } = await site.create(pricing, turn);
      expect(entry).toMatchObject({ type: 'page', revision: 1, status: 'draft', published: null });
      expect(entry.id).toMatch(/^pag_/);
      expect(entry.draft.slug).toBe('pricing');
      expect(change).toMatchObject({
        action: 'create',
        revision: 1,
        targetId: entry.id,
        slug: 'pricing',
        origin: turn,
      });
      expect(change.summary).toBe('Created the page "Pricing" with 2 sections');
      expect(await site.get('pricing')).toEqual(entry);
      expect(await site.revisions({ targetId: entry.id })).toEqual([change]);
    }));

  it('are found by id, slug, path and title, pages before posts', () =>
    withSite(async (site) => {
      const post = await site.create({ type: 'post', title: 'Prïcing' }, api);
      const page = await site.create(pricing, api);
      for (const ref of [page.entry.id, 'pricing', '/pricing', 'PRICING', ' pricing ']) {
        expect((await site.get(ref)).id, ref).toBe(page.entry.id);
      }
      expect((await site.get('pricing', 'post')).id).toBe(post.entry.id);
      expect(await site.find(page.entry.id, 'post')).toBeNull();
      expect(await site.find('x'.repeat(100_000))).toBeNull();
      expect((await site.getBySection(sectionId(page.entry, 1))).id).toBe(page.entry.id);
    }));

  it('that are not found suggest what looks alike', () =>
    withSite(async (site) => {
      await site.create(pricing, api);
      await expect(site.get('Prices')).rejects.toThrow('There is no page or post "Prices". Did you mean "Pricing"?');
      await expect(site.getBySection('sec_none')).rejects.toThrow(NotFoundError);
      await expect(site.patch('pag_none', [{ op: 'unset', field: 'tags' }], api)).rejects.toThrow(NotFoundError);
    }));

  it('do not share slugs, among those of their type that are not deleted', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, api);
      await expect(site.create(pricing, api)).rejects.toThrow(/slug "pricing" is taken by the page "Pricing"/);
      await site.create({ ...pricing, type: 'post' }, api);
      const other = await site.create({ type: 'page', title: 'Other' }, api);
      const rename = site.patch(other.entry.id, [{ op: 'set', field: 'slug', value: 'pricing' }], api);
      await expect(rename).rejects.toThrow(ConflictError);
      await site.delete(entry.id, api);
      await site.create(pricing, api);
    }));

  it('do not share section ids', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, api);
      const other = await site.create({ type: 'page', title: 'Other' }, api);
      const section = entry.draft.sections[0]!;
      const copy = site.patch(other.entry.id, [{ op: 'insert-section', section }], api);
      await expect(copy).rejects.toThrow(/is taken by another entry/);
    }));

  it('change by all operations or by none', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, api);
      const bad = site.patch(
        entry.id,
        [
          { op: 'set', field: 'title', value: 'Prices' },
          { op: 'set-section', sectionId: sectionId(entry, 0), fields: { colour: 'red' } },
        ],
        api,
      );
      await expect(bad).rejects.toThrow(InvalidInputError);
      expect(await site.get(entry.id)).toEqual(entry);
      expect(await site.revisions({})).toHaveLength(1);
      await expect(site.patch(entry.id, [], api)).rejects.toThrow(InvalidInputError);
    }));

  it('take concurrent changes one after the other; with ifRevision only the first', () =>
    withSite(async (site) => {
      const { entry } = await site.create({ type: 'page', title: 'Log' }, api);
      const add = (n: number, ifRevision?: number) =>
        site.patch(
          entry.id,
          [{ op: 'insert-section', section: { id: `sec_test${n}`, type: 'text', fields: { body: `${n}` } } }],
          api,
          { ifRevision },
        );
      await Promise.all(Array.from({ length: 12 }, (_, n) => add(n)));
      const grown = await site.get(entry.id);
      expect(grown.revision).toBe(13);
      expect(new Set(grown.draft.sections.map(({ id }) => id)).size).toBe(12);
      const outcomes = await Promise.allSettled([20, 21, 22].map((n) => add(n, 13)));
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
      await expect(add(30, 13)).rejects.toThrow('"Log" has changed: it is at revision 14, not 13. Read it again.');
    }));

  it('are published as they are then, and keep the date of their first publication', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, api);
      const published = (await site.publish(entry.id, api)).entry;
      expect(published.status).toBe('published');
      await site.patch(entry.id, [{ op: 'set', field: 'slug', value: 'prices' }], api);
      expect(await site.findPublished('page', 'prices')).toBeNull();
      expect((await site.findPublished('page', 'pricing'))?.status).toBe('changed');
      const taken = await site.create({ type: 'page', title: 'Pricing' }, api);
      await expect(site.publish(taken.entry.id, api)).rejects.toThrow(/still published/);
      const again = (await site.publish(entry.id, api)).entry;
      expect(again.publishedAt).toBe(published.publishedAt);
      const hidden = (await site.unpublish(entry.id, api)).entry;
      expect(hidden).toMatchObject({ status: 'draft', published: null, publishedAt: null });
      await expect(site.unpublish(entry.id, api)).rejects.toThrow('"Pricing" is not published.');
    }));

  it('are listed by type, status and tag with a total, deleted ones never', () =>
    withSite(async (site) => {
      for (const title of ['One', 'Two', 'Three'])
        await site.create({ type: 'post', title, tags: ['Clay', title] }, api);
      await site.publish((await site.get('one')).id, api);
      await site.publish((await site.get('three')).id, api);
      await site.patch((await site.get('three')).id, [{ op: 'unset', field: 'tags' }], api);
      await site.create(pricing, api);
      const titles = async (query: Parameters<ContentBackend['list']>[0]) =>
        (await site.list(query)).items.map(({ title }) => title);
      expect(await titles({ type: 'post' })).toEqual(['Three', 'One', 'Two']);
      expect(await titles({ type: 'post', status: 'changed' })).toEqual(['Three']);
      expect(await titles({ type: 'post', status: 'published' })).toEqual(['One']);
      expect(await titles({ type: 'post', tag: 'clay' })).toEqual(['One', 'Two']);
      expect(await site.list({ type: 'post', limit: 1, offset: 1 })).toMatchObject({
        items: [{ title: 'One' }],
        total: 3,
      });
      expect((await site.listPublished({ type: 'post', tag: 'Clay' })).map(({ draft }) => draft.title)).toEqual([
        'Three',
        'One',
      ]);
      await site.delete((await site.get('one')).id, api);
      expect(await titles({ type: 'post' })).toEqual(['Three', 'Two']);
      expect((await site.listPublished({ type: 'post' })).map(({ draft }) => draft.title)).toEqual(['Three']);
      expect((await site.list({ type: 'page' })).items[0]).toMatchObject({
        excerpt: 'What it costs.',
        sectionCount: 2,
      });
    }));

  it('are searched in their drafts', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, api);
      expect(await site.search({ text: 'GLAZE' })).toMatchObject([{ id: entry.id, sectionId: sectionId(entry, 1) }]);
      expect(await site.search({ text: 'glaze', type: 'post' })).toEqual([]);
    }));

  it('are restored to an earlier revision, also when they were deleted', () =>
    withSite(async (site) => {
      const { entry } = await site.create(pricing, api);
      await site.patch(entry.id, [{ op: 'remove-section', sectionId: sectionId(entry, 0) }], api);
      await site.delete(entry.id, api);
      const restored = await site.restore(entry.id, 1, api);
      expect(restored.entry).toMatchObject({ revision: 4, draft: entry.draft, deletedAt: null });
      expect(restored.change.summary).toBe('Restored "Pricing" to revision 1 (1 change)');
      await expect(site.restore(entry.id, 99, api)).rejects.toThrow(NotFoundError);
      await site.undo(restored.change.id, api);
      expect(await site.find(entry.id)).toBeNull();
    }));
});

describe('navigation and settings', () => {
  it('are empty and plain on a new site, and journalled when they change', () =>
    withSite(async (site) => {
      expect(await site.navigation()).toEqual([]);
      expect((await site.settings()).siteName).toBe('Untitled site');
      const change = await site.setNavigation(
        [{ label: 'Home', href: '/', children: [{ label: 'A', href: '/a' }] }],
        turn,
      );
      expect(change).toMatchObject({
        targetType: 'navigation',
        revision: 1,
        summary: 'Set the navigation to 1 item',
        origin: turn,
      });
      await site.updateSettings({ siteName: 'Kiln', accentColor: '#123456' }, turn);
      expect(await site.settings()).toMatchObject({ siteName: 'Kiln', accentColor: '#123456', homeSlug: 'home' });
      expect((await site.revisions({ sessionId: 'ses_1' })).map(({ summary }) => summary)).toEqual([
        'Changed the site name and accent colour',
        'Set the navigation to 1 item',
      ]);
    }));

  it('refuse what is wrong by name', () =>
    withSite(async (site) => {
      await expect(site.setNavigation([{ label: 'X', href: 'javascript:alert(1)' }], api)).rejects.toThrow(
        /\[0\]\.href/,
      );
      await expect(site.updateSettings({ accentColor: 'red' }, api)).rejects.toThrow(/accentColor: must be a colour/);
      // @ts-expect-error -- a setting that does not exist
      await expect(site.updateSettings({ colour: 'red' }, api)).rejects.toThrow(/unknown field "colour".*accentColor/);
      expect(await site.revisions({})).toEqual([]);
    }));
});
