import { describe, expect } from 'vitest';
import type { Entry } from '#server/core/site/content';
import { ConflictError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import { editor, pricing, seed, titled, user } from '#tests/support/content-backend/material';
import { colouredPicture } from '#tests/support/pictures';

export function describeDryRun({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: a dry run`, () => {
    promise('of every write to a picture gives its result and leaves no trace', ['assets'], async (content) => {
      const dry = { dryRun: true };
      const file = { data: await colouredPicture('red'), filename: 'kiln.png' };
      const { asset } = await content.assets.add(file, seed);
      const gone = (await content.assets.add({ ...file, data: await colouredPicture('green') }, seed)).asset;
      await content.assets.trash(gone.id, seed);
      const other = { ...file, data: await colouredPicture('white') };
      const journal = await content.changes({});
      const library = [await content.assets.list({}), await content.assets.list({ state: 'trashed' })];
      const outcomes = [
        await content.assets.add({ ...other, alt: 'A kiln' }, editor, dry),
        await content.assets.update(asset.id, { alt: 'A red kiln' }, editor, dry),
        await content.assets.replace(asset.id, other, editor, dry),
        await content.assets.trash(asset.id, editor, dry),
        await content.assets.restore(gone.id, editor, dry),
      ];
      expect(outcomes.map(({ change }) => change.action)).toEqual(['create', 'update', 'update', 'delete', 'restore']);
      expect(outcomes[1]?.asset).toMatchObject({ alt: 'A red kiln', revision: asset.revision + 1 });
      expect(outcomes[3]?.asset.deletedAt).not.toBeNull();
      expect(await content.changes({})).toEqual(journal);
      expect([await content.assets.list({}), await content.assets.list({ state: 'trashed' })]).toEqual(library);

      const stale = { ifRevision: asset.revision + 1 };
      for (const write of [
        () => content.assets.update(asset.id, { alt: 'A red kiln' }, editor, stale),
        () => content.assets.replace(asset.id, other, editor, stale),
        () => content.assets.trash(asset.id, editor, stale),
        () => content.assets.restore(gone.id, editor, { ifRevision: 1 }),
      ])
        await expect(write()).rejects.toThrow(ConflictError);
      await content.assets.trash(asset.id, editor, { ifRevision: asset.revision });
    });

    promiseOfPage('of every write gives its result and leaves no trace', ['drafts', 'trash'], async (content, page) => {
      await content.publish(page.id, seed);
      const draft = (await content.patch(page.id, [titled('Prices')], editor)).entry;
      const journal = await content.changes({});
      const dry = { dryRun: true };
      const outcomes: Record<string, Entry> = {
        patch: (await content.patch(page.id, [titled('New')], editor, dry)).entry,
        publish: (await content.publish(page.id, editor, dry)).entry,
        unpublish: (await content.unpublish(page.id, editor, dry)).entry,
        discard: (await content.discardDraft(page.id, editor, dry)).entry,
        trash: (await content.trash(page.id, editor, dry)).entry,
        version: (await content.restoreVersion(page.id, page.revision, editor, dry)).entry,
        create: (await content.create({ type: 'page', title: 'More' }, editor, dry)).entry,
      };
      expect(outcomes).toMatchObject({
        patch: { draft: { title: 'New' }, revision: draft.revision + 1 },
        publish: { status: 'published', published: { title: 'Prices' } },
        unpublish: { published: null },
        discard: { draft: page.draft },
        version: { draft: page.draft },
        create: { draft: { slug: 'more' }, revision: 1 },
      });
      expect(outcomes['trash']!.deletedAt).not.toBeNull();
      await content.setNavigation([], editor, dry);
      await content.updateSettings({ siteName: 'Dry' }, editor, dry);
      await content.setStandingInstructions({ voice: 'Dry', glossary: [], rules: [] }, editor, dry);
      expect((await content.undo(undefined, editor, dry)).action).toBe('undo');
      expect((await content.undoAll({ sessionId: 'ses_contract' }, user, dry)).undone).toHaveLength(1);
      expect(await content.get(page.id)).toEqual(draft);
      expect(await content.changes({})).toEqual(journal);
      expect((await content.settings()).siteName).not.toBe('Dry');
    });

    promiseOfPage('refuses what the write would refuse', [], async (content, page) => {
      const dry = { dryRun: true };
      const writes = [
        () => content.patch(page.id, [{ op: 'remove-section', sectionId: 'sec_none' }], editor, dry),
        () => content.create(pricing, editor, dry),
        () => content.unpublish(page.id, editor, dry),
        () => content.patch('pag_none', [titled('x')], editor, dry),
        () => content.undo('chg_none', editor, dry),
      ];
      for (const write of writes) await expect(write()).rejects.toThrow(/./);
    });
  });
}
