import { uncodedText } from '#server/core/message-data';
import { describe, expect } from 'vitest';
import type { EntryDocument } from '#server/core/site/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import {
  editor,
  heading,
  other,
  pricing,
  sectionId,
  storedText,
  titled,
  turn,
  user,
} from '#tests/support/content-backend/material';

export function describeUndo({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: undo`, () => {
    promiseOfPage(
      'takes back the newest standing change of the session, one at a time',
      ['undo'],
      async (content, page) => {
        await content.patch(page.id, [heading(sectionId(page, 0), 'One')], editor);
        await content.patch(page.id, [{ op: 'remove-section', sectionId: sectionId(page, 1) }], editor);
        await content.patch(page.id, [{ op: 'set', field: 'excerpt', value: 'Theirs' }], other);
        const first = await content.undo(undefined, editor);
        expect(first.action).toBe('undo');
        await content.undo(undefined, editor);
        expect((await content.get(page.id)).draft).toEqual({ ...page.draft, excerpt: 'Theirs' });
        await expect(content.undo(undefined, editor)).rejects.toThrow(ConflictError);
        await expect(content.undo(undefined, other)).rejects.toThrow(InvalidInputError);
        await expect(content.undo('chg_none', editor)).rejects.toThrow(NotFoundError);
      },
    );

    promiseOfPage('refuses to lose later changes and names them', ['undo'], async (content, page) => {
      const hero = sectionId(page, 0);
      const mine = await content.patch(page.id, [heading(hero, 'One')], editor);
      await content.patch(page.id, [heading(sectionId(page, 1), 'Why')], other);
      const theirs = await content.patch(page.id, [heading(hero, 'Two')], other);
      await expect(content.undo(mine.change.id, editor)).rejects.toThrow(theirs.change.id);
      expect((await content.get(page.id)).draft).toEqual(theirs.entry.draft);
    });

    promiseOfPage(
      'takes later changes in the same places along, and brings all of them back',
      ['undo'],
      async (content, page) => {
        const [first, second] = [sectionId(page, 0), sectionId(page, 1)];
        const mine = await content.patch(page.id, [heading(first, 'One')], editor);
        const beside = await content.patch(page.id, [heading(second, 'Why')], other);
        await content.patch(page.id, [heading(first, 'Two')], other);
        const { entry } = await content.patch(page.id, [heading(first, 'Three')], editor);
        const changeIds = [mine.change.id];
        await expect(content.undoAll({ changeIds, along: false }, user)).rejects.toThrow(ConflictError);
        const { undone } = await content.undoAll({ changeIds, along: true }, user);
        expect(undone).toHaveLength(3);
        const { draft } = await content.get(page.id);
        expect(draft.sections).toEqual([page.draft.sections[0], ...beside.entry.draft.sections.slice(1)]);
        await content.undoAll({ changeIds: undone.map(({ id }) => id), along: false }, user);
        expect((await content.get(page.id)).draft).toEqual(entry.draft);
        // Undone changes are skipped.
        expect((await content.undoAll({ changeIds: undone.map(({ id }) => id), along: true }, user)).undone).toEqual(
          [],
        );
      },
    );

    promiseOfPage(
      'of what was created, published or deleted puts that back too',
      ['undo', 'trash', 'drafts'],
      async (content, page) => {
        const { entry } = await content.create({ type: 'post', title: 'New' }, editor);
        await content.publish(page.id, editor);
        const published = await content.get(page.id);
        await content.trash(page.id, editor);
        await content.undo(undefined, editor);
        expect(storedText(await content.get(page.id))).toBe(storedText(published));
        await content.undo(undefined, editor);
        expect(storedText(await content.get(page.id))).toBe(storedText(page));
        await content.undo(undefined, editor);
        expect(await content.find(entry.id)).toBeNull();
      },
    );

    promiseOfPage('of an undo brings the change back, which can be undone again', ['undo'], async (content, page) => {
      const { change, entry } = await content.patch(page.id, [titled('Prices')], editor);
      const undo = await content.undo(change.id, editor);
      await expect(content.undo(change.id, editor)).rejects.toThrow(ConflictError);
      expect((await content.change(change.id)).change.undoneBy).toBe(undo.id);
      const redo = await content.undo(undo.id, editor);
      expect((await content.get(page.id)).draft).toEqual(entry.draft);
      await expect(content.undo(redo.id, editor)).rejects.toThrow(ConflictError);
      await content.undo(change.id, editor);
      expect((await content.get(page.id)).draft).toEqual(page.draft);
    });

    promiseOfPage('of an edit of several entries takes back all of it', ['undo'], async (content, page) => {
      const { entry } = await content.create({ type: 'post', title: 'News' }, editor);
      const wrong = { entryId: entry.id, operations: [titled('')] };
      const patch = { entryId: page.id, operations: [titled('Prices')], summary: uncodedText('Replaced a word') };
      await expect(content.patchAll([patch, wrong], editor)).rejects.toThrow(InvalidInputError);
      await content.patchAll([patch], editor, { dryRun: true });
      expect((await content.get(page.id)).draft).toEqual(page.draft);

      const { changes } = await content.patchAll(
        [patch, { entryId: entry.id, operations: [titled('Prices')] }],
        editor,
      );
      expect(changes.map(({ change }) => change.title)).toEqual(['Prices', 'Prices']);
      expect((await content.entriesWith('Prices')).map(({ id }) => id)).toEqual([page.id, entry.id]);
      const undo = await content.undo(changes[0]?.change.id, editor);
      expect(undo.summary).toBe('Undid: Replaced a word');
      expect(undo.together).toMatchObject([{ targetId: entry.id }]);
      expect((await content.get(page.id)).draft).toEqual(page.draft);
      expect((await content.get(entry.id)).draft.title).toBe('News');
      await content.undo(undo.id, editor);
      expect((await content.get(entry.id)).draft.title).toBe('Prices');
    });

    promiseOfPage('does not bring back under a change what was undone first', ['undo'], async (content, page) => {
      const first = await content.patch(page.id, [titled('One')], other);
      const second = await content.patch(page.id, [titled('Two')], editor);
      const undoOfSecond = await content.undo(second.change.id, editor);
      const undoOfFirst = await content.undo(first.change.id, editor);
      await expect(content.undo(undoOfSecond.id, editor)).rejects.toThrow(ConflictError);
      await content.undo(undoOfFirst.id, editor);
      await content.undo(undoOfSecond.id, editor);
      expect((await content.get(page.id)).draft.title).toBe('Two');
    });

    promiseOfPage(
      'puts sections where they were, in whatever order moves are taken back',
      ['undo'],
      async (content, page) => {
        const [a, b] = [sectionId(page, 0), sectionId(page, 1)];
        const first = await content.patch(page.id, [{ op: 'move-section', sectionId: a, index: 2 }], editor);
        const second = await content.patch(page.id, [{ op: 'move-section', sectionId: b, index: 2 }], editor);
        const quote = { id: 'sec_quote1', type: 'quote', fields: { quote: 'Cheap.' } } as const;
        await content.patch(page.id, [{ op: 'insert-section', section: quote, index: 1 }], other);
        await content.undo(first.change.id, editor);
        await content.undo(second.change.id, editor);
        const { draft } = await content.get(page.id);
        expect(draft.sections.filter(({ id }) => id !== quote.id)).toEqual(page.draft.sections);
        expect(draft.sections).toContainEqual(quote);
      },
    );

    promiseOfPage('of sections removed one by one does not depend on the order', ['undo'], async (content, page) => {
      const removals: string[] = [];
      for (const { id } of page.draft.sections) {
        removals.push((await content.patch(page.id, [{ op: 'remove-section', sectionId: id }], editor)).change.id);
      }
      for (const id of [removals[1]!, removals[0]!, removals[2]!]) await content.undo(id, editor);
      expect((await content.get(page.id)).draft).toEqual(page.draft);
    });

    promise(
      'of navigation, settings and instructions leaves what others set',
      ['undo', 'navigation', 'settings'],
      async (content) => {
        const rules = (...texts: string[]) => ({ voice: '', glossary: [], rules: texts });
        const before = await content.settings();
        await content.setNavigation([{ label: 'A', href: '/a' }], other);
        await content.setNavigation([], editor);
        await content.updateSettings({ siteName: 'Mine' }, editor);
        await content.setStandingInstructions(rules('Mine.'), editor);
        await content.updateSettings({ tagline: 'Theirs' }, other);
        await content.setStandingInstructions(rules('Mine.', 'Theirs.'), other);
        const { undone, conflicts } = await content.undoAll({ sessionId: 'ses_contract' }, user);
        expect([undone.length, conflicts]).toEqual([3, []]);
        expect(await content.navigation()).toEqual([{ label: 'A', href: '/a' }]);
        expect(await content.settings()).toEqual({ ...before, tagline: 'Theirs' });
        expect((await content.standingInstructions()).rules).toEqual(['Theirs.']);
      },
    );
  });

  describe(`${name}: undo of turns and sessions`, () => {
    const all = { sessionId: 'ses_contract' };
    const only = (...turnIds: string[]) => ({ ...all, turnIds });

    promiseOfPage(
      'gives back the start, to the letter, where nobody else was',
      ['undo', 'trash', 'drafts'],
      async (content, page) => {
        const created = (await content.create({ type: 'page', title: 'New' }, editor)).entry;
        await content.publish(created.id, editor);
        await content.patch(page.id, [titled('A'), { op: 'remove-section', sectionId: sectionId(page, 1) }], editor);
        await content.publish(page.id, turn('trn_2'));
        await content.undo(undefined, turn('trn_2'));
        await content.patch(page.id, [{ op: 'move-section', sectionId: sectionId(page, 2), index: 0 }], turn('trn_2'));
        await content.trash(page.id, turn('trn_3'));
        const { undone, conflicts } = await content.undoAll(all, user);
        expect(conflicts).toEqual([]);
        expect(undone.every(({ origin }) => origin.actor === 'user')).toBe(true);
        expect(storedText(await content.get(page.id))).toBe(storedText(page));
        expect(await content.find(created.id)).toBeNull();
        expect(await content.undoAll(all, user)).toEqual({ undone: [], conflicts: [] });
      },
    );

    promiseOfPage('takes back some turns and leaves the others', ['undo'], async (content, page) => {
      await content.patch(page.id, [titled('One')], turn('trn_1'));
      await content.patch(page.id, [heading(sectionId(page, 0), 'Two')], turn('trn_2'));
      await content.patch(page.id, [{ op: 'set', field: 'author', value: 'Three' }], turn('trn_3'));
      await content.undoAll(only('trn_2'), user);
      expect((await content.get(page.id)).draft).toEqual({ ...page.draft, title: 'One', author: 'Three' });
      expect(await content.undoAll(only(), user)).toEqual({ undone: [], conflicts: [] });
      expect(await content.undoAll({ sessionId: 'ses_unknown' }, user)).toEqual({ undone: [], conflicts: [] });
    });

    promiseOfPage('brings back what a turn had taken back of another', ['undo'], async (content, page) => {
      const first = await content.patch(page.id, [titled('One')], turn('trn_1'));
      await content.undo(first.change.id, turn('trn_2'));
      await content.undoAll(only('trn_2'), user);
      expect((await content.get(page.id)).draft).toEqual(first.entry.draft);
    });

    promiseOfPage('overwrites nothing of others: all or nothing, or in part', ['undo'], async (content, page) => {
      const hero = sectionId(page, 0);
      await content.patch(page.id, [titled('Mine')], editor);
      const mine = await content.patch(page.id, [heading(hero, 'Mine')], editor);
      const theirs = await content.patch(page.id, [heading(hero, 'Theirs')], other);
      await content.patch(page.id, [{ op: 'set', field: 'author', value: 'Them' }], other);
      const before = await content.get(page.id);
      const whole = content.undoAll(all, user);
      await expect(whole).rejects.toThrow(ConflictError);
      await expect(whole).rejects.toThrow(theirs.change.id);
      expect(await content.get(page.id)).toEqual(before);

      const rehearsed = await content.undoAll(all, user, { partial: true, dryRun: true });
      expect(await content.get(page.id)).toEqual(before);
      const { undone, conflicts } = await content.undoAll(all, user, { partial: true });
      expect([rehearsed.undone.length, rehearsed.conflicts]).toEqual([undone.length, conflicts]);
      expect(undone).toHaveLength(1);
      expect(conflicts).toEqual([
        {
          change: mine.change,
          blockedBy: [theirs.change],
          message: expect.stringContaining(theirs.change.id) as string,
          reason: expect.objectContaining({ code: 'later-changes-lost' }) as object,
        },
      ]);
      const expected: EntryDocument = { ...page.draft, author: 'Them' };
      const { sections, ...fields } = (await content.get(page.id)).draft;
      expect({ ...fields, sections: page.draft.sections }).toEqual(expected);
      expect(sections[0]!.fields['heading']).toBe('Theirs');
    });

    promiseOfPage('tells a slug that is taken since as a conflict', ['undo'], async (content, page) => {
      await content.patch(page.id, [{ op: 'set', field: 'slug', value: 'prices' }], editor);
      const taken = await content.create(pricing, other);
      const { undone, conflicts } = await content.undoAll(all, user, { partial: true });
      expect(undone).toEqual([]);
      expect(conflicts).toMatchObject([{ blockedBy: [], message: expect.stringContaining(taken.entry.id) as string }]);
      expect((await content.get(page.id)).draft.slug).toBe('prices');
    });

    promiseOfPage('leaves what somebody else brought back', ['undo'], async (content, page) => {
      const { change } = await content.patch(page.id, [titled('Mine')], editor);
      const undo = await content.undo(change.id, editor);
      const again = await content.undo(undo.id, other);
      const { undone, conflicts } = await content.undoAll(all, user, { partial: true });
      expect(undone).toEqual([]);
      expect(conflicts).toMatchObject([{ change: { id: change.id }, blockedBy: [{ id: again.id }] }]);
      expect((await content.get(page.id)).draft.title).toBe('Mine');
    });
  });
}
