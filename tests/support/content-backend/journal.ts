import { describe, expect } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import { editor, other, sectionId, titled, turn } from '#tests/support/content-backend/material';

export function describeJournal({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: the journal`, () => {
    promiseOfPage('is read newest first, filtered, and page by page', ['undo'], async (content, page) => {
      const approved = { ...editor, approvalId: 'prt_approved' };
      await content.patch(page.id, [titled('A')], editor);
      await content.updateSettings({ siteName: 'B' }, approved);
      await content.patch(page.id, [titled('C')], turn('trn_2'));
      await content.patch(page.id, [titled('D')], other);
      const read = async (query: Parameters<ContentBackend['changes']>[0]) =>
        (await content.changes(query)).map(
          ({ origin, targetType }) => `${origin.turnId ?? origin.actor} ${targetType}`,
        );
      expect(await read({})).toEqual(['api page', 'trn_2 page', 'trn_1 settings', 'trn_1 page', 'seed page']);
      expect(await read({ sessionId: 'ses_contract' })).toHaveLength(3);
      expect(await read({ turnId: 'trn_1' })).toEqual(['trn_1 settings', 'trn_1 page']);
      expect(await read({ actor: 'seed' })).toEqual(['seed page']);
      expect(await read({ targetType: 'settings' })).toEqual(['trn_1 settings']);
      expect(await read({ targetId: page.id, actor: 'assistant' })).toEqual(['trn_2 page', 'trn_1 page']);
      const [first, second, third] = await content.changes({ limit: 3 });
      expect([first, second, third].every((change) => change !== undefined)).toBe(true);
      expect(await read({ before: third!.id })).toEqual(['trn_1 page', 'seed page']);
      expect(await read({ after: third!.id })).toEqual(['trn_2 page', 'api page']);
      expect(await read({ after: third!.id, limit: 1 })).toEqual(['trn_2 page']);
      expect(await read({ after: first!.id })).toEqual([]);
      for (const from of [{ before: 'chg_nonsense' }, { after: 'chg_nonsense' }]) {
        await expect(read(from)).rejects.toBeInstanceOf(InvalidInputError);
      }
      expect(third!.origin).toEqual(approved);
    });

    promiseOfPage('tells field by field what a change altered', ['undo'], async (content, page) => {
      const long = 'A long text. '.repeat(500).trim();
      const { change } = await content.patch(
        page.id,
        [
          titled('Prices'),
          { op: 'set', field: 'tags', value: ['Clay'] },
          { op: 'set-section', sectionId: sectionId(page, 1), fields: { body: long } },
          {
            op: 'set-section',
            sectionId: sectionId(page, 2),
            fields: {
              items: [
                { question: 'How much?', answer: 'Little.' },
                { question: 'When?', answer: 'Now.' },
              ],
            },
          },
          { op: 'insert-section', section: { id: 'sec_quote1', type: 'quote', fields: { quote: 'Cheap.' } }, index: 0 },
          { op: 'move-section', sectionId: sectionId(page, 2), index: 0 },
          { op: 'remove-section', sectionId: sectionId(page, 0) },
        ],
        editor,
      );
      const detail = await content.change(change.id);
      expect(detail.change).toEqual(change);
      expect(detail.blockedBy).toBeNull();
      expect(detail.fields).toEqual(
        expect.arrayContaining([
          { field: 'title', kind: 'changed', before: 'Pricing', after: 'Prices' },
          { field: 'tags', kind: 'added', before: null, after: ['Clay'] },
          expect.objectContaining({ field: 'text section › body', before: 'We charge by the glaze.', after: long }),
          expect.objectContaining({
            field: 'faq section › items › How much? › answer',
            before: 'A lot.',
            after: 'Little.',
          }),
          expect.objectContaining({ field: 'faq section › items › When?', kind: 'added' }),
          expect.objectContaining({ field: expect.stringMatching(/^(faq|text) section$/) as string, kind: 'moved' }),
          expect.objectContaining({ field: 'quote section', kind: 'added', after: { quote: 'Cheap.' } }),
          expect.objectContaining({ field: 'hero section', kind: 'removed', before: { heading: 'Fair prices' } }),
        ]),
      );
      expect(detail.fields).toHaveLength(8);
      const blocking = await content.patch(page.id, [titled('Costs')], other);
      expect((await content.change(change.id)).blockedBy).toEqual([blocking.change]);
      await expect(content.change('chg_none')).rejects.toThrow(NotFoundError);
    });

    promise('tells it of the site too', ['undo', 'navigation', 'settings'], async (content) => {
      const menu = await content.setNavigation([{ label: 'Home', href: '/' }], editor);
      const settings = await content.updateSettings({ siteName: 'Kiln' }, editor);
      const fields = async (id: string) => (await content.change(id)).fields;
      expect(await fields(menu.id)).toMatchObject([{ field: 'navigation › Home', kind: 'added' }]);
      expect(await fields(settings.id)).toMatchObject([{ field: 'siteName', kind: 'changed', after: 'Kiln' }]);
    });
  });
}
