import { describe, expect } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { ForbiddenError } from '#server/core/errors';
import type { Contract } from '#tests/support/content-backend/contract';
import { editor, inDays, seed, titled, user } from '#tests/support/content-backend/material';
import { colouredPicture } from '#tests/support/pictures';

/** What visitors see, now or by a plan, and what exists at all. */
async function noticed(content: ContentBackend): Promise<unknown> {
  const ids: string[] = [];
  for (const state of ['draft', 'trashed'] as const)
    for (const { id } of (await content.query({ state, sort: 'created', limit: 100 })).items)
      ids.push(`${state} ${id}`);
  const live = await Promise.all(
    ids
      .filter((name) => name.startsWith('draft '))
      .map(async (name) => {
        const { id, published, publishedAt, publishAt, planned } = await content.get(name.slice('draft '.length));
        return { id, published, publishedAt, publishAt, planned };
      }),
  );
  const assets = content.capabilities().assets ? (await content.assets.list({})).items : [];
  return {
    ids: ids.toSorted(),
    live: live.toSorted((a, b) => a.id.localeCompare(b.id)),
    assets,
    menu: await content.navigation(),
    settings: await content.settings(),
    standing: await content.standingInstructions(),
    redirects: await content.redirects(),
  };
}

export function describeDraftsOnly({ name, promise, promiseOfPage }: Contract): void {
  describe(`${name}: users with draft rights`, () => {
    promiseOfPage('work on drafts goes on, and comes back', ['drafts', 'undo'], async (content, page) => {
      await content.publish(page.id, seed);
      const before = await noticed(content);
      const drafts = content.draftsOnly();
      const edit = await drafts.patch(page.id, [titled('Prices')], editor);
      await drafts.patch(page.id, [titled('Dear')], editor);
      await drafts.undo(undefined, editor);
      await drafts.undo(edit.change.id, editor);
      await drafts.restoreVersion(page.id, edit.entry.revision, editor);
      await drafts.discardDraft(page.id, editor);
      await drafts.patch(page.id, [titled('Last')], user);
      await drafts.undoAll({ sessionId: 'ses_contract' }, user);
      expect(await noticed(content)).toEqual(before);
      const { entry } = await drafts.create({ type: 'post', title: 'News' }, editor);
      expect(entry).toMatchObject({ status: 'draft', deletedAt: null });
    });

    promise('nothing else is done, tried or undone', ['drafts', 'undo', 'trash', 'scheduling'], async (content) => {
      const make = async (title: string) => (await content.create({ type: 'post', title }, seed)).entry.id;
      const [live, planned, trashed, fresh] = [await make('Live'), await make('Planned'), await make('Gone'), 'Fresh'];
      const published = (await content.publish(live, user)).change;
      await content.patch(live, [titled('Live, changed')], seed);
      await content.schedule(live, inDays(2), seed);
      const plan = await content.schedule(planned, inDays(2), user);
      const cancelled = await content.schedule(planned, null, user);
      await content.trash(trashed, seed);
      const created = await content.create({ type: 'page', title: fresh }, user);
      await content.setNavigation([{ label: 'Home', href: '/' }], seed);
      const before = await noticed(content);
      const journal = await content.changes({});
      const drafts = content.draftsOnly();
      const dry = { dryRun: true };
      const refused: Readonly<Record<string, () => Promise<unknown>>> = {
        publish: () => drafts.publish(created.entry.id, editor),
        'publish, tried': () => drafts.publish(created.entry.id, editor, dry),
        'publish what was planned': () => drafts.publish(live, editor, { asScheduled: true }),
        schedule: () => drafts.schedule(created.entry.id, inDays(3), editor),
        'schedule anew': () => drafts.schedule(live, inDays(4), editor),
        unschedule: () => drafts.schedule(live, null, editor),
        unpublish: () => drafts.unpublish(live, editor),
        'discard a planned draft': () => drafts.discardDraft(live, editor),
        trash: () => drafts.trash(created.entry.id, editor),
        restore: () => drafts.restore(trashed, editor),
        'restore a version': () => drafts.restoreVersion(trashed, 1, editor),
        setNavigation: () => drafts.setNavigation([], editor),
        updateSettings: () => drafts.updateSettings({ siteName: 'Theirs' }, editor),
        setStandingInstructions: () =>
          drafts.setStandingInstructions({ voice: 'Loud.', glossary: [], rules: [] }, editor),
        'undo a publication': () => drafts.undo(published?.id, editor),
        'undo a plan taken back': () => drafts.undo(cancelled.change.id, editor),
        'undo a creation': () => drafts.undo(created.change.id, editor),
        'undo a session': () => drafts.undoAll({ sessionId: 'ses_contract' }, user, { partial: true }),
      };
      expect(plan.entry.publishAt).toBe(inDays(2));
      for (const [what, write] of Object.entries(refused)) await expect(write(), what).rejects.toThrow(ForbiddenError);
      expect(await noticed(content)).toEqual(before);
      expect(await content.changes({})).toEqual(journal);
    });

    promise(
      'pictures are added where nobody sees them yet, and those that are there stay as they are',
      ['assets', 'undo'],
      async (content) => {
        const file = { data: await colouredPicture('red'), filename: 'kiln.png' };
        const { asset } = await content.assets.add(file, seed);
        const gone = (await content.assets.add({ ...file, data: await colouredPicture('green') }, seed)).asset;
        await content.assets.trash(gone.id, seed);
        const drafts = content.draftsOnly();
        const blue = { ...file, alt: 'A kiln', data: await colouredPicture('blue') };
        // WordPress publishes its files immediately.
        if (name === 'WordPress') await expect(drafts.assets.add(blue, editor)).rejects.toThrow(ForbiddenError);
        const added = await (name === 'WordPress' ? content : drafts).assets.add(blue, editor);
        const before = await noticed(content);
        const other = { ...file, data: await colouredPicture('white') };
        for (const write of [
          () => drafts.assets.update(asset.id, { alt: 'Theirs' }, editor),
          () => drafts.assets.replace(asset.id, other, editor),
          () => drafts.assets.trash(asset.id, editor),
          () => drafts.assets.restore(gone.id, editor),
          () => drafts.undo(added.change.id, editor),
        ])
          await expect(write()).rejects.toThrow(ForbiddenError);
        expect(await noticed(content)).toEqual(before);
      },
    );
  });
}
