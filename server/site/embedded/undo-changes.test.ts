import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { Entry, PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

/* What undo does is in tests/support/content-backend-contract.ts and tests/integration/content-model.test.ts. */

const editor: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1' };
const inTurn = (turnId: string): ChangeOrigin => ({ ...editor, turnId });
const user: ChangeOrigin = { actor: 'user', sessionId: 'ses_1' };
const other: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_2' };

async function withPage(test: (content: ContentBackend, page: Entry, hero: string) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db));
  const sections = [{ type: 'hero', fields: { heading: 'Prices' } } as const];
  const { entry } = await content.create({ type: 'page', title: 'Pricing', sections }, { actor: 'seed' });
  await test(content, entry, entry.draft.sections[0]!.id);
}

const heading = (sectionId: string, value: string): PatchOp => ({
  op: 'set-section',
  sectionId,
  fields: { heading: value },
});

describe('undo', () => {
  it('names at most three obstacles', () =>
    withPage(async (content, page, hero) => {
      const mine = await content.patch(page.id, [heading(hero, 'One')], editor);
      const theirs = await content.patch(page.id, [heading(hero, 'Two')], other);
      await expect(content.undo(mine.change.id, editor)).rejects.toThrow(
        `Later changes would be lost: Changed the heading of the hero section in "Pricing" (${theirs.change.id}). Undo them first, or edit back by hand only what this change altered.`,
      );
      for (const text of ['Three', 'Four', 'Five']) await content.patch(page.id, [heading(hero, text)], other);
      await expect(content.undo(mine.change.id, editor)).rejects.toThrow(
        /, and 1 more\. Undo them first, or edit back by hand only what this change altered\.$/,
      );
    }));

  it('names an obstacle of several changes once', () =>
    withPage(async (content, page, hero) => {
      const title = { op: 'set', field: 'title', value: 'Mine' } as const;
      const mine = await content.patch(page.id, [heading(hero, 'One')], editor);
      const also = await content.patch(page.id, [title], editor);
      const operations = [heading(hero, 'Two'), { ...title, value: 'Theirs' }];
      const theirs = await content.patch(page.id, operations, other);
      const changeIds = [mine.change.id, also.change.id];
      const refused = content.undoAll({ changeIds, along: false }, user);
      await expect(refused).rejects.toMatchObject({ details: { changes: [theirs.change.id] } });
      const { undone } = await content.undoAll({ changeIds, along: true }, user);
      expect(undone).toHaveLength(3);
    }));

  it('names for an undo, too, what prevents redoing it', () =>
    withPage(async (content, page, hero) => {
      const { change } = await content.patch(page.id, [heading(hero, 'One')], editor);
      const undo = await content.undo(change.id, editor);
      expect((await content.change(undo.id)).blockedBy).toBeNull();
      const theirs = await content.patch(page.id, [heading(hero, 'Two')], other);
      expect((await content.change(undo.id)).blockedBy).toEqual([theirs.change]);
    }));

  it('of a turn also reverts what its user restored manually', () =>
    withPage(async (content, page, hero) => {
      const { change } = await content.patch(page.id, [heading(hero, 'One')], inTurn('trn_1'));
      const undo = await content.undo(change.id, user);
      await content.undo(undo.id, user);
      const { undone, conflicts } = await content.undoAll({ sessionId: 'ses_1', turnIds: ['trn_1'] }, user);
      expect([undone.length, conflicts]).toEqual([1, []]);
      expect((await content.get(page.id)).draft).toEqual(page.draft);
    }));
});
