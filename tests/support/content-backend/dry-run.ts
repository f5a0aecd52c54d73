import { describe, expect } from 'vitest';
import type { Entry } from '#server/core/content';
import type { Contract } from '#tests/support/content-backend/contract';
import { editor, pricing, seed, titled, user } from '#tests/support/content-backend/material';

export function describeDryRun({ name, promiseOfPage }: Contract): void {
  describe(`${name}: a dry run`, () => {
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
