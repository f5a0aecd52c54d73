import german from '#messages/de.json' with { type: 'json' };
import { messageRenderer } from '#server/core/messages/render-message';
import { expect, vi } from 'vitest';
import { exportSite } from '#server/import-export/export-site';
import { preparePicture } from '#server/site/media/prepare-picture';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import type { RemoteMedia, WordPressClient } from '#server/wordpress/client/wordpress-client';
import { errorFromOtherAnswer } from '#server/wordpress/client/wordpress-errors';
import { createWordPressContent, type WordPressContentOptions } from '#server/wordpress/wordpress-content';
import { ForbiddenError, NotFoundError, SiteUnavailableError, TooLargeError } from '#server/core/errors';
import { createMirrorRepository } from '#server/wordpress/store/mirror-repository';
import type { Database } from '#server/platform/database/database';
import { wordpressSites } from '#server/platform/database/schema/wordpress';
import { colouredPicture } from '#tests/support/pictures';
import { remoteEntry } from '#tests/support/remote-entry';
import { itWithDatabase as it } from '#tests/support/test-database';

const NOW = Date.UTC(2027, 0, 5);
const SITE = { id: 'wps_1', url: 'https://kiln.example', username: 'mara', password: 'sealed', name: 'Kiln' };

async function* none() {}
const noEntries = { list: none, heads: () => Promise.resolve([]), kinds: () => Promise.resolve([]) };
/** A site without pictures, menus and settings. */
const bare = {
  media: { ids: () => Promise.resolve([]), list: none },
  menus: { find: () => Promise.resolve({ kind: 'blocks', remoteId: null, location: null, hidden: null }) },
  settings: {
    get: () => Promise.resolve({ title: 'Kiln', description: '', showOnFront: 'posts', pageOnFront: null, locale: '' }),
  },
};

/**
 * A WordPress that creates entries, and whose answers to that are all lost.
 * @param headsOf is awaited before the heads of posts are returned
 */
function forgetfulClient(headsOf: () => Promise<void> = () => Promise.resolve()): WordPressClient {
  const pages: RemoteEntry[] = [];
  const client = {
    ...bare,
    entries: {
      ...noEntries,
      async heads(type: string) {
        if (type === 'post') await headsOf();
        return type === 'page' ? [...pages] : [];
      },
      get: () => Promise.resolve(pages[0]),
      async *list(type: string) {
        if (type === 'page') yield { items: pages, total: pages.length };
      },
      create(type: 'page', { title = '', contentRaw = '' }: { title?: string; contentRaw?: string }) {
        const sent = { type, status: 'draft', title, suggestedSlug: 'opening-hours', contentRaw } as const;
        pages.push(remoteEntry({ ...sent, dateGmt: NOW, modifiedGmt: NOW, link: `${SITE.url}/?p=7` }));
        return Promise.reject(new SiteUnavailableError('kiln.example cannot be used (504).'));
      },
    },
  };
  return client as unknown as WordPressClient;
}

/** The content of a site of this client, in its mirror; nothing of it is taken over yet. */
async function contentOf(database: Database, client: WordPressClient, options: Partial<WordPressContentOptions> = {}) {
  await database.write((tx) =>
    tx
      .insert(wordpressSites)
      .values({ ...SITE, isActive: true, abilities: {}, createdAt: NOW, updatedAt: NOW })
      .run(),
  );
  return createWordPressContent({
    mirror: createMirrorRepository(database, SITE.id),
    exclusively: (work) => work(),
    client,
    siteUrl: SITE.url,
    secrets: { seal: (password) => password, open: (password) => password },
    now: () => NOW,
    ...options,
  });
}

it('a write whose answer was lost is checked at the next read, however fresh the copy is', async ({ db: database }) => {
  const { content } = await contentOf(database, forgetfulClient());
  expect((await content.query({})).items).toEqual([]);
  await expect(content.create({ type: 'page', title: 'Opening hours' }, { actor: 'user' })).rejects.toThrow('504');
  expect((await content.query({})).items).toMatchObject([{ title: 'Opening hours' }]);
});

