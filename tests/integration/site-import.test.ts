import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { seedSite } from '#scripts/seed';
import type { ContentBackend } from '#server/site/content-backend';
import { partsOf, Site } from '#server/site/site';
import { NotFoundError } from '#server/core/errors';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { EMBEDDED_SITE, type EntryType } from '#server/core/site/content';
import type { ImportReport, ImportRun } from '#server/core/site/imports';
import type { FetchPicture } from '#server/core/site/prepared-picture';
import { exportSite } from '#server/import-export/export-site';
import { Imports } from '#server/import-export/imports';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { createImportRepository } from '#server/import-export/import-repository';
import { createLeases, type Leases } from '#server/platform/database/leases';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase, itWithDatabase as it } from '#tests/support/test-database';

const year = new Date().getUTCFullYear() + 1;
const odd = readFileSync('tests/fixtures/wxr/odd-site.xml', 'utf8').replaceAll('{{FUTURE}}', `${year}-12-01 08:00:00`);
const noPictures: FetchPicture = () => Promise.reject(new Error('No picture was asked for.'));

/** Replacements for dependencies of the import. */
interface Given {
  readonly leases?: Pick<Leases, 'ifFree'>;
  readonly content?: (own: ContentBackend) => ContentBackend;
}

/** A site in a new database, and imports into it. */
function siteOf(database: Database, fetchPicture: FetchPicture = noPictures, replaced: Given = {}) {
  const content = new EmbeddedSite(createContentRepository(database), { preparePicture, fetchPicture });
  const store = createImportRepository(database);
  const faults: string[] = [];
  const imports = new Imports({
    store,
    leases: replaced.leases ?? createLeases(database),
    sites: () =>
      Promise.resolve([
        { id: EMBEDDED_SITE, name: 'Clay', url: null, content: replaced.content?.(content) ?? content },
      ]),
    onFault: (message) => faults.push(message),
  });
  const file = (text: string | Uint8Array, options: { pictures?: boolean; settings?: boolean } = {}) => ({
    data: typeof text === 'string' ? new TextEncoder().encode(text) : text,
    filename: 'site.xml',
    userId: 'own_local',
    options: { pictures: false, settings: false, ...options },
  });
  return {
    content,
    imports,
    store,
    faults,
    file,
    run: async (...given: Parameters<typeof file>): Promise<ImportRun> =>
      imports.finished((await imports.start(file(...given))).id),
  };
}

/** Every thing of the file is counted, as taken or as left out. */
function countedItems({ counts, notTaken }: ImportReport, others: readonly string[]): number {
  const counted = Object.values(counts).flatMap((count) => Object.values(count));
  const told = notTaken.filter(({ kind }) => others.includes(kind)).map(({ count }) => count);
  return [...counted, ...told].reduce((sum, count) => sum + count, 0);
}

/** A site with some methods replaced. */
function withMethods(content: ContentBackend, methods: Partial<ContentBackend>): ContentBackend {
  return Object.assign(new Site(() => partsOf(content)), methods);
}

async function wholeSite(content: ContentBackend): Promise<string> {
  let text = '';
  for await (const piece of exportSite(content, { media: true, trashed: false })) text += piece;
  return text;
}

