import { describe, expect } from 'vitest';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import {
  editor,
  other,
  pricing,
  sectionId,
  seed,
  storedText,
  titled,
  titlesOf,
} from '#tests/support/content-backend/material';

export function describeTrash({ name, promiseOfPage }: Contract): void {
  describe(`${name}: the trash`, () => {
    promiseOfPage(
      'hides an entry everywhere, publication included, and gives it back',
      ['trash'],
      async (content, page) => {
        const published = (await content.publish(page.id, editor)).entry;
        const { change } = await content.trash(page.id, editor);
        expect(change.action).toBe('delete');
        expect(await content.find(page.id)).toBeNull();
        expect(await content.search({ text: 'glaze' })).toEqual([]);
        expect(await content.findByPath('/pricing', 'published')).toEqual({ kind: 'gone' });
        expect(await titlesOf(content, { type: 'page' })).toEqual([]);
        expect(await titlesOf(content, { type: 'page', state: 'trashed' })).toEqual(['Pricing']);
        for (const write of [() => content.publish(page.id, other), () => content.trash(page.id, other)]) {
          await expect(write()).rejects.toThrow(NotFoundError);
        }
        const restored = await content.restore(page.id, other);
        expect(restored.change.action).toBe('restore');
        expect(storedText(restored.entry)).toBe(storedText(published));
        expect(restored.entry.publishedAt).toBe(published.publishedAt);
        await expect(content.restore(page.id, other)).rejects.toThrow(ConflictError);
        await expect(content.restore('pag_none', other)).rejects.toThrow(NotFoundError);
      },
    );

    promiseOfPage('says what to do where the slug was taken meanwhile', ['trash'], async (content, page) => {
      await content.trash(page.id, editor);
      const taken = (await content.create(pricing, other)).entry;
      const restore = content.restore(page.id, editor);
      await expect(restore).rejects.toThrow(ConflictError);
      await expect(restore).rejects.toThrow(taken.id);
      await expect(restore).rejects.toThrow(/another slug/);
      await content.patch(taken.id, [{ op: 'set', field: 'slug', value: 'prices' }], other);
      expect((await content.restore(page.id, editor)).entry.draft).toEqual(page.draft);
    });

    promiseOfPage('lists what was below a page in it at the top', ['trash', 'hierarchy'], async (content, page) => {
      await content.create({ type: 'page', title: 'Team', parent: page.id }, seed);
      await content.trash(page.id, editor);
      expect(await titlesOf(content, { type: 'page', parent: null })).toEqual(['Team']);
    });

    promiseOfPage(
      'gives back a page below none when its parent is gone',
      ['trash', 'hierarchy'],
      async (content, page) => {
        const { entry } = await content.create({ type: 'page', title: 'Team', parent: page.id }, seed);
        await content.trash(entry.id, editor);
        await content.trash(page.id, editor);
        const restored = (await content.restore(entry.id, editor)).entry;
        expect(restored.draft.parent).toBeUndefined();
        expect(await content.pathOf(restored, 'draft')).toBe('/team');
      },
    );

    promiseOfPage(
      'takes from what stood below it neither its published state nor its versions',
      ['trash', 'drafts', 'versions', 'hierarchy'],
      async (content, page) => {
        const { entry: below } = await content.create({ type: 'page', title: 'Team', parent: page.id }, seed);
        await content.publish(below.id, seed);
        await content.patch(below.id, [{ op: 'unset', field: 'parent' }], seed);
        await content.trash(page.id, other);
        const version = (await content.restoreVersion(below.id, below.revision, editor, { dryRun: true })).entry;
        expect(version.draft.parent).toBeUndefined();
        expect((await content.discardDraft(below.id, editor)).entry).toMatchObject({ status: 'published' });
      },
    );

    promiseOfPage(
      'gives back a page below none when its parent was put below it meanwhile',
      ['trash', 'hierarchy'],
      async (content, page) => {
        const { entry: middle } = await content.create({ type: 'page', title: 'Team', parent: page.id }, seed);
        const { entry: low } = await content.create({ type: 'page', title: 'Jobs', parent: middle.id }, seed);
        const { change } = await content.trash(middle.id, editor);
        await content.patch(page.id, [{ op: 'set', field: 'parent', value: low.id }], other);
        const dry = { dryRun: true };
        const again = await content.restoreVersion(middle.id, middle.revision, editor, dry);
        expect(again.entry.draft.parent).toBeUndefined();
        if (content.capabilities().undo) await expect(content.undo(change.id, editor)).rejects.toThrow(ConflictError);
        const restored = (await content.restore(middle.id, editor)).entry;
        expect(restored.draft.parent).toBeUndefined();
        expect(await content.pathOf(await content.get(page.id), 'draft')).toBe('/team/jobs/pricing');
      },
    );

    promiseOfPage(
      'is as if nothing had been for undos once it gave something back',
      ['trash', 'undo'],
      async (content, page) => {
        const { change } = await content.patch(page.id, [titled('Prices')], editor);
        await content.trash(page.id, other);
        await expect(content.undo(change.id, editor)).rejects.toThrow(ConflictError);
        await content.restore(page.id, other);
        await content.undo(change.id, editor);
        expect((await content.get(page.id)).draft).toEqual(page.draft);
      },
    );
  });

  describe(`${name}: versions`, () => {
    promiseOfPage('are listed newest first and can be read whole', ['versions'], async (content, page) => {
      await content.patch(page.id, [titled('Prices')], editor);
      await content.publish(page.id, editor);
      const versions = await content.versions(page.id);
      expect(versions.map(({ action, title, isPublished }) => [action, title, isPublished])).toEqual([
        ['publish', 'Prices', true],
        ['update', 'Prices', false],
        ['create', 'Pricing', false],
      ]);
      expect(versions[0]).toMatchObject({ actor: 'assistant', revision: page.revision + 2 });
      expect(await content.version(page.id, page.revision)).toEqual(page.draft);
      await expect(content.version(page.id, 99)).rejects.toThrow(NotFoundError);
      await expect(content.versions('pag_none')).rejects.toThrow(NotFoundError);
    });

    promiseOfPage('come back as a new draft, out of the trash too', ['versions', 'trash'], async (content, page) => {
      await content.publish(page.id, editor);
      await content.patch(page.id, [titled('Prices'), { op: 'remove-section', sectionId: sectionId(page, 1) }], editor);
      const back = (await content.restoreVersion(page.id, page.revision, editor)).entry;
      expect(back).toMatchObject({ draft: page.draft, published: page.draft, status: 'published' });
      await content.trash(page.id, editor);
      const revived = await content.restoreVersion(page.id, page.revision, editor);
      expect(revived).toMatchObject({ entry: { deletedAt: null }, change: { action: 'restore' } });
      await expect(content.restoreVersion(page.id, 99, editor)).rejects.toThrow(NotFoundError);
    });
  });
}