/** A site of such a WordPress while it is asked for all, after its pages and before its posts. */
function askedForAll() {
  const [pagesSeen, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const client = forgetfulClient(() => {
    pagesSeen.resolve();
    return gate.promise;
  });
  return { client, pagesSeen: pagesSeen.promise, goOn: gate.resolve };
}

it('a write whose answer was lost is checked after the pending synchronisation', async ({ db: database }) => {
  const { client, pagesSeen, goOn } = askedForAll();
  const site = await contentOf(database, client);
  const pulled = site.pull();
  await pagesSeen;
  await expect(site.content.create({ type: 'page', title: 'Opening hours' }, { actor: 'user' })).rejects.toThrow('504');
  goOn();
  await pulled;
  expect((await site.content.query({})).items).toMatchObject([{ title: 'Opening hours' }]);
});

it('a write whose answer was lost is looked for by the next read, not by an earlier one', async ({ db: database }) => {
  const { client, pagesSeen, goOn } = askedForAll();
  const { content } = await contentOf(database, client);
  const before = content.query({});
  await pagesSeen;
  await expect(content.create({ type: 'page', title: 'Opening hours' }, { actor: 'user' })).rejects.toThrow('504');
  expect((await content.query({})).items).toMatchObject([{ title: 'Opening hours' }]);
  goOn();
  await before;
});

it('an entry is not asked for where all was taken over since it was last looked at', async ({ db: database }) => {
  const client = forgetfulClient();
  const get = vi.spyOn(client.entries, 'get');
  let now = NOW;
  const site = await contentOf(database, client, { now: () => now });
  await expect(site.content.create({ type: 'page', title: 'Opening hours' }, { actor: 'user' })).rejects.toThrow('504');
  const { items } = await site.content.query({});
  const look = async () => {
    await site.content.get(items[0]?.id ?? '');
    return get.mock.calls.length;
  };
  now += 10_000;
  expect(await look()).toBe(1);
  now += 10_000;
  await site.pull();
  expect(await look()).toBe(1);
  now += 10_000;
  expect(await look()).toBe(2);
});

it('a picture that was listed before it was described keeps its description', async ({ db: database }) => {
  const file = { mediaType: 'image/png', filename: 'kiln.png', width: 8, height: 8 };
  const uploaded: RemoteMedia = {
    ...file,
    remoteId: 5,
    alt: '',
    sourceUrl: `${SITE.url}/wp-content/uploads/kiln.png`,
    size: 3,
    // WordPress counts whole seconds: both writes are of the same one.
    modifiedGmt: NOW,
    dateGmt: NOW,
  };
  const described = { ...uploaded, alt: 'The kiln, open.' };
  const listing = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isListHeld = false;
  const client = {
    ...bare,
    entries: noEntries,
    media: {
      ids: () => Promise.resolve([]),
      async *list() {
        if (!isListHeld) return;
        listing.resolve();
        await gate.promise;
        yield { items: [uploaded], total: 1 };
      },
      upload: () => Promise.resolve(described),
      get: () => Promise.resolve(described),
    },
  };
  let now = NOW;
  const bytes = new Uint8Array([1, 2, 3]);
  const { content } = await contentOf(database, client as unknown as WordPressClient, {
    now: () => now,
    preparePicture: () => Promise.resolve({ ...file, data: bytes, hash: 'a'.repeat(64), thumbnail: bytes }),
  });
  expect((await content.assets.list({})).items).toEqual([]);
  isListHeld = true;
  now += 10_000;
  const read = content.assets.list({});
  await listing.promise;
  await content.assets.add({ data: bytes, filename: file.filename, alt: described.alt }, { actor: 'user' });
  gate.resolve();
  expect((await read).items).toMatchObject([{ filename: 'kiln.png', alt: described.alt, revision: 1 }]);
});

it('a missing or unsupported picture does not stop an export: only its bytes are missing', async ({ db: database }) => {
  const picture = { mediaType: 'image/png', width: 8, height: 8, alt: '', size: 3, modifiedGmt: NOW, dateGmt: NOW };
  const library = ['gone.png', 'huge.png', 'odd.png', 'kiln.png'].map((filename, index) => ({
    ...picture,
    filename,
    remoteId: index + 1,
    sourceUrl: `${SITE.url}/wp-content/uploads/${filename}`,
  }));
  let status: number | null = null;
  const download = async ({ sourceUrl }: Pick<RemoteMedia, 'sourceUrl'>) => {
    if (status !== null) throw errorFromOtherAnswer(status, { host: 'kiln.example' });
    if (sourceUrl.endsWith('gone.png')) throw new NotFoundError('file of the site', sourceUrl);
    if (sourceUrl.endsWith('huge.png')) throw new TooLargeError('answer of the site', 3, 'bytes');
    return sourceUrl.endsWith('odd.png') ? Buffer.from('<!doctype html>') : colouredPicture('#123456');
  };
  async function* list() {
    yield { items: library, total: library.length };
  }
  const media = { ids: () => Promise.resolve([1, 2, 3, 4]), list, download };
  const client = { ...bare, entries: noEntries, media } as unknown as WordPressClient;
  const { content } = await contentOf(database, client, { preparePicture });
  const exported = async () => {
    let text = '';
    for await (const piece of exportSite(content, { media: true, trashed: false })) text += piece;
    return JSON.parse(text) as { media: { filename: string; data?: string }[] };
  };

  // A site that is away is no site without pictures.
  status = 503;
  await expect(exported()).rejects.toThrow(SiteUnavailableError);
  status = null;
  const { media: pictures } = await exported();
  expect(pictures).toHaveLength(4);
  expect(pictures.filter(({ data }) => data !== undefined)).toMatchObject([{ filename: 'kiln.png' }]);
});

/** A WordPress with one post, or page, and what it was last sent of it. */
function postClient(type: 'post' | 'page' = 'post') {
  let post: RemoteEntry | null = null;
  const write = (fields: Partial<RemoteEntry>) => {
    post = {
      ...post!,
      ...fields,
      dateGmt: fields.dateGmt ?? post?.dateGmt ?? (fields.status === 'publish' ? NOW : null),
    };
    post = { ...post, modifiedGmt: fields.modifiedGmt ?? NOW };
    return Promise.resolve(post);
  };
  const client = {
    ...bare,
    entries: {
      ...noEntries,
      revisions: () => Promise.resolve([]),
      openBy: () => Promise.resolve(null),
      heads: (listed: string) => Promise.resolve(listed === type && post !== null ? [post] : []),
      get: () => Promise.resolve(post),
      async *list(listed: string) {
        if (listed === type && post !== null) yield { items: [post], total: 1 };
      },
      create: (_type: string, fields: Partial<RemoteEntry>) => {
        post = remoteEntry({ type, status: 'draft', modifiedGmt: NOW, link: `${SITE.url}/?p=7` });
        return write(fields);
      },
      update: (_type: string, _id: number, fields: Partial<RemoteEntry>) => write(fields),
    },
  };
  return { client: client as unknown as WordPressClient, write, there: () => post! };
}

it('changes after a plan are kept from WordPress, which publishes by itself', async ({ db: database }) => {
  const { client, write, there } = postClient();
  let now = NOW;
  const { content } = await contentOf(database, client, { now: () => now });
  const by = { actor: 'user' } as const;
  const titled = (value: string) => [{ op: 'set', field: 'title', value }] as const;
  const { entry } = await content.create({ type: 'post', title: 'Agreed' }, by);
  await content.schedule(entry.id, NOW + 60_000, by);
  const drafts = content.draftsOnly();
  await drafts.patch(entry.id, titled('Slipped in'), by);
  expect(there()).toMatchObject({ status: 'future', title: 'Agreed' });
  expect(await content.get(entry.id)).toMatchObject({ draft: { title: 'Slipped in' }, planned: { title: 'Agreed' } });
  await expect(drafts.schedule(entry.id, null, by)).rejects.toThrow(ForbiddenError);
  expect(there().status).toBe('future');
  now += 120_000;
  await write({ status: 'publish' });
  expect(await content.get(entry.id)).toMatchObject({
    status: 'changed',
    draft: { title: 'Slipped in' },
    published: { title: 'Agreed' },
    publishAt: null,
  });
});

it('the front page is what WordPress has by id, for any slug; no settings are written', async ({ db: database }) => {
  const { client, there } = postClient('page');
  let pageOnFront: number | null = null;
  let isWritten = false;
  const settings = {
    get: () =>
      Promise.resolve({
        title: 'Kiln',
        description: '',
        showOnFront: pageOnFront ? 'page' : 'posts',
        pageOnFront,
        locale: 'de_DE_formal',
      }),
    update: (fields: { pageOnFront: number }) => {
      isWritten = true;
      pageOnFront = fields.pageOnFront;
      return settings.get();
    },
  };
  const isThere = () => Promise.resolve(false);
  const { content } = await contentOf(database, { ...client, settings, isThere } as unknown as WordPressClient);
  const by = { actor: 'user' } as const;
  const { entry } = await content.create({ type: 'page', title: 'Start' }, by);
  await content.publish(entry.id, by);
  await content.updateSettings({ homeSlug: 'start' }, by);
  expect([pageOnFront, isWritten]).toEqual([7, true]);
  expect(await content.settings()).toMatchObject({ siteName: 'Kiln', language: 'de-DE' });
  isWritten = false;
  await content.patch(entry.id, [{ op: 'set', field: 'slug', value: 'welcome' }], by);
  const { change, notes = [] } = await content.publish(entry.id, by);
  expect(there().slug).toBe('welcome');
  expect(notes.join(' ')).not.toMatch(/front page|old address/);
  expect(await content.settings()).toMatchObject({ homeSlug: 'welcome' });
  await content.undo(change?.id, by);
  expect(await content.settings()).toMatchObject({ homeSlug: 'start' });
  expect([pageOnFront, isWritten]).toEqual([7, false]);
});

it('users with draft rights add no pictures: WordPress publishes its files immediately', async ({ db: database }) => {
  let uploads = 0;
  const client = {
    ...bare,
    entries: noEntries,
    media: { ids: () => Promise.resolve([]), upload: () => (uploads += 1) },
  };
  const file = { mediaType: 'image/png', filename: 'kiln.png', width: 8, height: 8 };
  const data = new Uint8Array([1, 2, 3]);
  const { content } = await contentOf(database, client as unknown as WordPressClient, {
    preparePicture: () => Promise.resolve({ ...file, data, hash: 'a'.repeat(64), thumbnail: data }),
  });
  const added = content.draftsOnly().assets.add({ data, filename: 'kiln.png' }, { actor: 'user' });
  await expect(added).rejects.toThrow(/visible to everybody at once/);
  await expect(added).rejects.toThrow(ForbiddenError);
  expect(uploads).toBe(0);
});

it('a person edits next to others in WordPress; a foreign block links to WordPress', async ({ db: database }) => {
  const foreign = '<!-- wp:shop/cart {"kind":"small"} --><div class="cart" data-n="2">Cart</div><!-- /wp:shop/cart -->';
  const contentRaw = `<!-- wp:heading --><h2 class="wp-block-heading">Opening hours</h2><!-- /wp:heading -->\n\n<!-- wp:paragraph --><p>Daily</p><!-- /wp:paragraph -->\n\n${foreign}`;
  const named = { title: 'Visit', slug: 'visit', suggestedSlug: 'visit' };
  const dated = { dateGmt: NOW, modifiedGmt: NOW, link: `${SITE.url}/?p=7` };
  let remote = remoteEntry({ type: 'page', status: 'draft', ...named, ...dated, contentRaw });
  const client = {
    ...bare,
    entries: {
      ...noEntries,
      heads: (type: string) => Promise.resolve(type === 'page' ? [remote] : []),
      get: () => Promise.resolve(remote),
      revisions: () => Promise.resolve([]),
      async *list(type: string) {
        if (type === 'page') yield { items: [remote], total: 1 };
      },
      update(_type: string, _id: number, fields: Partial<RemoteEntry>) {
        remote = { ...remote, ...fields, modifiedGmt: remote.modifiedGmt + 1_000 };
        return Promise.resolve(remote);
      },
    },
  } as unknown as WordPressClient;
  const { content } = await contentOf(database, client);
  const [{ id } = { id: '' }] = (await content.query({})).items;
  const entry = await content.get(id);
  const [text, cart] = entry.draft.sections;
  expect([text?.type, cart?.type, cart?.fields['block']]).toEqual(['text', 'html', 'shop/cart']);
  expect(await content.editUrl(entry)).toBe(`${SITE.url}/wp-admin/post.php?post=7&action=edit`);

  const write = (body: string, value: string) =>
    content.patch(
      id,
      [{ op: 'set-section', sectionId: text!.id, fields: { body } }],
      { actor: 'user' },
      { expects: [{ sectionId: text!.id, field: 'body', value }] },
    );
  await write('Every day', 'Daily');
  expect(remote.contentRaw).toContain('<p>Every day</p>');
  expect(remote.contentRaw).toContain(foreign);
  await expect(write('Never', 'Daily')).rejects.toThrow(/somebody else has changed .*body/);
  expect(remote.contentRaw).toContain('<p>Every day</p>');
});

/** The third of three posts, a draft with this content, in a WordPress that takes writes to it. */
async function thirdOf(database: Database, contentRaw: string) {
  const posts = [
    postOf(1, 'One'),
    postOf(2, 'Two'),
    postOf(3, 'Three', { contentRaw, status: 'draft', link: `${SITE.url}/?p=3` }),
  ];
  const client = postsClient(posts);
  Object.assign(client.entries, {
    revisions: () => Promise.resolve([]),
    update(_type: string, id: number, fields: Partial<RemoteEntry>) {
      const at = posts.findIndex(({ remoteId }) => remoteId === id);
      posts[at] = { ...posts[at]!, ...fields, modifiedGmt: NOW };
      return Promise.resolve(posts[at]);
    },
  });
  const { content } = await contentOf(database, client);
  const { items } = await content.query({});
  const { id, draft } = await content.get(items.find(({ title }) => title === 'Three')!.id);
  return { content, id, draft, now: () => posts[2]?.contentRaw };
}

it('a link in an HTML block and in a text can lead to another page of the site', async ({ db: database }) => {
  const link = (className: string) => `<a class="${className}" href="${SITE.url}/one/">Go</a>`;
  const columns = `<!-- wp:columns --><div class="wp-block-columns">${link('x')}</div><!-- /wp:columns -->`;
  const contentRaw = `<!-- wp:paragraph --><p>${link('y')} <mark>now</mark></p><!-- /wp:paragraph -->\n\n${columns}`;
  const { content, id, draft, now } = await thirdOf(database, contentRaw);
  const [text, html] = draft.sections;
  expect([text?.fields['body'], html?.fields['html']]).toEqual([
    '[Go](/blog/one) *now*',
    '<div class="wp-block-columns"><a href="/blog/one">Go</a></div>',
  ]);
  const operations = [
    { op: 'set-section' as const, sectionId: text!.id, fields: { body: '[Go](/blog/two) *now*' } },
    {
      op: 'set-section' as const,
      sectionId: html!.id,
      fields: { html: '<div class="wp-block-columns"><a href="/blog/two">Go</a></div>' },
    },
  ];
  const { notes } = await content.patch(id, operations, { actor: 'user' });
  expect(now()).toBe(contentRaw.replaceAll('/one/', '/two/'));
  expect(notes ?? []).toEqual([]);
});

it('a plugin block whose attributes keep the former words is reported', async ({ db: database }) => {
  const half = (words: string) =>
    `<!-- wp:acme/hours {"label":"Hours: Open daily now","align":"wide"} --><p>${words}</p><!-- /wp:acme/hours -->`;
  const { content, id, draft, now } = await thirdOf(database, half('Open daily now'));
  const write = (html: string) =>
    content.patch(id, [{ op: 'set-section', sectionId: draft.sections[0]!.id, fields: { html } }], { actor: 'user' });
  const { notes } = await write('<p>Open always now</p>');
  expect(now()).toBe(half('Open always now'));
  expect(notes).toEqual([expect.stringContaining('acme/hours repeats words in its attributes')]);
  const { notes: back } = await write('<p>Open daily now</p>');
  expect([now(), back]).toEqual([half('Open daily now'), undefined]);
});

/** A WordPress whose posts are these; its lists hold what was changed since, as WordPress's do. */
function postsClient(posts: RemoteEntry[]): WordPressClient {
  const client = {
    ...bare,
    media: { ids: () => Promise.resolve([]), list: none },
    entries: {
      ...noEntries,
      heads: (type: string) => Promise.resolve(type === 'post' ? posts : []),
      get: (_type: string, id: number) => Promise.resolve(posts.find(({ remoteId }) => remoteId === id)),
      async *list(type: string, { modifiedSince = 0, include }: { modifiedSince?: number; include?: number[] } = {}) {
        const items = posts.filter(
          ({ remoteId, modifiedGmt }) => modifiedGmt >= modifiedSince && (include?.includes(remoteId) ?? true),
        );
        if (type === 'post') yield { items, total: items.length };
      },
    },
  };
  return client as unknown as WordPressClient;
}

const postOf = (remoteId: number, title: string, more: Partial<RemoteEntry> = {}): RemoteEntry => {
  const dated = { dateGmt: NOW - 9_000_000, modifiedGmt: NOW - 9_000_000 };
  const slug = title.toLowerCase();
  return remoteEntry({ remoteId, title, titleRaw: title, slug, ...dated, link: `${SITE.url}/${slug}/`, ...more });
};

it('a change dated in the future hides nothing that is changed before that', async ({ db: database }) => {
  const posts = [postOf(1, 'Old'), postOf(2, 'Ahead', { modifiedGmt: NOW + 365 * 86_400_000 })];
  let now = NOW;
  const site = await contentOf(database, postsClient(posts), { now: () => now });
  const { content } = site;
  await site.pull();
  const titles = async () => (await content.query({})).items.map(({ title }) => title).toSorted();
  posts[0] = postOf(1, 'New', { modifiedGmt: NOW + 5_000 });
  now += 10_000;
  expect(await titles()).toEqual(['Ahead', 'New']);
});

it('another password of a post is known at the next look, all of it or one alone', async ({ db: database }) => {
  const posts = [postOf(1, 'Secret', { password: 'first' })];
  let now = NOW;
  const site = await contentOf(database, postsClient(posts), { now: () => now });
  await site.pull();
  const [entry] = (await site.content.query({})).items;
  const passwordKept = async () => {
    const link = await createMirrorRepository(database, SITE.id).link(entry!.id);
    return (link!.known as { fields: { password: string } }).fields.password;
  };
  expect(await passwordKept()).toBe('first');
  posts[0] = postOf(1, 'Secret', { password: 'second', modifiedGmt: NOW + 5_000 });
  now += 10_000;
  await site.content.query({});
  expect(await passwordKept()).toBe('second');
  posts[0] = postOf(1, 'Secret', { password: 'third', modifiedGmt: NOW + 15_000 });
  now += 10_000;
  await site.content.get(entry!.id);
  expect(await passwordKept()).toBe('third');
});

it("the trash mirrors WordPress's, and a quick check sees new items", async ({ db: database }) => {
  const posts = [postOf(1, 'Kept'), postOf(2, 'Thrown', { status: 'trash' }), postOf(3, 'Going')];
  let now = NOW;
  const site = await contentOf(database, postsClient(posts), { now: () => now });
  const { content } = site;
  await site.pull();
  posts[2] = postOf(3, 'Going', { status: 'trash', modifiedGmt: NOW + 5_000 });
  now += 10_000;
  const trash = async () => (await content.query({ state: 'trashed' })).items.map(({ title }) => title).toSorted();
  expect((await content.query({})).items.map(({ title }) => title)).toEqual(['Kept']);
  expect(await trash()).toEqual(['Going', 'Thrown']);
  expect((await content.changes({ actor: 'external' })).map(({ summary }) => summary)).toContain(
    'Found the post "Thrown" in the trash of WordPress',
  );
});

/** A published post in WordPress, with a draft of it begun here. */
async function draftOfPublished(database: Database) {
  const { client, write, there } = postClient();
  const clock = { now: NOW };
  const by = { actor: 'assistant', sessionId: 'ses_1' } as const;
  const { content } = await contentOf(database, client, { now: () => clock.now });
  const sections = [{ type: 'text' as const, fields: { body: 'We are open by client. Beta I.' } }];
  const { entry } = await content.create({ type: 'post', title: 'Hours', sections }, { actor: 'user' });
  await content.publish(entry.id, { actor: 'user' });
  const [{ id: sectionId } = { id: '' }] = entry.draft.sections;
  const edit = (body: string) => content.patch(entry.id, [{ op: 'set-section', sectionId, fields: { body } }], by);
  await edit('We are open by client. Beta II.');
  /** The client saves in WordPress, a while later. */
  const save = async (from: string, to: string) => {
    clock.now += 10_000;
    await write({ contentRaw: there().contentRaw.replace(from, to), modifiedGmt: clock.now });
  };
  return { client, content, id: entry.id, edit, save, there, by, clock };
}

it('publishing over words changed in WordPress warns before and after', async ({ db: database }) => {
  const { content, id, edit, save, there } = await draftOfPublished(database);
  expect(await content.cautions(await content.get(id))).toEqual([]);
  await save('by client.', 'by client, CLOSED ON MONDAY.');
  const words = /on 5 Jan 2027, 00:00 UTC \(text section › body, ".*by client\. Beta I\." to ".*CLOSED ON MONDAY/;
  const warned = expect.stringMatching(words) as string;
  expect(await content.cautions(await content.get(id))).toMatchObject([
    { code: 'wordpress-text-at-risk', text: warned },
  ]);
  const [caution] = await content.cautions(await content.get(id));
  expect(messageRenderer('de', german.server)(caution!)).toContain(': Abschnitt „Text“ › Text: „');
  expect(await content.validate(id)).toContainEqual(
    expect.objectContaining({ path: 'published', severity: 'warning', message: warned }),
  );
  expect((await content.publish(id, { actor: 'user' }, { dryRun: true })).notes).toEqual([warned]);

  // Who takes the words over replaces none.
  await edit('We are open by client, CLOSED ON MONDAY. Beta II.');
  expect(await content.cautions(await content.get(id))).toEqual([]);
  await edit('We are open by client. Beta III.');

  expect((await content.publish(id, { actor: 'user' })).notes).toEqual([warned]);
  expect(there().contentRaw).toContain('Beta III.');
  await edit('We are open by client. Beta IV.');
  expect(await content.cautions(await content.get(id))).toEqual([]);
  expect((await content.publish(id, { actor: 'user' })).notes).toBeUndefined();
});

it('the dry run of an undo finds changes in WordPress, as the undo does, and names them', async ({ db: database }) => {
  const { content, id, save, by, clock } = await draftOfPublished(database);
  await content.publish(id, by);
  clock.now += 10_000;
  await content.query({});
  await save('Beta II.', 'Gamma.');
  const undo = (dryRun: boolean) => content.undoAll({ sessionId: by.sessionId }, by, { dryRun });
  await expect(undo(true)).rejects.toThrow(/in WordPress\) \(chg_.*Undo them first \(that takes back what was made in/);
  await expect(undo(false)).rejects.toThrow(/Later changes would be lost/);
});

it('a write whose answer was lost counts if WordPress has what was sent', async ({ db: database }) => {
  const { client, content, id, edit, there, by } = await draftOfPublished(database);
  const update = client.entries.update.bind(client.entries);
  let isAsSent = true;
  client.entries.update = async (type, remoteId, fields) => {
    await update(type, remoteId, isAsSent ? fields : { ...fields, contentRaw: 'Another text.' });
    throw new SiteUnavailableError('WordPress at kiln.example fails (500).', { details: { status: 500 } });
  };
  expect(await content.publish(id, by)).toMatchObject({ change: { origin: by } });
  expect(there().contentRaw).toContain('Beta II.');
  expect(await content.changes({ actor: 'external', targetId: id })).toEqual([]);
  isAsSent = false;
  expect((await edit('Beta III.')).notes).toBeUndefined();
  await expect(content.publish(id, by)).rejects.toThrow('500');
});

it('a cover of the library has its place in WordPress before it is published, too', async ({ db: database }) => {
  const { client, write } = postClient();
  const picture = { mediaType: 'image/png', filename: 'bowl.png', width: 8, height: 8, alt: '', size: 3 };
  const sourceUrl = `${SITE.url}/wp-content/uploads/bowl.png`;
  const file = { ...picture, remoteId: 5, sourceUrl, modifiedGmt: NOW, dateGmt: NOW } as RemoteMedia;
  const media = { ids: () => Promise.resolve([5]), list: () => [{ items: [file], total: 1 }], get: () => file };
  const site = await contentOf(database, { ...client, media } as unknown as WordPressClient);
  const { content } = site;
  await site.pull();
  const { entry } = await content.create({ type: 'post', title: 'Bowls' }, { actor: 'user' });
  await content.publish(entry.id, { actor: 'user' });
  const [asset] = (await content.assets.list({})).items;
  const cover = (value: string) => content.patch(entry.id, [{ op: 'set', field: 'image', value }], { actor: 'user' });
  expect((await cover(`/media/${asset!.id}/bowl.png`)).notes).toBeUndefined();
  expect((await cover('https://elsewhere.example/bowl.png')).notes).toMatchObject([/not of the media library/]);
  await write({});
});

it('a menu is not written over another one that visitors see by now', async ({ db: database }) => {
  const shop = '<!-- wp:navigation-link {"label":"Shop","url":"https://shop.example"} /-->';
  const item = { parent: 0, opensIn: '', classes: [], relations: [], description: '', hint: '', isShown: true };
  const news = { ...item, id: 4, title: 'News', url: `${SITE.url}/category/news/`, type: 'taxonomy', order: 1 };
  const place = { remoteId: 3, location: null, hidden: null };
  let kind = 'blocks';
  const touched = vi.fn();
  const menus = {
    find: () => Promise.resolve({ ...place, kind }),
    blocks: { get: () => Promise.resolve({ remoteId: 3, isPublished: true, contentRaw: shop }), update: touched },
    classic: {
      items: () => Promise.resolve([{ ...news, object: 'category', objectId: 2 }]),
      createItem: touched,
      updateItem: touched,
      removeItem: touched,
    },
  };
  const client = { ...bare, entries: noEntries, menus } as unknown as WordPressClient;
  let now = NOW;
  const site = await contentOf(database, client, { now: () => now });
  const { content } = site;
  await site.pull();
  kind = 'classic';
  now += 10_000;
  expect(await content.navigation()).toMatchObject([{ label: 'Shop' }]);
  const written = content.setNavigation([{ label: 'Shop', href: 'https://shop.example/new' }], { actor: 'user' }, {});
  await expect(written).rejects.toThrow(/changed meanwhile/);
  expect(touched).not.toHaveBeenCalled();
  expect(await content.navigation()).toMatchObject([{ label: 'News' }]);
});

it('the result of a write has the entry as stored by WordPress, so no read follows', async ({ db: database }) => {
  const { client } = postClient();
  const { content } = await contentOf(database, client);
  const { entry } = await content.create({ type: 'post', title: 'Hours' }, { actor: 'user' });
  const update = client.entries.update.bind(client.entries);
  client.entries.update = (type, remoteId, fields) => update(type, remoteId, { ...fields, title: 'Hours (new)' });
  const title = { op: 'set' as const, field: 'title' as const, value: 'Hours in winter' };
  const written = await content.patch(entry.id, [title], { actor: 'user' });
  expect(written.entry.draft.title).toBe('Hours (new)');
  expect(written.notes).toEqual([expect.stringContaining('WordPress changed it')]);
  const request = vi.spyOn(client.entries, 'get');
  expect((await content.get(entry.id)).draft.title).toBe('Hours (new)');
  expect(request).not.toHaveBeenCalled();
});

it('the reason of a failed write is reported immediately', async ({ db: database }) => {
  const faults: (string | null)[] = [];
  const { content } = await contentOf(database, forgetfulClient(), {
    onFault: (reason) => faults.push(reason && reason.text),
  });
  await expect(content.create({ type: 'page', title: 'Hours' }, { actor: 'user' })).rejects.toThrow('504');
  expect(faults).toEqual(['kiln.example cannot be used (504).']);
});