describe('an import from WordPress', () => {
  it('imports or reports every item of the file, and publishes nothing that was not public', async ({
    db: database,
  }) => {
    const { content, run, imports, file } = siteOf(database);
    const rehearsed = await imports.rehearse(file(odd));
    expect((await content.query({})).total).toBe(0);
    const { status, done, total, report, id } = await run(odd);
    expect({ status, done }).toEqual({ status: 'complete', done: total });
    expect(rehearsed.report).toEqual(report);
    expect(countedItems(report, ['recipe', 'file'])).toBe(27 + 2);
    expect(report.counts).toMatchObject({ page: { created: 5 }, post: { created: 10, notTaken: 2 } });

    const published = await content.query({ state: 'published', select: ['sections'], limit: 100 });
    expect(published.total).toBe(10);
    expect(JSON.stringify(published)).not.toContain('SECRET');
    const locked = await content.get('locked', 'post');
    expect(locked).toMatchObject({ published: null, publishAt: null });
    expect(JSON.stringify(locked.draft)).toContain('SECRET-PASSWORD');
    expect(await content.get('to-come', 'post')).toMatchObject({
      published: null,
      publishAt: Date.UTC(year, 11, 1, 8),
    });

    const team = await content.get('team', 'page');
    expect(await content.pathOf(team, 'published')).toBe('/about-us/team');
    expect(team.publishedAt).toBe(Date.parse('2019-03-04T05:06:07Z'));
    expect(await content.findByPath('/2019/03/04/hello', 'published')).toEqual({ kind: 'redirect', to: '/blog/hello' });
    const about = JSON.stringify((await content.get('about-us', 'page')).draft.sections);
    expect(about).toContain('(/blog/hello)');
    expect(about).toContain('(/about-us/team#mara)');
    expect(about).toContain('(https://old.example/nowhere/)');
    expect((await content.get('hello-2', 'post')).draft.title).toBe('Hello again');
    expect(await content.navigation()).toEqual([
      {
        label: 'About us',
        href: '/about-us',
        children: [
          {
            label: 'Team',
            href: '/about-us/team',
            children: [{ label: 'Deeper', href: 'https://elsewhere.example/' }],
          },
        ],
      },
    ]);
    const changes = await content.changes({ sessionId: id, limit: 1_000 });
    expect(changes.length).toBeGreaterThan(25);
    expect(changes.every(({ origin }) => origin.actor === 'import' && origin.userId === 'own_local')).toBe(true);
  });

  it('a second run creates nothing, takes changes of the source, and keeps local changes', async ({ db: database }) => {
    const { content, run } = siteOf(database);
    await run(odd);
    const again = await run(odd);
    expect(again.report.counts).toMatchObject({
      page: { created: 0, updated: 0, unchanged: 5 },
      post: { created: 0, updated: 0, unchanged: 10 },
      menu: { created: 0, updated: 0 },
    });

    const { id } = await content.get('about-us', 'page');
    await content.patch(id, [{ op: 'set', field: 'excerpt', value: 'By hand.' }], { actor: 'user' });
    const gone = await content.get('orphan', 'page');
    await content.trash(gone.id, { actor: 'user' });
    const newer = odd.replace('First words', 'Other words').replace('Who we are.', 'Who they say we are.');
    const { report } = await run(newer);
    expect(report.counts).toMatchObject({
      page: { created: 0, updated: 0, unchanged: 4, notTaken: 1 },
      post: { created: 0, updated: 1, unchanged: 9 },
    });
    expect(
      report.altered.some(
        ({ kind, name, reason }) =>
          kind === 'page' && name === 'About us' && reason.startsWith('It has been changed here'),
      ),
    ).toBe(true);
    const hello = await content.get('hello', 'post');
    expect(hello.status).toBe('published');
    expect(JSON.stringify(hello.published)).toContain('Other words');
    expect(JSON.stringify(await content.get(id))).not.toContain('they say');
  });

  it('is undone as a whole, except for later changes, and can be repeated', async ({ db: database }) => {
    const { content, run, imports } = siteOf(database);
    const first = await run(odd);
    const { id } = await content.get('hello-2', 'post');
    await content.patch(id, [{ op: 'set', field: 'title', value: 'Ours now' }], { actor: 'user' });
    const { conflicts } = await imports.undo(first.id, { actor: 'user', userId: 'own_local' });
    expect(conflicts.map(({ change }) => change.targetId)).toContain(id);
    expect((await content.query({})).items.map(({ title }) => title)).toEqual(['Ours now']);
    expect(await content.navigation()).toEqual([]);
    const { report } = await run(odd);
    expect(report.counts).toMatchObject({ page: { created: 5 }, post: { created: 9, unchanged: 1 } });
  });

  it('does not reveal the title of a private page in the menu', async ({ db: database }) => {
    const { content, run } = siteOf(database);
    const meta = { _menu_item_type: 'post_type', _menu_item_object_id: '1' };
    const fields = Object.entries(meta).map(
      ([key, value]) =>
        `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`,
    );
    const { report } = await run(
      `<rss><channel><title>T</title><link>https://old.example</link>
      <item><title>Salaries</title><wp:post_id>1</wp:post_id><wp:status>private</wp:status><wp:post_type>page</wp:post_type></item>
      <item><title>SECRET</title><wp:post_id>2</wp:post_id><wp:post_type>nav_menu_item</wp:post_type>
      <category domain="nav_menu" nicename="m">M</category>${fields.join('')}</item></channel></rss>`,
    );
    expect(report.notTaken).toContainEqual(expect.objectContaining({ kind: 'menu', name: 'SECRET', count: 1 }));
    expect(report.altered).toContainEqual(expect.objectContaining({ kind: 'settings', name: 'home page' }));
    expect(await content.navigation()).toEqual([]);
  });

  it('fetches pictures on request; unavailable ones keep their address', async ({ db: database }) => {
    const picture = await colouredPicture('#884422');
    const asked: string[] = [];
    const { content, run } = siteOf(database, async (address) => {
      asked.push(address);
      return { data: picture, filename: 'kiln.png' };
    });
    await run(odd);
    expect(JSON.stringify((await content.get('hello', 'post')).draft)).toContain('https://old.example/wp-content/');
    expect(asked).toEqual([]);
    const { report } = await run(odd, { pictures: true });
    expect(asked).toEqual(['https://old.example/wp-content/uploads/kiln.png']);
    expect(report.counts).toMatchObject({ picture: { created: 1 }, post: { created: 0, updated: 1 } });
    const [asset] = (await content.assets.list({})).items;
    const hello = await content.get('hello', 'post');
    expect(hello.draft.image).toBe(asset?.url);
    expect(JSON.stringify(hello.draft.sections)).toContain(asset?.url);
    expect(JSON.stringify(hello.draft)).not.toContain('old.example/wp-content');
    expect((await run(odd)).report.counts).toMatchObject({ picture: { unchanged: 1 }, post: { updated: 0 } });
  });

  it('ends when it is cancelled or the server stops, and resumes without duplicates', async ({ db: database }) => {
    let fetching = Promise.withResolvers<void>();
    const hanging: FetchPicture = (_address, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('cut off')), { once: true });
        fetching.resolve();
      });
    const { imports, file, run, store, content } = siteOf(database, hanging);
    const { id } = await imports.start(file(odd, { pictures: true }));
    await fetching.promise;
    await expect(imports.start(file(odd))).rejects.toThrow('An import is already running');
    expect(await imports.cancel(id)).toMatchObject({ status: 'cancelled', error: null });

    fetching = Promise.withResolvers<void>();
    const second = await imports.start(file(odd, { pictures: true }));
    await fetching.promise;
    await imports.close();
    const stopped = await imports.get(second.id);
    expect(stopped).toMatchObject({ status: 'failed' });
    expect(stopped.error).toMatch(/stopped after \d+ of \d+ items\. Import the file again/);
    await expect(imports.start(file(odd))).rejects.toThrow('stopping');
    expect((await content.query({})).total).toBe(0);
    expect(await run.call(null, odd).catch((error: Error) => error.message)).toContain('stopping');

    // A process that died left this, and a page without a record.
    await content.create({ type: 'page', title: 'About us' }, { actor: 'import', sessionId: id });
    const report = stopped.report;
    const dead = await store.begin({ siteId: EMBEDDED_SITE, filename: 'x.xml', format: 'wxr', total: 9, report });
    const next = siteOf(database);
    expect(await next.imports.list()).toMatchObject([
      {
        id: dead.id,
        status: 'failed',
        error: expect.stringMatching(/^The server ended after 0 of 9 items\. /) as string,
      },
      {},
      {},
    ]);
    expect((await next.run(odd)).status).toBe('complete');
    expect((await next.content.query({})).total).toBe(15);
  });

  it('says why it failed and how far it came', async ({ db: database }) => {
    const full = (content: ContentBackend) =>
      withMethods(content, { create: () => Promise.reject(new Error('The disk is full.')) });
    const { run } = siteOf(database, noPictures, { content: full });
    const { status, error } = await run(odd);
    expect(status).toBe('failed');
    expect(error).toMatch(/^The import failed: The disk is full\. It stopped after \d+ of \d+ items\. Import the file/);
  });

  it('may begin as soon as the previous one is reported complete', async ({ db: database }) => {
    const own = createLeases(database);
    const through = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<void>();
    const slow: Pick<Leases, 'ifFree'> = {
      async ifFree(name, work) {
        const outcome = await own.ifFree(name, async (lost) => {
          const done = await work(lost);
          through.resolve();
          // Giving it back takes its time.
          await gate.promise;
          return done;
        });
        if (outcome === null) refused.resolve();
        return outcome;
      },
    };
    const { imports, store, file } = siteOf(database, noPictures, { leases: slow });
    const { id } = await imports.start(file(odd));
    await through.promise;
    expect(await store.get(id)).toMatchObject({ status: 'complete' });
    // However long this machine takes: the time for which the lease is waited for does not pass.
    using _ = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const next = imports.start(file(odd));
    await Promise.race([refused.promise, next.catch(() => undefined)]);
    gate.resolve();
    expect(await imports.finished((await next).id)).toMatchObject({ status: 'complete' });
  });

  it('and its undo never run concurrently', async ({ db: database }) => {
    const undone = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { imports, file, run, content } = siteOf(database, noPictures, {
      content: (own) =>
        withMethods(own, {
          async undoAll(...args) {
            const outcome = await own.undoAll(...args);
            undone.resolve();
            await gate.promise;
            return outcome;
          },
        }),
    });
    const { id } = await run(odd);
    const undoing = imports.undo(id, { actor: 'user' });
    await undone.promise;
    const again = imports.start(file(odd));
    const refused = expect(again).rejects.toThrow('is being undone');
    await Promise.race([refused, again]).catch(() => undefined);
    gate.resolve();
    await undoing;
    await refused;
    expect((await run(odd)).report.counts).toMatchObject({ page: { created: 5 }, post: { created: 10 } });
    expect((await content.query({})).total).toBe(15);
  });

  it('does not publish text that was written into an entry during the import', async ({ db: database }) => {
    const value = 'Not ready to be seen.';
    const { run, content } = siteOf(database, noPictures, {
      content: (own) =>
        withMethods(own, {
          async create(...args) {
            const made = await own.create(...args);
            const { id, draft } = made.entry;
            const patch = [{ op: 'set', field: 'excerpt', value }] as const;
            if (draft.slug === 'hello') await own.patch(id, patch, { actor: 'user' });
            return made;
          },
        }),
    });
    const { status, report } = await run(odd);
    expect(status).toBe('complete');
    const hello = await content.get('hello', 'post');
    expect(hello).toMatchObject({ published: null, draft: { excerpt: value } });
    expect(report.altered).toContainEqual(
      expect.objectContaining({ kind: 'post', reason: expect.stringMatching(/only in part: .*has changed/) }),
    );
    expect((await run(odd)).report.counts).toMatchObject({ post: { created: 0, updated: 0 } });
    expect(await content.get('hello', 'post')).toEqual(hello);
  });

  it('keeps comments for an export, which brings them along', async ({ db: database }) => {
    const { content, run, store } = siteOf(database);
    await run(odd);
    const { id } = await content.get('hello', 'post');
    const kept = await store.comments(EMBEDDED_SITE);
    expect([...kept.keys()]).toEqual([id]);
    expect(kept.get(id)).toMatchObject([
      { id: '1', content: 'Nice & <item> </item> one', isApproved: true },
      { id: '2' },
    ]);
    let text = '';
    for await (const piece of exportSite(content, { media: false, trashed: false, comments: kept })) text += piece;
    await using other = await createTestDatabase();
    const there = siteOf(other);
    await there.imports.finished((await there.imports.start(there.file(text))).id);
    const again = await there.store.comments(EMBEDDED_SITE);
    expect([...again.values()]).toEqual([...kept.values()]);
  });

  it('goes to the requested site, and publishes on a connected site only after approval', async ({ db: database }) => {
    await using other = await createTestDatabase();
    const contentIn = (db: Database) =>
      new EmbeddedSite(createContentRepository(db), { preparePicture, fetchPicture: noPictures });
    const [own, connected] = [contentIn(database), contentIn(other)];
    const target = { id: 'wps_01kas8xk2d4f6h8j0m2p4r6t8v', name: 'Kiln', url: 'https://kiln.example' };
    const imports = new Imports({
      store: createImportRepository(database),
      leases: createLeases(database),
      sites: () =>
        Promise.resolve([
          { id: EMBEDDED_SITE, name: 'Clay', url: null, content: own },
          { ...target, content: connected },
        ]),
      onFault: (message) => expect.fail(message),
    });
    const options = { pictures: false, settings: false };
    const file = { data: new TextEncoder().encode(odd), filename: 'site.xml', options };
    await expect(imports.start(file)).rejects.toThrow(
      `Say which site it goes into, as \`site\`: embedded (Clay), ${target.id} (${target.url}).`,
    );
    // Sites of others are not revealed, and nothing is imported into them.
    const theirs = [target.id];
    for (const work of ['start', 'rehearse'] as const) {
      await expect(imports[work]({ ...file, siteId: EMBEDDED_SITE, theirs })).rejects.toThrow(NotFoundError);
      await expect(imports[work]({ ...file, theirs: [] })).rejects.toThrow('Say which site');
    }
    expect(await imports.rehearse({ ...file, theirs })).toMatchObject({ target });
    const siteId = target.id;
    const rehearsed = await imports.rehearse({ ...file, siteId });
    expect(rehearsed).toMatchObject({ target, approval: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const { appears } = rehearsed.report;
    const count = async (content: ContentBackend, type: EntryType) =>
      (await content.query({ type, state: 'published', limit: 1 })).total;
    await expect(imports.start({ ...file, siteId })).rejects.toThrow(
      `Visitors of https://kiln.example would see at once: ${appears.page} pages, ${appears.post} posts`,
    );
    const approve = rehearsed.approval ?? '';
    const otherwise = { ...file, options: { ...options, settings: true } };
    await expect(imports.start({ ...otherwise, siteId, approve })).rejects.toThrow(/It is not what was approved of/);
    expect([await count(connected, 'page'), (await imports.list()).length]).toEqual([0, 0]);

    const { id } = await imports.start({ ...file, siteId, approve });
    const run = await imports.finished(id);
    expect(run).toMatchObject({ status: 'complete', target, approval: null, report: { appears } });
    expect([await count(connected, 'page'), await count(connected, 'post')]).toEqual([appears.page, appears.post]);
    expect(await count(own, 'page')).toBe(0);
    // A page that was changed since stays.
    const [touched] = (await connected.query({ type: 'page', limit: 1 })).items;
    await connected.patch(touched!.id, [{ op: 'set', field: 'title', value: 'Ours now' }], { actor: 'user' });
    const { conflicts } = await imports.undo(id, { actor: 'user' });
    expect(conflicts.length).toBeGreaterThan(0);
    expect((await connected.query({})).items.map(({ title }) => title)).toEqual(['Ours now']);
    // If nothing appears immediately, no approval is needed; the built-in site never needs one.
    const { id: ownRun } = await imports.start({ ...file, siteId: EMBEDDED_SITE });
    expect(await imports.finished(ownRun)).toMatchObject({ status: 'complete', target: { id: EMBEDDED_SITE } });
    expect((await imports.list(EMBEDDED_SITE)).map((each) => each.id)).toEqual([ownRun]);
  });
});

