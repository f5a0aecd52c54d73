import { describe, expect } from 'vitest';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import {
  editor,
  inDays,
  other,
  seed,
  storedText,
  thisSecond,
  titled,
  titlesOf,
} from '#tests/support/content-backend/material';

export function describePlanned({ name, promiseOfPage }: Contract): void {
  describe(`${name}: planned publication`, () => {
    promiseOfPage('is set, moved and taken back, and changes nothing else', ['scheduling'], async (content, page) => {
      const { entry, change } = await content.schedule(page.id, inDays(2), editor);
      expect(entry).toMatchObject({ status: 'draft', publishAt: inDays(2), published: null, draft: page.draft });
      expect(change).toMatchObject({ action: 'schedule', targetId: page.id, operations: [], origin: editor });
      const planned = await content.patch(page.id, [titled('Prices')], other);
      expect(planned.entry.publishAt).toBe(entry.publishAt);
      expect((await content.schedule(page.id, inDays(3), editor)).entry.publishAt).toBe(inDays(3));
      expect((await content.schedule(page.id, null, editor)).entry.publishAt).toBeNull();
      await expect(content.schedule(page.id, null, editor)).rejects.toThrow(ConflictError);
      await content.schedule(page.id, inDays(2), editor);
      expect((await content.publish(page.id, editor)).entry).toMatchObject({ status: 'published', publishAt: null });
    });

    promiseOfPage('needs a time ahead and something to publish', ['scheduling', 'drafts'], async (content, page) => {
      for (const time of [1_600_000_000_000, 0, NaN, 1.5, thisSecond / 1000, thisSecond * 1000]) {
        await expect(content.schedule(page.id, time, editor), String(time)).rejects.toThrow(InvalidInputError);
      }
      await expect(content.schedule('pag_none', inDays(1), editor)).rejects.toThrow(NotFoundError);
      const published = (await content.publish(page.id, editor)).entry;
      await expect(content.schedule(page.id, inDays(1), editor)).rejects.toThrow(ConflictError);
      const stale = content.schedule(page.id, inDays(1), editor, { ifRevision: page.revision });
      await expect(stale).rejects.toThrow(ConflictError);
      expect(await content.get(page.id)).toEqual(published);
    });

    promiseOfPage(
      'of what is on the site leaves that there until then',
      ['scheduling', 'drafts'],
      async (content, page) => {
        await content.publish(page.id, editor);
        await content.patch(page.id, [titled('Prices')], editor);
        const planned = (await content.schedule(page.id, inDays(2), editor)).entry;
        expect(planned).toMatchObject({ status: 'changed', publishAt: inDays(2), published: page.draft });
        const dropped = (await content.discardDraft(page.id, editor)).entry;
        expect(dropped).toMatchObject({ status: 'published', publishAt: null });
      },
    );

    promiseOfPage(
      'is taken away by publishing, also where visitors see the draft already',
      ['scheduling', 'drafts'],
      async (content, page) => {
        await content.publish(page.id, editor);
        await content.patch(page.id, [titled('Prices')], editor);
        await content.schedule(page.id, inDays(2), editor);
        const back = (await content.patch(page.id, [titled(page.draft.title)], editor)).entry;
        expect(back).toMatchObject({ publishAt: inDays(2), published: back.draft });
        const { entry, change } = await content.publish(page.id, editor);
        expect(entry).toMatchObject({ status: 'published', publishAt: null, planned: null });
        expect(change?.action).toBe('publish');
      },
    );

    promiseOfPage(
      'is of the draft as it was then: what is changed since stays a draft',
      ['scheduling', 'drafts', 'undo'],
      async (content, page) => {
        const { entry } = await content.schedule(page.id, inDays(2), editor);
        expect(entry.planned).toEqual(page.draft);
        const isOlder = async () => (await content.query({ scheduled: true })).items.map((item) => item.isPlanOlder);
        expect(await isOlder()).toEqual([false]);
        const later = (await content.patch(page.id, [titled('Prices')], other)).entry;
        expect(later).toMatchObject({ publishAt: inDays(2), planned: page.draft });
        expect(await isOlder()).toEqual([true]);
        const { entry: seen, change } = await content.publish(page.id, editor, { asScheduled: true });
        expect(seen).toMatchObject({ status: 'changed', publishAt: null, planned: null, published: page.draft });
        expect(seen.draft.title).toBe('Prices');
        expect(change?.summary).toBe('Published "Pricing"');
        await content.undo(change?.id, editor);
        expect(storedText(await content.get(page.id))).toBe(storedText(later));
        expect((await content.schedule(page.id, inDays(2), editor)).entry.planned).toEqual(later.draft);
        await content.schedule(page.id, null, editor);
        await expect(content.publish(page.id, editor, { asScheduled: true })).rejects.toThrow(ConflictError);
      },
    );

    promiseOfPage('is listed, the next one first', ['scheduling'], async (content, page) => {
      const { entry } = await content.create({ type: 'post', title: 'News' }, seed);
      await content.create({ type: 'post', title: 'Never' }, seed);
      await content.schedule(page.id, inDays(3), editor);
      await content.schedule(entry.id, inDays(2), editor);
      const query = { scheduled: true, sort: 'scheduled' } as const;
      const { items, total } = await content.query(query);
      expect(items.map(({ title, publishAt }) => [title, publishAt])).toEqual([
        ['News', inDays(2)],
        ['Pricing', inDays(3)],
      ]);
      expect(total).toBe(2);
      const { nextCursor } = await content.query({ ...query, limit: 1 });
      expect(await titlesOf(content, { ...query, limit: 1, cursor: nextCursor! })).toEqual(['Pricing']);
      expect(await titlesOf(content, { ...query, type: 'page' })).toEqual(['Pricing']);
    });

    promiseOfPage('is undone by itself, whatever was edited since', ['scheduling', 'undo'], async (content, page) => {
      const first = await content.schedule(page.id, inDays(2), editor);
      const edit = await content.patch(page.id, [titled('Prices')], other);
      const second = await content.schedule(page.id, inDays(3), other);
      await expect(content.undo(first.change.id, editor)).rejects.toThrow(second.change.id);
      await content.undo(edit.change.id, other);
      const undo = await content.undo(second.change.id, other);
      expect((await content.get(page.id)).publishAt).toBe(inDays(2));
      await content.undo(first.change.id, editor);
      expect(storedText(await content.get(page.id))).toBe(storedText(page));
      await expect(content.undo(undo.id, other)).rejects.toThrow(ConflictError);
      const detail = await content.change(first.change.id);
      expect(detail.fields).toEqual([
        { field: 'publication planned for', kind: 'added', before: null, after: new Date(inDays(2)).toISOString() },
      ]);
    });

    promiseOfPage(
      'comes back with whatever took it away',
      ['scheduling', 'undo', 'trash', 'drafts'],
      async (content, page) => {
        await content.publish(page.id, seed);
        await content.patch(page.id, [titled('Prices')], seed);
        const planned = (await content.schedule(page.id, inDays(2), seed)).entry;
        const takers = [
          () => content.publish(page.id, editor),
          () => content.unpublish(page.id, editor),
          () => content.discardDraft(page.id, editor),
          () => content.trash(page.id, editor),
        ];
        for (const take of takers) {
          const { entry, change } = await take();
          expect([entry.publishAt, entry.planned], change?.action).toEqual([null, null]);
          await content.undo(change?.id, editor);
          expect(storedText(await content.get(page.id)), change?.action).toBe(storedText(planned));
        }
        await content.trash(page.id, editor);
        expect(storedText((await content.restore(page.id, editor)).entry)).toBe(storedText(planned));
      },
    );
  });
}
