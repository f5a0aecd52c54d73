import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import type { ChangeOrigin, Entry, PatchOp } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError, ThroughlineError } from '#server/core/errors';
import { createContentRepository } from '#server/store/content-repository';
import { arbitraryOperation } from '#tests/support/arbitrary-content';
import { createTestDatabase } from '#tests/support/test-database';

const editor: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1' };
const other: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_2' };

interface Site {
  readonly content: ContentBackend;
  /** A page with a hero and a text, made by nobody's session. */
  readonly page: Entry;
  readonly hero: string;
  readonly text: string;
}

async function withPage(test: (site: Site) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const content = createEmbeddedContentBackend(createContentRepository(db));
  const { entry } = await content.create(
    {
      type: 'page',
      title: 'Pricing',
      sections: [
        { type: 'hero', fields: { heading: 'Prices' } },
        { type: 'text', fields: { body: 'Because.' } },
      ],
    },
    { actor: 'seed' },
  );
  await test({ content, page: entry, hero: entry.draft.sections[0]!.id, text: entry.draft.sections[1]!.id });
}

const heading = (sectionId: string, value: string): PatchOp => ({
  op: 'set-section',
  sectionId,
  fields: { heading: value },
});

describe('undo', () => {
  it('takes back the newest standing change of the session, one at a time', () =>
    withPage(async ({ content, page, hero, text }) => {
      await content.patch(page.id, [heading(hero, 'One')], editor);
      await content.patch(page.id, [{ op: 'remove-section', sectionId: text }], editor);
      await content.patch(page.id, [{ op: 'set', field: 'excerpt', value: 'Theirs' }], other);
      const first = await content.undo(undefined, editor);
      expect(first).toMatchObject({
        action: 'undo',
        summary: 'Undid: Removed the text section from "Pricing"',
        revision: 5,
      });
      await content.undo(undefined, editor);
      expect((await content.get(page.id)).draft).toEqual({ ...page.draft, excerpt: 'Theirs' });
      await expect(content.undo(undefined, editor)).rejects.toThrow('There is nothing to undo.');
      const [, , , removal] = await content.revisions({ targetId: page.id });
      expect(removal).toMatchObject({ action: 'update', undoneBy: first.id });
    }));

  it('deletes what was created and brings back what was deleted, publication included', () =>
    withPage(async ({ content, page }) => {
      const created = await content.create({ type: 'post', title: 'New' }, editor);
      await content.undo(undefined, editor);
      expect(await content.find(created.entry.id)).toBeNull();

      const published = (await content.publish(page.id, other)).entry;
      await content.delete(page.id, editor);
      expect(await content.findPublished('page', 'pricing')).toBeNull();
      await content.undo(undefined, editor);
      expect((await content.findPublished('page', 'pricing'))?.published).toEqual(published.published);
    }));

  it('gives back the former published state and leaves the draft', () =>
    withPage(async ({ content, page, hero }) => {
      await content.publish(page.id, other);
      await content.patch(page.id, [heading(hero, 'Two')], other);
      const again = await content.publish(page.id, editor);
      await content.undo(again.change.id, editor);
      const after = await content.get(page.id);
      expect(after.published).toEqual(page.draft);
      expect(after.draft.sections[0]?.fields).toEqual({ heading: 'Two' });
      await content.unpublish(page.id, editor);
      await content.undo(undefined, editor);
      expect((await content.get(page.id)).published).toEqual(page.draft);
    }));

  it('gives back former navigation and settings', () =>
    withPage(async ({ content }) => {
      await content.setNavigation([{ label: 'A', href: '/a' }], other);
      await content.setNavigation([], editor);
      await content.updateSettings({ siteName: 'Kiln' }, editor);
      await content.updateSettings({ tagline: 'Theirs' }, other);
      await content.undo(undefined, editor);
      expect(await content.settings()).toMatchObject({ siteName: 'Untitled site', tagline: 'Theirs' });
      await content.undo(undefined, editor);
      expect(await content.navigation()).toEqual([{ label: 'A', href: '/a' }]);
    }));

  it('refuses to lose later changes and names them', () =>
    withPage(async ({ content, page, hero, text }) => {
      const mine = await content.patch(page.id, [heading(hero, 'One')], editor);
      const elsewhere = await content.patch(page.id, [heading(text, 'Why')], other);
      const theirs = await content.patch(page.id, [heading(hero, 'Two')], other);
      await expect(content.undo(mine.change.id, editor)).rejects.toThrow(
        `Later changes would be lost: Changed the heading of the hero section in "Pricing" (${theirs.change.id}). Undo them first.`,
      );
      await content.undo(elsewhere.change.id, editor);
      await content.undo(theirs.change.id, editor);
      await content.undo(mine.change.id, editor);
      expect((await content.get(page.id)).draft).toEqual(page.draft);
    }));

  it('refuses to undo a creation that was built upon, a change to a deleted page, and settings changed since', () =>
    withPage(async ({ content, page, hero }) => {
      const { entry, change } = await content.create({ type: 'page', title: 'New' }, editor);
      await content.publish(entry.id, other);
      await expect(content.undo(change.id, editor)).rejects.toThrow(/Later changes would be lost: Published "New"/);
      const edit = await content.patch(page.id, [heading(hero, 'One')], editor);
      await content.delete(page.id, other);
      await expect(content.undo(edit.change.id, editor)).rejects.toThrow(/Deleted the page "Pricing"/);
      const named = await content.updateSettings({ siteName: 'A' }, editor);
      await content.updateSettings({ siteName: 'B' }, other);
      await expect(content.undo(named.id, editor)).rejects.toThrow(/Changed the site name/);
    }));

  it('refuses to bring back a slug that is taken since', () =>
    withPage(async ({ content, page }) => {
      await content.delete(page.id, editor);
      await content.create({ type: 'page', title: 'Pricing' }, other);
      await expect(content.undo(undefined, editor)).rejects.toThrow(/slug "pricing" is taken/);
      expect((await content.revisions({ sessionId: 'ses_1' }))[0]?.undoneBy).toBeNull();
    }));

  it('of an undo brings the change back, which can then be undone again', () =>
    withPage(async ({ content, page, hero }) => {
      const { change } = await content.patch(page.id, [heading(hero, 'One')], editor);
      const undo = await content.undo(change.id, editor);
      await expect(content.undo(change.id, editor)).rejects.toThrow(`was already undone by ${undo.id}`);
      const redo = await content.undo(undo.id, editor);
      expect(redo.summary).toBe('Brought back: Changed the heading of the hero section in "Pricing"');
      expect((await content.get(page.id)).draft.sections[0]?.fields).toEqual({ heading: 'One' });
      await expect(content.undo(redo.id, editor)).rejects.toThrow(/undo that change itself/);
      await content.undo(undefined, editor);
      expect((await content.get(page.id)).draft).toEqual(page.draft);
    }));

  it('names an unknown change, and wants to know which where there is no session', () =>
    withPage(async ({ content }) => {
      await expect(content.undo('chg_none', editor)).rejects.toThrow(NotFoundError);
      await expect(content.undo(undefined, { actor: 'api' })).rejects.toThrow(InvalidInputError);
      await expect(content.undo(undefined, editor)).rejects.toThrow(ConflictError);
    }));

  it('undone all the way gives back the site as it was', async () => {
    const write = fc.oneof(
      { weight: 6, arbitrary: fc.array(arbitraryOperation, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom('publish' as const, 'unpublish' as const, 'delete' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 12 }), (writes) =>
        withPage(async ({ content, page }) => {
          for (const step of writes) {
            const done =
              typeof step === 'string' ? content[step](page.id, editor) : content.patch(page.id, step, editor);
            await done.catch((error: unknown) => {
              if (!(error instanceof ThroughlineError)) throw error;
            });
          }
          const made = await content.revisions({ sessionId: 'ses_1' });
          for (const _ of made) await content.undo(undefined, editor);
          const { draft, published, status } = await content.get(page.id);
          expect(JSON.stringify({ draft, published, status })).toBe(
            JSON.stringify({ draft: page.draft, published: null, status: 'draft' }),
          );
        }),
      ),
      { numRuns: 25 },
    );
  });
});