describe('our own export', () => {
  /** The same site but for ids, and times that are those of the import. */
  function comparable(text: string): unknown {
    const ids = new Map<string, string>();
    const named = text.replaceAll(/\b(?:pag|pos|sec|ast)_[0-9a-z]{6}\b/g, (id) => {
      const prefix = id.slice(0, 4);
      const known = ids.get(id) ?? `${prefix}${[...ids.keys()].filter((other) => other.startsWith(prefix)).length}`;
      ids.set(id, known);
      return known;
    });
    const times = new Set(['createdAt', 'updatedAt', 'exportedAt']);
    return JSON.parse(named, (name, value: unknown) => (times.has(name) ? 0 : value));
  }

  it('into an empty site and out again is the same', async () => {
    await using one = await createTestDatabase();
    await using other = await createTestDatabase();
    const source = siteOf(one);
    const { content } = source;
    await seedSite(content);
    const by = { actor: 'user' } as const;
    const { asset } = await content.assets.add(
      { data: await colouredPicture('#224488'), filename: 'kiln.png', alt: 'The kiln', tags: ['studio'] },
      by,
    );
    const changed = await content.get('workshops', 'page');
    const section = {
      id: 'sec_bcdfgh',
      type: 'text',
      fields: { body: `![Kiln](${asset.url}) and [more](/our-story)` },
    } as const;
    await content.patch(
      changed.id,
      [
        { op: 'insert-section', section },
        { op: 'set', field: 'image', value: asset.url },
      ],
      by,
    );
    const { entry: moved } = await content.create(
      { type: 'page', title: 'Glazes', slug: 'glazes', parent: changed.id },
      by,
    );
    await expect(content.publish(moved.id, by, { publishedAt: Date.now() + 60_000 })).rejects.toThrow('future');
    await expect(content.publish(moved.id, by, { formerPaths: ['//elsewhere'] })).rejects.toThrow('no path');
    await content.publish(moved.id, by, { publishedAt: 1_262_304_000_000 });
    await content.patch(moved.id, [{ op: 'set', field: 'slug', value: 'our-glazes' }], by);
    await content.publish(moved.id, by);
    await content.schedule(changed.id, Date.UTC(year, 5, 1), by);
    await content.patch(changed.id, [{ op: 'set', field: 'excerpt', value: 'Changed since it was planned.' }], by);
    await content.setStandingInstructions({ voice: 'Warm.', glossary: [], rules: ['Never blue.'] }, by);
    const columns = [{ title: 'More', links: [{ label: 'The kiln', href: asset.url }] }];
    const design = { logo: { light: asset.url }, icon: asset.url, footer: { columns } };
    await content.updateDesign({ ...design, corners: 'round' }, by, { isPublished: true });
    await content.updateDesign({ corners: 'square' }, by);
    const exported = await wholeSite(content);

    const target = siteOf(other);
    const { report, status } = await target.run(exported, { settings: true });
    expect(status).toBe('complete');
    expect(report).toMatchObject({ notTaken: [], altered: [] });
    expect(comparable(await wholeSite(target.content))).toEqual(comparable(exported));

    const { counts } = (await target.run(exported, { settings: true })).report;
    expect(Object.values(counts).map(({ created, updated }) => created + updated)).toEqual([0, 0, 0, 0, 0]);
    const itself = (await source.run(exported, { settings: true })).report;
    expect(Object.values(itself.counts).map(({ created, updated }) => created + updated)).toEqual([0, 0, 0, 0, 0]);
    expect(itself.altered).toEqual([]);
  });

  it('includes pictures that only link previews show, and renamed ones', async () => {
    await using one = await createTestDatabase();
    await using other = await createTestDatabase();
    const { content } = siteOf(one);
    const by = { actor: 'user' } as const;
    const picture = async (colour: string, filename: string) =>
      (await content.assets.add({ data: await colouredPicture(colour), filename, alt: '', tags: [] }, by)).asset;
    const preview = await picture('#224488', 'preview.png');
    const kiln = await picture('#884422', 'kiln.png');
    const { entry } = await content.create(
      {
        type: 'page',
        title: 'Glazes',
        seo: { image: preview.url },
        sections: [{ type: 'text', fields: { body: `![Kiln](${kiln.url})` } }],
      },
      by,
    );
    await content.publish(entry.id, by);
    await content.assets.update(kiln.id, { filename: 'big-kiln.png' }, by);

    const target = siteOf(other);
    const { report } = await target.run(await wholeSite(content));
    expect(report.altered).toEqual([]);
    const { draft } = await target.content.get('glazes');
    const { items } = await target.content.assets.list({});
    const idOf = (filename: string) => items.find((item) => item.filename === filename)?.id;
    expect(draft.seo?.image).toBe(`/media/${idOf('preview.png')}/preview.png`);
    expect(draft.sections[0]?.fields['body']).toBe(`![Kiln](/media/${idOf('big-kiln.png')}/big-kiln.png)`);
  });

  it('of a connected site with unknown groups takes drafts and changes too', async () => {
    await using one = await createTestDatabase();
    await using other = await createTestDatabase();
    const { content } = siteOf(one);
    const by = { actor: 'user' } as const;
    const { entry } = await content.create({ type: 'post', title: 'Glazes' }, by);
    await content.publish(entry.id, by);
    await content.patch(entry.id, [{ op: 'set', field: 'title', value: 'New glazes' }], by);
    const exported = (await wholeSite(content)).replaceAll(
      '"sections":[]',
      '"terms":{"category":["Studio"]},"custom":{"place":"Bath"},"sections":[]',
    );
    const target = siteOf(other);
    const { report } = await target.run(exported, { settings: true });
    expect(report.altered).toEqual([]);
    expect(report.notTaken.map(({ kind, name }) => [kind, name])).toEqual([
      ['category', 'Studio'],
      ['custom field', 'place'],
    ]);
    expect(await target.content.get(entry.draft.slug)).toMatchObject({
      draft: { title: 'New glazes' },
      published: { title: 'Glazes' },
    });
    const renamed = exported.replaceAll('New glazes', 'Newer glazes');
    expect((await target.run(renamed)).report.altered).toEqual([]);
    expect((await target.content.get(entry.draft.slug)).draft.title).toBe('Newer glazes');
  });

  it('imports an overdue plan as a draft, and reports what cannot be published', async () => {
    await using one = await createTestDatabase();
    await using other = await createTestDatabase();
    const { content } = siteOf(one);
    const by = { actor: 'user' } as const;
    const soon = (await content.create({ type: 'page', title: 'Soon' }, by)).entry;
    const now = (await content.create({ type: 'page', title: 'Now' }, by)).entry;
    await content.publish(now.id, by);
    const publishAt = Date.UTC(year, 5, 1);
    await content.schedule(soon.id, publishAt, by);
    const redirects = JSON.stringify([{ from: '/', target: now.id, createdAt: 1 }]);
    const exported = (await wholeSite(content))
      .replace(`"publishAt":${publishAt}`, '"publishAt":1000')
      .replace('"redirects":[]', `"redirects":${redirects}`);
    const target = siteOf(other);
    const { report } = await target.run(exported);
    expect(report.counts.page).toMatchObject({ created: 2, notTaken: 0 });
    expect(report.altered.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      expect.stringMatching(/^Soon: Its planned time has passed/),
      expect.stringMatching(/^Now: It was imported only in part: "\/" is no path/),
    ]);
    expect((await target.content.query({})).items.map(({ status }) => status)).toEqual(['draft', 'draft']);
  });
});

