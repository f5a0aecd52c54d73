import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewEntry } from '#server/site/content-backend';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import type { Entry, EntryType, PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { ConflictError, NotFoundError, SiteUnavailableError } from '#server/core/errors';
import type { PullProgress } from '#server/core/site/remote-site';
import { emptyWordPress, mirrorOf, SITE_ID } from '#tests/peers/support/mirrored-site';
import { createFailingFetch } from '#tests/peers/support/failing-fetch';
import { createContentRepository } from '#server/site/store/content-repository';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';
import { describeContentBackend } from '#tests/support/content-backend-contract';
import { colouredPicture } from '#tests/support/pictures';

const editor: ChangeOrigin = { actor: 'assistant', sessionId: 'ses_1', turnId: 'trn_1', toolCallId: 'call_1' };
const user: ChangeOrigin = { actor: 'user', sessionId: 'ses_1' };
const titled = (value: string): PatchOp => ({ op: 'set', field: 'title', value });
const bodyOf = (entry: Entry, index: number) => entry.draft.sections[index]?.fields['body'];

async function remoteEntries({ entries }: WordPressClient, type: EntryType): Promise<RemoteEntry[]> {
  const found: RemoteEntry[] = [];
  for await (const { items } of entries.list(type)) found.push(...items);
  return found;
}

const pricing: NewEntry = {
  type: 'page',
  title: 'Pricing',
  sections: [
    { type: 'text', fields: { body: 'One.' } },
    { type: 'quote', fields: { quote: 'Cheap.' } },
    { type: 'text', fields: { body: 'Two.' } },
  ],
};
/** What a person's plugin has written: nothing that we know. */
const FOREIGN = `<!-- wp:acme/slider {"speed":3,"items":["a","b"]} -->
<div class="wp-block-acme-slider"   data-x='1'><p>Left   as it is.</p></div>
<!-- /wp:acme/slider -->`;

describe.skipIf(!hasWordPress)('content in WordPress', () => {
  let wordpress: WordPressServer;
  beforeAll(async () => {
    wordpress = await startWordPress();
  });
  afterAll(() => wordpress?.[Symbol.asyncDispose]());

  describeContentBackend('WordPress', async () => {
    await emptyWordPress(wordpress);
    return mirrorOf(wordpress);
  });

  describe('changes by others in WordPress', () => {
    beforeEach(() => emptyWordPress(wordpress));

    it('refuses a write based on an older state, and merges other changes', async () => {
      await using site = await mirrorOf(wordpress);
      const { entry } = await site.content.create(pricing, editor);
      const [remote] = await site.client.entries.heads('page');
      await site.client.entries.update('page', remote!.remoteId, { title: 'Their prices' });
      const stale = site.content.patch(entry.id, [titled('Ours')], editor, { ifRevision: entry.revision });
      await expect(stale).rejects.toThrow(ConflictError);
      const [first] = await site.content.changes({ targetId: entry.id });
      expect(first).toMatchObject({ summary: 'Renamed "Pricing" to "Their prices" (in WordPress)' });
      await site.client.entries.update('page', remote!.remoteId, { title: 'Theirs again' });
      const sectionId = entry.draft.sections[1]!.id;
      const fields = { quote: 'Dear.' };
      const written = await site.content.patch(entry.id, [{ op: 'set-section', sectionId, fields }], editor);
      expect(written.entry.draft).toMatchObject({ title: 'Theirs again', sections: [{}, { fields }, {}] });
      expect(written.notes).toEqual([expect.stringContaining('Somebody had changed "Theirs again" in WordPress')]);
      expect((await site.content.changes({ actor: 'external' })).map(({ action }) => action)).toEqual([
        'update',
        'update',
      ]);
      // What others wrote stands in the way of nothing but itself.
      await site.content.undoAll({ sessionId: 'ses_1' }, user, { partial: true });
    });

    it('keeps unknown content byte for byte, and the ids of sections that others move or edit', async () => {
      await using site = await mirrorOf(wordpress, { freshForMs: 0 });
      const { entry } = await site.content.create(pricing, editor);
      const [head] = await site.client.entries.heads('page');
      const written = await site.client.entries.get('page', head!.remoteId);
      const raw = `${FOREIGN}\n\n${written.contentRaw.replace('Cheap.', 'Cheap, they say.')}`;
      await site.client.entries.update('page', head!.remoteId, { contentRaw: raw });
      const taken = await site.content.get(entry.id);
      expect(taken.draft.sections.map(({ type }) => type)).toEqual(['html', 'text', 'quote', 'text']);
      expect(taken.draft.sections.slice(1).map(({ id }) => id)).toEqual(entry.draft.sections.map(({ id }) => id));
      expect(taken.draft.sections[2]!.fields).toEqual({ quote: 'Cheap, they say.' });
      const sectionId = entry.draft.sections[2]!.id;
      await site.content.patch(entry.id, [{ op: 'set-section', sectionId, fields: { body: 'Three.' } }], editor);
      const after = await site.client.entries.get('page', head!.remoteId);
      expect(after.contentRaw).toContain(FOREIGN);
      expect(after.contentRaw).toContain('Three.');
      expect(after.contentRaw.replace('Three.', 'Two.')).toBe(raw);
    });

    it('reports another slug given by WordPress, and continues with it', async () => {
      await using site = await mirrorOf(wordpress);
      const data = await colouredPicture('#b5651d');
      await site.content.assets.add({ data, filename: 'kiln.png' }, editor);
      const { entry, notes } = await site.content.create({ type: 'page', title: 'Kiln' }, editor);
      expect(entry.draft.slug).toBe('kiln-2');
      expect(notes).toEqual(['WordPress gave it the slug "kiln-2": "kiln" is taken there.']);
      const { entry: published, notes: noNotes } = await site.content.publish(entry.id, editor);
      expect([published.status, published.published?.slug, noNotes]).toEqual(['published', 'kiln-2', undefined]);
      expect(await site.content.findByPath('/kiln-2', 'published')).toMatchObject({ kind: 'entry' });
      const fields = { author: 'A. Potter', excerpt: 'Hot.', seo: { title: 'Kilns' } };
      const kept = await site.content.create({ type: 'page', title: 'Oven', ...fields }, editor);
      expect(kept.notes).toEqual([
        'WordPress has no place for the author, the SEO details and the short description of a page: only kept here.',
      ]);
      expect((await site.content.patch(kept.entry.id, [titled('Ovens')], editor)).notes).toBeUndefined();
    });

    it("reports WordPress's changes to sent content, and continues with them", async () => {
      await using site = await mirrorOf(wordpress);
      // As a plugin does that corrects what people write.
      await wordpress.sql(
        `create trigger corrected before insert on wp_posts for each row
         set new.post_content = replace(new.post_content, 'Cheap.', 'Good value.')`,
      );
      try {
        const { entry, notes } = await site.content.create({ ...pricing, title: 'A & <b>' }, editor);
        expect(notes).toEqual([expect.stringContaining('WordPress changed it')]);
        expect(entry.draft.title).toBe('A & <b>');
        expect(entry.draft.sections.map(({ fields }) => fields)).toEqual([
          { body: 'One.' },
          { quote: 'Good value.' },
          { body: 'Two.' },
        ]);
        expect(await site.content.get(entry.id)).toEqual(entry);
        const journal = await site.content.changes({ targetId: entry.id });
        expect(journal.map(({ origin }) => origin.actor)).toEqual(['external', 'assistant']);
        expect((await site.content.publish(entry.id, editor)).notes).toBeUndefined();
        await site.pull();
        expect(await site.content.changes({ actor: 'external' })).toHaveLength(1);
      } finally {
        await wordpress.sql('drop trigger corrected');
      }
    });

    it('brings back what WordPress itself remembers from before it was connected', async () => {
      await using site = await mirrorOf(wordpress);
      const blocks = `<!-- wp:paragraph -->\n<p>Of old.</p>\n<!-- /wp:paragraph -->\n\n${FOREIGN}`;
      const { remoteId } = await site.client.entries.create('page', { title: 'Old', contentRaw: blocks });
      await site.client.entries.update('page', remoteId, { title: 'Old and new' });
      await site.client.entries.update('page', remoteId, { title: 'New', contentRaw: FOREIGN });
      const old = Date.UTC(2020, 0, 1);
      const date = (day: number) => new Date(old + day * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
      const [first] = (await site.client.entries.revisions('page', remoteId)).toReversed();
      await wordpress.sql(`update wp_posts set post_modified_gmt = '${date(0)}' where ID = ${first!.id}`);
      await site.pull();
      const entry = await site.content.get('New', 'page');
      const own = (await site.content.versions(entry.id)).filter(({ revision }) => revision < 0);
      expect(own).toMatchObject([{ revision: -first!.id, actor: 'external', createdAt: old }]);
      expect((await site.content.version(entry.id, -first!.id)).title).toBe(first!.title);
      const { change } = await site.content.restoreVersion(entry.id, -first!.id, user);
      const restored = await site.client.entries.get('page', remoteId);
      expect([restored.title, restored.contentRaw]).toEqual([first!.title, first!.contentRaw]);
      await site.content.undo(change.id, user);
      const again = await site.client.entries.get('page', remoteId);
      expect([again.title, again.contentRaw]).toEqual(['New', FOREIGN]);
      await expect(site.content.version(entry.id, -9_999)).rejects.toThrow(NotFoundError);
      const made = await site.content.create(pricing, editor);
      expect((await site.content.versions(made.entry.id)).map(({ revision }) => revision)).toEqual([1]);
    });

    it('reports what a deletion leaves, and restores the front page', async () => {
      await using site = await mirrorOf(wordpress);
      const { entry } = await site.content.create({ type: 'page', title: 'Home' }, editor);
      await site.content.publish(entry.id, editor);
      const { entry: other } = await site.content.create({ type: 'page', title: 'Start' }, editor);
      await site.content.publish(other.id, editor);
      await site.content.updateSettings({ homeSlug: 'home' }, user);
      await site.content.updateSettings({ homeSlug: 'start' }, user);
      await site.content.updateSettings({ homeSlug: 'home' }, user);
      const front = (await site.client.settings.get()).pageOnFront;
      expect(front).toBeTypeOf('number');
      await site.content.setNavigation([{ label: 'Start', href: '/' }], editor);
      const { notes, change } = await site.content.trash(entry.id, editor);
      expect(notes).toEqual([
        expect.stringContaining('The menu item "Start"'),
        expect.stringContaining('was the front page'),
      ]);
      expect(await site.client.settings.get()).toMatchObject({ showOnFront: 'posts', pageOnFront: null });
      await site.content.undo(change.id, user);
      expect(await site.client.settings.get()).toMatchObject({ showOnFront: 'page', pageOnFront: front });
    });

    it('is worked on by an editor, who may not see settings and menu', async () => {
      const password = await wordpress.php(
        `$id = wp_insert_user(['user_login' => 'ed', 'user_pass' => 'x', 'role' => 'editor']);
         [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'peer']);
         echo $password;`,
      );
      await using site = await mirrorOf({ ...wordpress, username: 'ed', password: password.trim() });
      const { entry } = await site.content.create(pricing, editor);
      expect((await site.content.publish(entry.id, editor)).entry.status).toBe('published');
      await expect(site.content.updateSettings({ siteName: 'Theirs' }, user)).rejects.toThrow(/role Administrator/);
      expect(site.faults.filter((fault) => fault !== null)).toEqual([]);
    });

    it('keeps addresses in other letters, and removes the autosave that it offered', async () => {
      await using site = await mirrorOf(wordpress);
      const status = 'publish';
      const { remoteId } = await site.client.entries.create('page', { title: '陶芸', slug: '陶芸', status });
      await site.pull();
      const { id } = await site.content.get('陶芸');
      const { change } = await site.content.trash(id, editor);
      await site.content.undo(change.id, user);
      expect(await site.client.entries.get('page', remoteId)).toMatchObject({ slug: '陶芸', status });
      const offers = () => wordpress.sql(`select post_title from wp_posts where post_name = '${remoteId}-autosave-v1'`);
      await site.content.patch(id, [titled('Pottery')], editor);
      expect(await offers()).toContain('Pottery');
      await site.content.discardDraft(id, editor);
      expect(await offers()).not.toContain('Pottery');
    });

    it('copies trashed, removed, planned and published entries', async () => {
      await using site = await mirrorOf(wordpress, { freshForMs: 0 });
      const { client, content } = site;
      const [trashed, removed] = [
        (await content.create({ type: 'post', title: 'Trashed' }, editor)).entry,
        (await content.create({ type: 'post', title: 'Removed' }, editor)).entry,
      ];
      const ids = new Map((await remoteEntries(client, 'post')).map(({ title, remoteId }) => [title, remoteId]));
      await client.entries.trash('post', ids.get('Trashed')!);
      await client.entries.remove('post', ids.get('Removed')!);
      const planned = Date.now() + 86_400_000;
      const above = await client.entries.create('page', { title: 'About', slug: 'about', status: 'publish' });
      const body = `<!-- wp:paragraph -->\n<p>See <a href="${above.link}">us</a>.</p>\n<!-- /wp:paragraph -->`;
      await client.entries.create('page', {
        title: 'Team',
        parentRemoteId: above.remoteId,
        contentRaw: body,
        slug: 'team',
        status: 'publish',
      });
      await client.entries.create('post', { title: 'Later', tags: ['Clay'], status: 'future', dateGmt: planned });
      expect(await content.find(trashed.id)).toBeNull();
      expect(await content.find(removed.id)).toBeNull();
      const team = await content.get('/about/team');
      expect(team).toMatchObject({ status: 'published', draft: { slug: 'team' } });
      expect(bodyOf(team, 0)).toBe('See [us](/about).');
      const later = await content.get('Later');
      expect(later.draft.tags).toEqual(['Clay']);
      expect(Math.abs(later.publishAt! - planned)).toBeLessThan(1_000);
      const back = await content.restore(removed.id, user);
      expect(back.entry.deletedAt).toBeNull();
      expect((await client.entries.heads('post')).map(({ remoteId }) => remoteId)).not.toContain(ids.get('Removed'));
    });

    it('keeps the planned content, not later changes: WordPress publishes its copy', async () => {
      await using site = await mirrorOf(wordpress);
      const { entry } = await site.content.create({ ...pricing, type: 'post' }, editor);
      const plan = () => site.content.schedule(entry.id, Date.now() + 86_400_000, editor);
      const there = async () => (await remoteEntries(site.client, 'post'))[0]!;
      await plan();
      await site.content.patch(entry.id, [titled('Agreed to')], editor);
      expect(await there()).toMatchObject({ status: 'future', title: 'Pricing' });
      await plan();
      await site.content.patch(entry.id, [titled('Slipped in')], editor);
      const { remoteId, title } = await there();
      expect(title).toBe('Agreed to');
      // A date ahead would leave it planned.
      await site.client.entries.update('post', remoteId, { status: 'publish', dateGmt: Date.now() - 60_000 });
      // WordPress tells seconds: what happens within that of our own write looks like it.
      await wordpress.sql(
        `update wp_posts set post_modified_gmt = '${new Date(Date.now() + 5_000).toISOString().slice(0, 19).replace('T', ' ')}' where ID = ${String(remoteId)}`,
      );
      await site.pull();
      const { status, draft, published, publishAt } = await site.content.get(entry.id);
      expect([status, draft.title, published?.title, publishAt]).toEqual(['changed', 'Slipped in', 'Agreed to', null]);
    });

    it('takes over pictures, and fetches their bytes when they are asked for', async () => {
      await using site = await mirrorOf(wordpress);
      const data = await colouredPicture('#2b5bd7');
      const media = await site.client.media.upload(data, 'oven.png', 'image/png', { alt: 'An oven' });
      const { remoteId, sourceUrl } = media;
      const picture = `<figure class="wp-block-image"><img src="${sourceUrl}" alt="" class="wp-image-${remoteId}"/></figure>`;
      const contentRaw = [
        `<!-- wp:image {"id":${remoteId}} -->\n${picture}\n<!-- /wp:image -->`,
        `<!-- wp:acme/zoom -->\n<b data-src="${sourceUrl.replace('.png', '-60x40.png')}"></b>\n<!-- /wp:acme/zoom -->`,
      ].join('\n\n');
      const cover = await site.client.entries.create('page', { title: 'Ovens', featuredMedia: remoteId, contentRaw });
      await site.pull();
      const [asset] = (await site.content.assets.list({})).items;
      expect(asset).toMatchObject({ filename: 'oven.png', alt: 'An oven', mediaType: 'image/png', width: 120 });
      const read = await site.content.assets.read(asset!.id, 'full');
      expect(read.data.length).toBeGreaterThan(100);
      expect((await site.content.assets.read(asset!.id, 'thumb')).mediaType).toBe('image/webp');
      const page = await site.content.get('Ovens');
      expect(page.draft.image).toBe(asset!.url);
      const another = await colouredPicture('#b5651d');
      await site.content.assets.replace(asset!.id, { data: another, filename: 'oven.png' }, editor);
      const shown = await site.client.entries.get('page', cover.remoteId);
      expect(shown.featuredMedia).not.toBe(media.remoteId);
      const replaced = await site.client.media.get(shown.featuredMedia!);
      const renamed = contentRaw.replaceAll(`"id":${remoteId}`, `"id":${replaced.remoteId}`);
      const rewritten = renamed.replaceAll(`wp-image-${remoteId}`, `wp-image-${replaced.remoteId}`);
      expect(shown.contentRaw).toBe(rewritten.replaceAll(/http\S*?oven(?:-60x40)?\.png/g, replaced.sourceUrl));
      expect((await site.content.assets.list({})).items).toHaveLength(1);
      await site.pull();
      expect((await site.content.assets.list({})).items).toHaveLength(1);
    });
  });

  describe('the initial copy', () => {
    beforeEach(() => wordpress.reset());

    it('is copied once, resumes after an interruption, and creates nothing for an empty site', async () => {
      await using site = await mirrorOf(wordpress, { pull: false });
      for (let n = 0; n < 25; n += 1)
        await site.client.entries.create('post', { title: `Post ${n}`, status: 'publish' });
      const aborted = new AbortController();
      const broken = site.pull(({ phase, done }) => {
        if (phase === 'posts' && done > 0) aborted.abort(new Error('enough'));
      }, aborted.signal);
      await expect(broken).rejects.toThrow('enough');
      // Not asked of the content, which would pull by itself.
      const half = await createContentRepository(site.db, SITE_ID).changes({ limit: 1_000 });
      expect(half.filter(({ targetType }) => targetType === 'post')).toHaveLength(20);
      const seen: PullProgress[] = [];
      await site.pull((progress) => void seen.push(progress));
      expect(seen).toContainEqual({ phase: 'posts', done: 6, total: 6 });
      const all = await site.content.changes({ actor: 'external', limit: 1_000 });
      expect((await site.content.query({ type: 'post', limit: 1 })).total).toBe(26);
      expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(half.map(({ id }) => id)));
      await site.pull();
      expect(await site.content.changes({ actor: 'external', limit: 1_000 })).toEqual(all);
      expect((await site.content.settings()).siteName).toBe('Peer');
      const sample = await site.content.get('sample-page');
      expect(sample).toMatchObject({ status: 'published', revision: 1 });
      expect(await site.content.validate(sample.id)).toBeInstanceOf(Array);
      const before = (await remoteEntries(site.client, 'page')).find(({ slug }) => slug === 'sample-page')!;
      const { change } = await site.content.patch(sample.id, [titled('Sample')], editor);
      await site.content.publish(sample.id, editor);
      await site.content.undoAll({ sessionId: 'ses_1' }, user);
      expect(change.origin).toEqual(editor);
      const after = await site.client.entries.get('page', before.remoteId);
      expect({ ...after, modifiedGmt: 0 }).toEqual({ ...before, modifiedGmt: 0 });
    });
  });

  describe('concurrent writers', () => {
    beforeEach(() => emptyWordPress(wordpress));

    it('from two processes follow one another', async () => {
      await using here = await mirrorOf(wordpress);
      await using there = await mirrorOf(wordpress, { db: here.db, pull: false });
      const { entry } = await here.content.create({ type: 'page', title: 'Shared' }, editor);
      const add = (n: number) => {
        const section = { id: `sec_many${n}`, type: 'text' as const, fields: { body: `${n}` } };
        const { content } = n % 2 === 0 ? here : there;
        return content.patch(entry.id, [{ op: 'insert-section', section }], editor);
      };
      await Promise.all(Array.from({ length: 8 }, (_, n) => add(n)));
      expect((await there.content.get(entry.id)).draft.sections).toHaveLength(8);
      expect(await here.content.changes({ actor: 'external' })).toEqual([]);
      const [remote] = await remoteEntries(here.client, 'page');
      for (let n = 0; n < 8; n += 1) expect(remote!.contentRaw).toContain(`<p>${n}</p>`);
    });

    it('keep changes that were written to WordPress but not to the mirror', async () => {
      await using site = await mirrorOf(wordpress, { freshForMs: 0 });
      const { entry } = await site.content.create({ type: 'page', title: 'Written' }, editor);
      const [head] = await site.client.entries.heads('page');
      // As a process does that ends between the two: WordPress has it, the mirror has not.
      await site.client.entries.update('page', head!.remoteId, { title: 'Written and lost' });
      await site.client.entries.create('page', { title: 'Made and lost' });
      expect((await site.content.get(entry.id)).draft.title).toBe('Written and lost');
      expect((await site.content.query({})).items.map(({ title }) => title).toSorted()).toEqual([
        'Made and lost',
        'Written and lost',
      ]);
    });
  });

  describe('a WordPress that fails', () => {
    beforeEach(() => emptyWordPress(wordpress));

    it('is read from the mirror, and takes no writes', async () => {
      const failing = createFailingFetch();
      await using site = await mirrorOf(wordpress, { fetch: failing.fetch, freshForMs: 0 });
      const { entry } = await site.content.create(pricing, editor);
      failing.failAfter(0);
      expect((await site.content.get(entry.id)).draft).toEqual(entry.draft);
      expect((await site.content.query({})).total).toBe(1);
      expect(site.faults.at(-1)).toMatch(/\w/);
      const journal = await site.content.changes({});
      const writes = [
        () => site.content.patch(entry.id, [titled('Lost')], editor),
        () => site.content.create({ type: 'page', title: 'Lost' }, editor),
        () => site.content.updateSettings({ siteName: 'Lost' }, editor),
      ];
      for (const write of writes) await expect(write()).rejects.toThrow(SiteUnavailableError);
      expect(await site.content.changes({})).toEqual(journal);
      failing.failAfter(Infinity);
      expect((await site.content.patch(entry.id, [titled('Found')], editor)).entry.draft.title).toBe('Found');
    });

    it('that dies in the middle of an undo is put back as far as it was', async () => {
      const failing = createFailingFetch();
      await using site = await mirrorOf(wordpress, { fetch: failing.fetch });
      const pages: Entry[] = [];
      for (const title of ['A', 'B']) pages.push((await site.content.create({ type: 'page', title }, user)).entry);
      for (const { id, draft } of pages) await site.content.patch(id, [titled(`${draft.title} new`)], editor);
      failing.failNthWrite(2);
      const undo = site.content.undoAll({ sessionId: 'ses_1', turnIds: ['trn_1'] }, user);
      await expect(undo).rejects.toThrow(/put back/);
      const titles = async () => (await remoteEntries(site.client, 'page')).map(({ title }) => title);
      expect((await titles()).toSorted()).toEqual(['A new', 'B new']);
      await site.pull();
      expect(await site.content.changes({ actor: 'external' })).toEqual([]);
      expect((await site.content.undoAll({ sessionId: 'ses_1', turnIds: ['trn_1'] }, user)).undone).toHaveLength(2);
      expect((await titles()).toSorted()).toEqual(['A', 'B']);
    });
  });
});
