import { describe, expect } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import type { ChangeSet } from '#server/core/site/changes';
import { ConflictError, NotFoundError } from '#server/core/errors';
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

/** All that a preview of the site shows, from any author. */
async function siteNow(content: ContentBackend) {
  const { items } = await content.query({ sort: 'created', order: 'asc' });
  const entries = await Promise.all(
    items.map(async ({ id, path }) => ({ path, document: (await content.get(id)).draft })),
  );
  return { entries, navigation: await content.navigation(), settings: await content.settings() };
}

/** The same of the site after a change, for the same paths. */
async function siteAt(content: ContentBackend, { id }: ChangeSet, paths: readonly string[]) {
  const past = await content.at(id);
  const found = await Promise.all(paths.map(async (path) => ({ path, match: await past.find(path) })));
  const entries = found.map(({ path, match }) => ({
    path,
    document: match?.kind === 'entry' ? match.entry.document : match,
  }));
  return { entries, navigation: past.navigation, settings: past.settings };
}

export function describePast({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: the past`, () => {
    promise(
      'is the site as it was after each change, field by field',
      ['versions', 'undo', 'trash', 'navigation', 'settings'],
      async (content) => {
        const { entry: page } = await content.create(pricing, editor);
        const steps: (() => Promise<{ change: ChangeSet } | ChangeSet>)[] = [
          () => content.patch(page.id, [heading(sectionId(page, 0), 'One')], editor),
          () => content.create({ type: 'post', title: 'News' }, turn('trn_2')),
          () => content.setNavigation([{ label: 'Prices', href: '/pricing' }], editor),
          () => content.patch(page.id, [{ op: 'move-section', sectionId: sectionId(page, 2), index: 0 }], user),
          () => content.undo(undefined, editor),
          () => content.patch(page.id, [{ op: 'set', field: 'slug', value: 'prices' }], other),
          () => content.updateSettings({ siteName: 'Kiln' }, other),
          () => content.trash(page.id, editor),
          () => content.create({ ...pricing, title: 'Second' }, editor),
          () => content.restore(page.id, editor),
        ];
        const seen: { change: ChangeSet; site: Awaited<ReturnType<typeof siteNow>> }[] = [];
        for (const step of steps) {
          const done = await step();
          seen.push({ change: 'change' in done ? done.change : done, site: await siteNow(content) });
        }
        for (const { change, site } of seen) {
          const paths = site.entries.map(({ path }) => path);
          expect(await siteAt(content, change, paths)).toEqual(site);
        }
        const [first] = seen;
        const then = await content.at(first!.change.id);
        expect(await then.find('/second')).toBeNull();
        expect(await then.find('/blog/news')).toBeNull();
        expect(then.posts).toEqual([]);
        expect((await content.at(seen[1]!.change.id)).posts.map(({ document }) => document.title)).toEqual(['News']);
        await expect(content.at('chg_none')).rejects.toThrow(NotFoundError);
      },
    );

    promiseOfPage('of one page is brought back as one step', ['versions', 'undo'], async (content, page) => {
      const { entry: second } = await content.create({ ...pricing, title: 'Second' }, editor);
      await content.patch(page.id, [heading(sectionId(page, 0), 'One')], editor);
      const point = await content.patch(page.id, [titled('Prices')], turn('trn_2'));
      const later = await content.patch(page.id, [{ op: 'remove-section', sectionId: sectionId(page, 1) }], user);
      await content.undo(point.change.id, user);
      await content.patch(second.id, [titled('Kept')], editor);
      const before = storedText(await content.get(page.id));

      const rehearsed = await content.restoreTo(point.change.id, { targetId: page.id }, user, { dryRun: true });
      expect(rehearsed.along.map(({ action }) => action)).toEqual(['undo', 'update']);
      expect(storedText(await content.get(page.id))).toBe(before);

      const { changes, along, others } = await content.restoreTo(point.change.id, { targetId: page.id }, user);
      expect(along.map(({ id }) => id)).toContain(later.change.id);
      expect([changes.length, others]).toEqual([1, []]);
      expect((await content.get(page.id)).draft).toEqual(point.entry.draft);
      expect((await content.get(second.id)).draft.title).toBe('Kept');
      await expect(content.restoreTo(point.change.id, { targetId: page.id }, user)).rejects.toThrow(ConflictError);

      expect((await content.newestStanding('ses_contract'))?.id).toBe(changes[0]?.id);
      const undone = await content.undo(undefined, user);
      expect(storedText(await content.get(page.id))).toBe(before);
      await content.undo(undone.id, user);
      expect((await content.get(page.id)).draft).toEqual(point.entry.draft);
    });

    promiseOfPage(
      'of all that a session changed is brought back, and taken back, together',
      ['versions', 'undo', 'trash', 'navigation', 'drafts'],
      async (content, page) => {
        const { entry: gone } = await content.create({ ...pricing, title: 'Gone' }, editor);
        const menu = [{ label: 'Prices', href: '/pricing' }];
        await content.setNavigation(menu, editor);
        const point = await content.patch(page.id, [titled('Prices')], editor);
        await content.publish(page.id, turn('trn_2'));
        await content.patch(page.id, [titled('Costs')], turn('trn_2'));
        await content.trash(gone.id, turn('trn_2'));
        await content.setNavigation([], turn('trn_2'));
        const { entry: added } = await content.create({ ...pricing, title: 'Added' }, turn('trn_2'));
        const state = async () => ({
          page: storedText(await content.get(page.id)),
          gone: (await content.find(gone.id)) === null,
          added: (await content.find(added.id)) === null,
          menu: await content.navigation(),
        });
        const before = await state();
        const { changes, along } = await content.restoreTo(point.change.id, { sessionId: 'ses_contract' }, user);
        expect(along.map(({ action }) => action)).not.toContain('publish');
        expect(changes.map(({ action }) => action).toSorted()).toEqual(['delete', 'restore', 'update', 'update']);
        const back = await content.get(page.id);
        expect(back.draft).toEqual(point.entry.draft);
        // What visitors see stays.
        expect(back.published).toEqual(point.entry.draft);
        expect(await state()).toMatchObject({ gone: false, added: true, menu });
        const { together } = await content.undo(undefined, user);
        expect(together).toHaveLength(3);
        expect(await state()).toEqual(before);
      },
    );

    promiseOfPage('never loses what others did later without being told to', ['versions'], async (content, page) => {
      const point = await content.patch(page.id, [titled('Prices')], editor);
      const theirs = await content.patch(page.id, [heading(sectionId(page, 1), 'Theirs')], other);
      const mine = await content.patch(page.id, [heading(sectionId(page, 0), 'Mine')], editor);
      const asked = content.restoreTo(point.change.id, { targetId: page.id }, user);
      await expect(asked).rejects.toThrow(theirs.change.id);
      expect((await content.get(page.id)).draft).toEqual(mine.entry.draft);
      const { others, along } = await content.restoreTo(point.change.id, { targetId: page.id }, user, { dryRun: true });
      expect([others, along].map((list) => list.map(({ id }) => id))).toEqual([[theirs.change.id], [mine.change.id]]);
      await content.restoreTo(point.change.id, { targetId: page.id }, user, { overOthers: true });
      expect((await content.get(page.id)).draft).toEqual(point.entry.draft);
    });
  });
}
