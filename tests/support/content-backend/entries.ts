import { describe, expect } from 'vitest';
import type { PatchOp } from '#server/core/site/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import { editor, other, pricing, sectionId, titled, types } from '#tests/support/content-backend/material';

export function describeEntries({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: description`, () => {
    promise('says what it can do', [], async (content) => {
      const { backend, ...abilities } = content.capabilities();
      expect(backend).toMatch(/^[a-z]+$/);
      expect(Object.values(abilities).every((value) => typeof value === 'boolean')).toBe(true);
    });

    promise('gives its types in few words, and each in detail on demand', [], async (content) => {
      const { entries, sections } = await content.types();
      expect(entries.map((type) => type.name)).toEqual(expect.arrayContaining(['page', 'post']));
      expect(sections.map((type) => type.name)).toEqual(expect.arrayContaining(['hero', 'text', 'faq']));
      expect(Math.max(...[...entries, ...sections].map(({ description }) => description.length))).toBeLessThan(250);
      for (const type of [...entries, ...sections]) {
        expect((await content.type(type.name)).fields.map((field) => field.name)).not.toEqual([]);
      }
      await expect(content.type('carousel')).rejects.toThrow(NotFoundError);
    });
  });

  describe(`${name}: entries`, () => {
    promise('are created as drafts that are found by id, slug, path and title', [], async (content) => {
      const { entry, change } = await content.create(pricing, editor);
      expect(entry).toMatchObject({ type: 'page', status: 'draft', published: null, draft: { slug: 'pricing' } });
      expect(types(entry)).toEqual(['hero', 'text', 'faq']);
      expect(change).toMatchObject({ action: 'create', targetType: 'page', targetId: entry.id, origin: editor });
      for (const ref of [entry.id, 'pricing', '/pricing', 'PRICING', ' pricing ']) {
        expect((await content.get(ref)).id, ref).toBe(entry.id);
      }
      expect(await content.find(entry.id, 'post')).toBeNull();
      expect((await content.getBySection(sectionId(entry, 1))).id).toBe(entry.id);
      expect(content.refOf(entry)).toMatchObject({ type: 'page', id: entry.id, createdAt: entry.createdAt });
      expect(await content.previewUrl(entry)).toContain('pricing');
    });

    promiseOfPage('that are not found suggest what looks alike', [], async (content) => {
      expect(await content.find('x'.repeat(100_000))).toBeNull();
      await expect(content.get('Prices')).rejects.toThrow(/Pricing/);
      await expect(content.getBySection('sec_none')).rejects.toThrow(NotFoundError);
      await expect(content.patch('pag_none', [titled('x')], other)).rejects.toThrow(NotFoundError);
      await expect(content.publish('pag_none', other)).rejects.toThrow(NotFoundError);
    });

    promiseOfPage('do not share slugs or section ids', [], async (content, page) => {
      await expect(content.create(pricing, other)).rejects.toThrow(ConflictError);
      await content.create({ ...pricing, type: 'post' }, other);
      const { entry } = await content.create({ type: 'page', title: 'Other' }, other);
      const slug = content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'pricing' }], other);
      await expect(slug).rejects.toThrow(ConflictError);
      const section = page.draft.sections[0]!;
      const copy = content.patch(entry.id, [{ op: 'insert-section', section }], other);
      await expect(copy).rejects.toThrow(ConflictError);
      expect(await content.get(entry.id)).toEqual(entry);
    });

    promiseOfPage('change by operations on keyed sections, the rest stays', [], async (content, page) => {
      const [hero, text, faq] = page.draft.sections as [never, never, never] & typeof page.draft.sections;
      const { entry, change } = await content.patch(
        page.id,
        [
          titled('Prices'),
          { op: 'unset', field: 'excerpt' },
          { op: 'insert-section', section: { id: 'sec_quote1', type: 'quote', fields: { quote: 'Cheap.' } }, index: 1 },
          { op: 'move-section', sectionId: sectionId(page, 2), index: 0 },
          { op: 'remove-section', sectionId: sectionId(page, 1) },
          { op: 'set-section', sectionId: sectionId(page, 0), fields: { subheading: 'For all' } },
        ],
        editor,
      );
      expect(entry.draft).toMatchObject({ title: 'Prices', slug: 'pricing' });
      expect(entry.draft.excerpt).toBeUndefined();
      expect(types(entry)).toEqual(['faq', 'hero', 'quote']);
      expect(entry.draft.sections[0]).toEqual(faq);
      expect(entry.draft.sections[1]!.fields).toEqual({ heading: 'Fair prices', subheading: 'For all' });
      expect(entry.draft.sections).not.toContainEqual(text);
      expect(entry.draft.sections).not.toContainEqual(hero);
      expect(change.operations).toHaveLength(6);
    });

    promiseOfPage('change by all operations or by none', [], async (content, page) => {
      const wrong: PatchOp[] = [
        { op: 'set-section', sectionId: sectionId(page, 0), fields: { colour: 'red' } },
        { op: 'set-section', sectionId: sectionId(page, 1), fields: { body: null } },
        { op: 'set', field: 'slug', value: 'Not A Slug' },
        { op: 'set', field: 'title', value: '  ' },
        { op: 'move-section', sectionId: 'sec_none', index: 0 },
      ];
      for (const operation of wrong) {
        const patch = content.patch(page.id, [titled('Prices'), operation], other);
        await expect(patch, operation.op).rejects.toThrow(/./);
      }
      await expect(content.patch(page.id, [], other)).rejects.toThrow(InvalidInputError);
      expect(await content.get(page.id)).toEqual(page);
      expect(await content.changes({})).toHaveLength(1);
    });

    promiseOfPage('refuse a write that is based on an older state', ['preconditions'], async (content, page) => {
      const later = (await content.patch(page.id, [titled('Prices')], other)).entry;
      const stale = { ifRevision: page.revision };
      const writes = [
        () => content.patch(page.id, [titled('Old')], editor, stale),
        () => content.publish(page.id, editor, stale),
        () => content.trash(page.id, editor, stale),
      ];
      for (const write of writes) await expect(write()).rejects.toThrow(ConflictError);
      expect(await content.get(page.id)).toEqual(later);
      const outcomes = await Promise.allSettled(
        ['A', 'B', 'C'].map((title) => content.patch(page.id, [titled(title)], other, { ifRevision: later.revision })),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    promiseOfPage('take concurrent changes one after the other', [], async (content, page) => {
      const add = (n: number) =>
        content.patch(
          page.id,
          [{ op: 'insert-section', section: { id: `sec_many${n}`, type: 'text', fields: { body: `${n}` } } }],
          other,
        );
      await Promise.all(Array.from({ length: 8 }, (_, n) => add(n)));
      expect((await content.get(page.id)).draft.sections).toHaveLength(3 + 8);
    });

    promiseOfPage('are published as they are then, and go off the site', ['drafts'], async (content, page) => {
      const { entry } = await content.publish(page.id, editor);
      expect(entry).toMatchObject({ status: 'published', published: page.draft });
      expect(entry.publishedAt).toBeTypeOf('number');
      const changed = (await content.patch(page.id, [titled('Prices')], editor)).entry;
      expect(changed).toMatchObject({ status: 'changed', published: page.draft });
      const again = (await content.publish(page.id, editor)).entry;
      expect(again).toMatchObject({ status: 'published', publishedAt: entry.publishedAt });
      const nothing = await content.publish(page.id, editor);
      expect(nothing).toEqual({
        entry: again,
        change: null,
        notes: [expect.stringContaining('nothing to publish')],
        noteMessages: [{ code: 'nothing-to-publish', params: { title: again.draft.title } }],
      });
      expect((await content.changes({ targetId: page.id, limit: 1 }))[0]?.revision).toBe(again.revision);
      const hidden = (await content.unpublish(page.id, editor)).entry;
      expect(hidden).toMatchObject({ status: 'draft', published: null, publishedAt: null, draft: changed.draft });
      await expect(content.unpublish(page.id, editor)).rejects.toThrow(ConflictError);
      expect(await content.findByPath('/pricing', 'published')).toEqual({ kind: 'gone' });
      expect(await content.findByPath('/pricing', 'draft')).toMatchObject({ kind: 'entry', entry: { id: page.id } });
    });

    promiseOfPage('go back to what is published when the draft is discarded', ['drafts'], async (content, page) => {
      await expect(content.discardDraft(page.id, editor)).rejects.toThrow(ConflictError);
      await content.publish(page.id, editor);
      await expect(content.discardDraft(page.id, editor)).rejects.toThrow(ConflictError);
      await content.patch(page.id, [titled('Prices'), { op: 'remove-section', sectionId: sectionId(page, 0) }], editor);
      const { entry, change } = await content.discardDraft(page.id, editor);
      expect(entry).toMatchObject({ status: 'published', draft: page.draft, published: page.draft });
      expect(change.action).toBe('discard');
    });

    promiseOfPage('are checked before they are written', [], async (content, page) => {
      expect((await content.validate(page.id)).filter(({ severity }) => severity === 'error')).toEqual([]);
      await expect(content.validate('pag_none')).rejects.toThrow(NotFoundError);
    });
  });

  /*
   * A plan is a time on an entry and the draft at that moment: it alters neither draft nor what is published, stays
   * through edits, which are not part of it, and ends with the next publication. It has a separate part in the
   * journal: edits do not prevent its undo, nor does it prevent theirs. Whole seconds come back exactly; the site
   * decides who publishes at that time.
   */
}