const fixture = (name: string) => readFileSync(`tests/fixtures/wxr/${name}.xml`);

/** Large files, with how often a word is in them: the shapes that used to lose most of their content. */
function largeExport(body: string): string {
  const item = (id: number, slug: string, content: string) =>
    `<item><title>${slug}</title><link>https://old.example/${slug}/</link><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>${id}</wp:post_id><wp:post_name>${slug}</wp:post_name><wp:status>publish</wp:status><wp:post_type>page</wp:post_type></item>`;
  return `<?xml version="1.0"?><rss><channel><title>Old</title><link>https://old.example</link>${item(1, 'large', body)}${item(2, 'small', '<p>Small</p>')}</channel></rss>`;
}

/** A text in UTF-8, with a byte in place of its NUL. */
function withByte(text: string, byte: number): Buffer {
  const data = Buffer.from(text);
  data[data.indexOf(0)] = byte;
  return data;
}

const rows = (count: number, row: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => row(n)).join('');

describe('an unusual export of WordPress', () => {
  /** Sections of a page, without ids, and the sentences of the report about it. */
  async function imported(database: Database, data: string | Uint8Array, slug = 'one') {
    const { content, run } = siteOf(database);
    const { status, report } = await run(data);
    expect(status).toBe('complete');
    const entry = await content.find(slug);
    return {
      content,
      entry,
      report,
      sections: entry?.draft.sections.map(({ type, fields }) => ({ type, ...fields })),
      said: [...report.notTaken, ...report.altered].filter(({ kind }) => kind !== 'settings'),
    };
  }

  it.each([
    ['php-notice-first', [{ type: 'text', body: 'x' }], [/Text before or after the XML/]],
    ['one-latin1-byte', [{ type: 'text', body: 'café' }], [/read as Windows-1252/]],
  ] as const)('loses nothing in silence: %s', async (name, sections, said) => {
    await using database = await createTestDatabase();
    const result = await imported(database, fixture(name));
    expect(result.sections).toEqual(sections);
    expect(result.said.map(({ reason }) => reason)).toEqual(said.map((sentence) => expect.stringMatching(sentence)));
  });

  it('takes a picture that is written into the page', async ({ db }) => {
    const { sections, report, content } = await imported(db, fixture('data-uri-picture'));
    const src = expect.stringMatching(/^\/media\/\w+\/picture-1\.png$/);
    expect(sections).toEqual([
      { type: 'text', body: 'Before.' },
      { type: 'image', src, alt: 'A bowl' },
      { type: 'text', body: 'After.' },
    ]);
    expect(report.counts.picture.created).toBe(1);
    expect((await content.assets.list({})).items).toHaveLength(1);
  });

  it('lists the posts where WordPress had an empty page for them', async ({ db }) => {
    const menu = `<item><title>News</title><wp:post_id>9</wp:post_id><wp:post_type>nav_menu_item</wp:post_type><wp:status>publish</wp:status><category domain="nav_menu" nicename="main"><![CDATA[Main]]></category>${Object.entries(
      { _menu_item_type: 'post_type', _menu_item_object_id: '1' },
    )
      .map(
        ([key, value]) =>
          `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`,
      )
      .join('')}</item>`;
    const { content, said } = await imported(
      db,
      fixture('empty-blog-page').toString().replace('</channel>', `${menu}</channel>`),
    );
    expect(await content.find('blog', 'page')).toBeNull();
    expect(await content.findByPath('/blog/first', 'published')).toMatchObject({ kind: 'entry' });
    expect(said.map(({ name, reason }) => [name, reason])).toEqual([
      ['Blog', 'It is empty: posts are listed at /blog here.'],
    ]);
    expect(await content.navigation()).toEqual([{ label: 'News', href: '/blog' }]);
  });

  it.each([
    ['a list', `<ul>${rows(5_000, (n) => `<li>Row ${n} of a long list of names, in order</li>`)}</ul>`, 5_000],
    ['preformatted text', `<pre>${rows(9_000, (n) => `Row ${n} of a log that goes on\n`)}</pre>`, 9_000],
    [
      'a table',
      `<table>${rows(4_000, (n) => `<tr><td>Row ${n}</td><td>Value ${n} of the prices</td></tr>`)}</table>`,
      4_000,
    ],
    ['more elements than are parsed', `<ul>${rows(16_000, (n) => `<li>Row ${n}</li><li></li>`)}</ul>`, 16_000],
    ['one paragraph', `<p>${rows(20_000, (n) => `Row ${n} of words. `)}</p>`, 20_000],
  ])('keeps all of %s', async (_, body, count) => {
    await using database = await createTestDatabase();
    const { entry, content } = await imported(database, largeExport(body), 'large');
    expect(JSON.stringify(entry?.draft.sections).match(/Row/g)).toHaveLength(count);
    expect(entry?.draft.sections.length).toBeGreaterThan(1);
    expect(await content.find('small')).not.toBeNull();
  });

  it('continues the numbers of a list that became several sections', async ({ db }) => {
    const body = `<ol>${rows(6_000, (n) => `<li>Row ${n} of a long list of names</li>`)}</ol>`;
    const { sections } = await imported(db, largeExport(body), 'large');
    const second = JSON.stringify(sections?.[1]);
    const [, start, first] = /<ol start=\\"(\d+)\\"><li>Row (\d+)/.exec(second) ?? [];
    expect(Number(start)).toBe(Number(first) + 1);
    expect(Number(first)).toBeGreaterThan(1_000);
  });

  it('omits an invalid picture, and imports the rest', async ({ db }) => {
    const src = `data:image/png;base64,${'iVBORw0KGgo'.repeat(560_000)}`;
    const { sections, said, content } = await imported(
      db,
      largeExport(`<p>Before <img src="${src}" alt="x"> after</p>`),
      'large',
    );
    expect(sections).toEqual([{ type: 'text', body: 'Before after' }]);
    expect(said).toEqual([expect.objectContaining({ kind: 'picture', reason: expect.stringMatching(/not copied/) })]);
    expect(await content.find('small')).not.toBeNull();
  });

  it.each([
    [
      'Latin-1 as it declares',
      Buffer.from(largeExport('<p>Größe</p>').replace('?>', ' encoding="ISO-8859-1"?>'), 'latin1'),
      'Größe',
    ],
    [
      'a BOM, text of a plugin and a notice after it',
      `\ufeffCached.\n${largeExport('<p>Größe</p>')}\n<b>Notice</b>: x`,
      'Größe',
    ],
    [
      'a notice before it that quotes the beginning of a feed',
      `<b>Warning</b>: feed <rss> broken, <?xml version="1.0"?> missing\n${largeExport('<p>Größe</p>')}`,
      'Größe',
    ],
    [
      'an encoding that does not exist',
      largeExport('<p>Größe</p>').replace('?>', ' encoding="ISO-8859-12"?>'),
      'Größe',
    ],
    ['UTF-16', Buffer.from(`\ufeff${largeExport('<p>Größe</p>')}`, 'utf16le'), 'Größe'],
    ['a Latin-1 byte among UTF-8', withByte(largeExport('<p>Größe caf\0, 20 €</p>'), 0xe9), 'Größe café, 20 €'],
  ])('reads a file with %s', async (_, data, body) => {
    await using database = await createTestDatabase();
    const { sections } = await imported(database, data, 'large');
    expect(sections).toEqual([{ type: 'text', body }]);
  });

  it('maps addresses that are relative, with www. or to the home page', async ({ db }) => {
    const links = [
      'https://old.example/small/',
      'http://www.old.example/small',
      'www.old.example/small/#a',
      '../small/',
      'https://old.example',
      'https://old.example/?s=x',
      'mailto:a@old.example',
    ];
    const body = `<p>${links.map((href, index) => `<a href="${href}">l${index}</a>`).join(' ')}</p>`;
    const menu = (id: number, href: string) =>
      `<item><title>Home ${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>nav_menu_item</wp:post_type><category domain="nav_menu" nicename="main">Main</category><wp:postmeta><wp:meta_key>_menu_item_type</wp:meta_key><wp:meta_value>custom</wp:meta_value></wp:postmeta><wp:postmeta><wp:meta_key>_menu_item_url</wp:meta_key><wp:meta_value>${href}</wp:meta_value></wp:postmeta></item>`;
    const menus = ['https://old.example/', 'https://www.old.example', '/', 'small/'].map((href, index) =>
      menu(20 + index, href),
    );
    const { sections, content } = await imported(
      db,
      largeExport(body).replace('</channel>', `${menus.join('')}</channel>`),
      'large',
    );
    expect(sections).toEqual([
      {
        type: 'text',
        body: '[l0](/small) [l1](/small) [l2](/small#a) [l3](/small) [l4](/) [l5](https://old.example/?s=x) [l6](mailto:a@old.example)',
      },
    ]);
    expect((await content.navigation()).map(({ href }) => href)).toEqual(['/', '/', '/', '/small']);
  });
});
