import { describe, expect } from 'vitest';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import { ConflictError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import { editor, heading, other, sectionId, titled } from '#tests/support/content-backend/material';

const ada: ChangeOrigin = { actor: 'user', userId: 'usr_ada' };
const bob: ChangeOrigin = { actor: 'user', userId: 'usr_bob' };

export function describeByHand({ name, promiseOfPage }: Contract): void {
  describe(`${name}: manual edits`, () => {
    promiseOfPage(
      'refuses what replaces another value than was expected, with what is there',
      [],
      async (content, page) => {
        const [hero, text] = [sectionId(page, 0), sectionId(page, 1)];
        await content.patch(page.id, [heading(hero, 'By Bob')], bob);
        const expects = [{ sectionId: hero, field: 'heading', value: 'Fair prices' }];
        const refused = content.patch(page.id, [heading(hero, 'By Ada')], ada, { expects });
        await expect(refused).rejects.toThrow(ConflictError);
        const changed = { sectionId: hero, field: 'heading', value: 'By Bob', by: { actor: 'user' } };
        const { revision } = await content.get(page.id);
        const details = { targetId: page.id, revision, changed: [changed], writers: [] };
        await expect(refused).rejects.toMatchObject({ details });
        expect((await content.get(page.id)).draft.sections[0]?.fields['heading']).toBe('By Bob');

        const elsewhere: PatchOp = { op: 'set-section', sectionId: text, fields: { body: 'By Ada' } };
        const body = [{ sectionId: text, field: 'body', value: 'We charge by the glaze.' }];
        await content.patch(page.id, [elsewhere], ada, { expects: body });
        const { sections } = (await content.get(page.id)).draft;
        expect(sections.map(({ fields }) => fields['heading'] ?? fields['body'])).toEqual([
          'By Bob',
          'By Ada',
          undefined,
        ]);
      },
    );

    promiseOfPage('takes a value that is there already, and none where none was', [], async (content, page) => {
      const hero = sectionId(page, 0);
      await content.patch(page.id, [heading(hero, 'The same')], bob);
      const stale = [{ sectionId: hero, field: 'heading', value: 'Fair prices' }];
      await content.patch(page.id, [heading(hero, 'The same')], ada, { expects: stale });
      const none = [{ sectionId: null, field: 'author', value: null }];
      await content.patch(page.id, [{ op: 'set', field: 'author', value: 'Ada' }], ada, { expects: none });
      const author: PatchOp = { op: 'set', field: 'author', value: 'Bob' };
      await expect(content.patch(page.id, [author], bob, { expects: none })).rejects.toThrow(/changed author/);
    });

    promiseOfPage('refuses to remove a section that somebody has changed', [], async (content, page) => {
      const text = sectionId(page, 1);
      const expects = [{ sectionId: text, field: null, value: { body: 'We charge by the glaze.' } }];
      const remove: PatchOp[] = [{ op: 'remove-section', sectionId: text }];
      await content.patch(page.id, [heading(text, 'Why')], bob);
      await expect(content.patch(page.id, remove, ada, { expects })).rejects.toThrow(ConflictError);
      const now = [{ ...expects[0]!, value: { heading: 'Why', body: 'We charge by the glaze.' } }];
      await content.patch(page.id, remove, ada, { expects: now });
    });

    promiseOfPage('refuses to replace what was seen before another author changed it', [], async (content, page) => {
      const [hero, text] = [sectionId(page, 0), sectionId(page, 1)];
      const seen = new SeenRevisions({ [page.id]: page.revision });
      const { entry } = await content.patch(page.id, [heading(hero, 'By Bob'), titled('By Bob')], bob);
      const refused = content.patch(page.id, [heading(hero, 'Mine'), titled('Mine')], editor, { seen });
      const changed = [
        { sectionId: hero, field: null, value: { ...entry.draft.sections[0]?.fields }, by: { actor: 'user' } },
        { sectionId: null, field: 'title', value: 'By Bob', by: { actor: 'user' } },
      ];
      const details = { targetId: page.id, revision: entry.revision, changed, writers: [] };
      await expect(refused).rejects.toMatchObject({ code: 'conflict', details });
      await content.patch(page.id, [heading(text, 'Mine')], editor, { seen });
      seen.note(hero, entry.revision);
      await content.patch(page.id, [heading(hero, 'Mine')], editor, { seen });
    });

    promiseOfPage('refuses to replace a field that a person is writing', [], async (content, page) => {
      const hero = sectionId(page, 0);
      const writers = [{ name: 'Ada', sectionId: hero, field: 'heading' }];
      const inUse = [{ sectionId: hero, field: 'heading', value: 'Fair prices', name: 'Ada' }];
      const details = { targetId: page.id, revision: page.revision, changed: [], writers: inUse };
      const refused = content.patch(page.id, [heading(hero, 'Mine')], editor, { writers });
      await expect(refused).rejects.toMatchObject({ code: 'conflict', details });
      const patches = [{ entryId: page.id, operations: [heading(hero, 'Mine')], writers }];
      await expect(content.patchAll(patches, editor)).rejects.toMatchObject({ code: 'conflict', details });
      await content.patch(page.id, [titled('Mine')], editor, { writers });
    });

    promiseOfPage(
      'makes one change of what is typed on, which one undo takes back',
      ['undo'],
      async (content, page) => {
        const hero = sectionId(page, 0);
        const first = await content.patch(page.id, [heading(hero, 'F')], ada);
        const second = await content.patch(page.id, [heading(hero, 'Fai')], ada, { joins: first.change.id });
        const third = await content.patch(page.id, [heading(hero, 'Fairest')], ada, { joins: first.change.id });
        expect([second, third].map(({ change }) => change.id)).toEqual([first.change.id, first.change.id]);
        expect(third.entry.revision).toBe(page.revision + 3);
        const [newest, ...older] = await content.changes({ targetId: page.id });
        expect(older).toHaveLength(1);
        expect(newest).toEqual(third.change);
        expect(newest).toMatchObject({ revision: third.entry.revision, inverse: [heading(hero, 'Fair prices')] });
        const { fields } = await content.change(first.change.id);
        expect(fields).toMatchObject([{ before: 'Fair prices', after: 'Fairest' }]);
        await content.undo(first.change.id, ada);
        expect((await content.get(page.id)).draft).toEqual(page.draft);
        const [undo] = await content.changes({ targetId: page.id });
        await content.undo(undo!.id, ada);
        expect((await content.get(page.id)).draft).toEqual(third.entry.draft);
      },
    );

    promiseOfPage('is the newest of the journal by what is typed on', [], async (content, page) => {
      const hero = sectionId(page, 0);
      const { change } = await content.patch(page.id, [heading(hero, 'F')], ada);
      const { entry: post } = await content.create({ type: 'post', title: 'Between' }, other);
      await content.patch(page.id, [heading(hero, 'Fa')], ada, { joins: change.id });
      const [newest, before] = await content.changes({});
      expect([newest?.id, before?.targetId]).toEqual([change.id, post.id]);
    });

    promiseOfPage('makes a change of its own of everything else', ['undo'], async (content, page) => {
      const [hero, text] = [sectionId(page, 0), sectionId(page, 1)];
      const of = async (operations: PatchOp[], origin: ChangeOrigin, joins: string) =>
        (await content.patch(page.id, operations, origin, { joins })).change.id;
      const first = await of([heading(hero, 'A')], ada, 'chg_none');
      const byBob = await of([heading(hero, 'B')], bob, first);
      const elsewhere = await of([heading(text, 'C')], bob, byBob);
      const notNewest = await of([heading(hero, 'D')], bob, byBob);
      const byAssistant = await of([heading(hero, 'E')], editor, notNewest);
      const onAssistant = await of([heading(hero, 'F')], ada, byAssistant);
      const structure = await of([{ op: 'move-section', sectionId: hero, index: 1 }], ada, onAssistant);
      const more = await of([titled('G')], ada, structure);
      const undo = (await content.undo(more, ada)).id;
      const onUndone = await of([titled('H')], ada, more);
      const onUndo = await of([titled('I')], ada, undo);
      const all = [
        first,
        byBob,
        elsewhere,
        notNewest,
        byAssistant,
        onAssistant,
        structure,
        more,
        undo,
        onUndone,
        onUndo,
      ];
      expect(new Set(all).size).toBe(all.length);
    });
  });
}
