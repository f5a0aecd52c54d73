import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

const api: ChangeOrigin = { actor: 'api' };

class Site {
  readonly content: ContentBackend;
  constructor(content: ContentBackend) {
    this.content = content;
  }

  /** Creates and publishes a page. */
  async page(title: string, parent?: string): Promise<string> {
    const { entry } = await this.content.create({ type: 'page', title, parent }, api);
    await this.content.publish(entry.id, api);
    return entry.id;
  }

  async set(id: string, field: 'slug' | 'parent', value: string | null, isPublished = true): Promise<void> {
    const operation: PatchOp =
      value === null && field === 'parent' ? { op: 'unset', field } : { op: 'set', field, value };
    await this.content.patch(id, [operation], api);
    if (isPublished) await this.content.publish(id, api);
  }

  /** The id of what is at a path, or the address that it leads on to, or that it is gone. */
  async at(path: string, state: 'published' | 'draft' = 'published'): Promise<string | null> {
    const found = await this.content.findByPath(path, state);
    if (found === null || found.kind === 'gone') return found && 'gone';
    return found.kind === 'entry' ? found.entry.id : `-> ${found.to}`;
  }

  async path(id: string, state: 'published' | 'draft' = 'published'): Promise<string> {
    return this.content.pathOf(await this.content.get(id), state);
  }
}

async function withSite(test: (site: Site) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  let time = 1_000;
  await test(new Site(new EmbeddedSite(createContentRepository(db), { now: () => (time += 1) })));
}

describe('the page above', () => {
  it('makes the path; any other path that ends in the slug leads on', () =>
    withSite(async (site) => {
      const home = await site.page('Home');
      const about = await site.page('About');
      const team = await site.page('Team', about);
      const ada = await site.page('Ada', team);
      expect(await site.path(ada)).toBe('/about/team/ada');
      expect(await site.at('/about/team/ada')).toBe(ada);
      expect(await site.at('/about/team/ada/?from=mail#top')).toBe(ada);
      expect(await site.at('/ada')).toBe('-> /about/team/ada');
      expect(await site.at('/somewhere/ada')).toBe('-> /about/team/ada');
      expect(await site.at('/About/Team')).toBe('-> /about/team');
      expect(await site.at('/about/team/grace')).toBeNull();
      expect(await site.at('/home')).toBe('-> /');
      expect(await site.at('/')).toBe(home);
      expect(await site.content.previewUrl(await site.content.get(team))).toBe('/preview/about/team');
      expect((await site.content.get('/about/team')).id).toBe(team);
      expect((await site.content.get('/')).id).toBe(home);
    }));

  it('counts only where visitors see it', () =>
    withSite(async (site) => {
      const { entry: shop } = await site.content.create({ type: 'page', title: 'Shop' }, api);
      const mugs = await site.page('Mugs', shop.id);
      expect(await site.path(mugs)).toBe('/mugs');
      expect(await site.path(mugs, 'draft')).toBe('/shop/mugs');
      expect(await site.at('/shop/mugs', 'draft')).toBe(mugs);
      await site.content.publish(shop.id, api);
      expect(await site.at('/mugs')).toBe('-> /shop/mugs');
      await site.content.trash(shop.id, api);
      expect(await site.at('/shop/mugs')).toBe('-> /mugs');
      expect(await site.at('/mugs')).toBe(mugs);
    }));

  it('does not prolong the paths below the home page', () =>
    withSite(async (site) => {
      const home = await site.page('Home');
      const news = await site.page('News', home);
      expect(await site.path(news)).toBe('/news');
    }));

  it('is an existing page, never the page itself or one below it', () =>
    withSite(async ({ content }) => {
      const { entry: a } = await content.create({ type: 'page', title: 'A' }, api);
      const { entry: b } = await content.create({ type: 'page', title: 'B', parent: a.id }, api);
      const { entry: c } = await content.create({ type: 'page', title: 'C', parent: b.id }, api);
      const { entry: post } = await content.create({ type: 'post', title: 'Post' }, api);
      const below = (id: string, parent: string) =>
        content.patch(id, [{ op: 'set', field: 'parent', value: parent }], api);
      await expect(below(a.id, a.id)).rejects.toThrow(InvalidInputError);
      await expect(below(a.id, c.id)).rejects.toThrow(ConflictError);
      await expect(below(a.id, 'pag_nowhere')).rejects.toThrow(NotFoundError);
      await expect(below(a.id, post.id)).rejects.toThrow(NotFoundError);
      await expect(below(post.id, a.id)).rejects.toThrow(InvalidInputError);
      await expect(content.create({ type: 'page', title: 'D', parent: 'pag_nowhere' }, api)).rejects.toThrow(
        NotFoundError,
      );
      await content.trash(b.id, api);
      await content.patch(c.id, [{ op: 'set', field: 'title', value: 'Still below B' }], api);
      await expect(below(a.id, b.id)).rejects.toThrow(NotFoundError);
    }));
});

describe('the home page', () => {
  const homeSlug = async ({ content }: Site) => (await content.settings()).homeSlug;

  it('stays at / when it is published under another slug, also before it is published', () =>
    withSite(async (site) => {
      const about = await site.page('About');
      const home = await site.page('Home');
      const news = await site.page('News', home);
      await site.set(home, 'slug', 'welcome', false);
      const [renamed] = await site.content.changes({ limit: 1 });
      const { entry: other } = await site.content.create({ type: 'page', title: 'Home', slug: 'home' }, api);
      expect(await site.path(home, 'draft')).toBe('/');
      expect(await site.path(other.id, 'draft')).toBe('/home');
      expect(await site.at('/', 'draft')).toBe(home);
      expect((await site.content.get('/')).id).toBe(home);
      const past = await site.content.at(renamed!.id);
      expect(await past.find('/')).toMatchObject({ kind: 'entry', entry: { id: home } });
      const drafts = await site.content.query({ type: 'page' });
      expect(Object.fromEntries(drafts.items.map(({ id, path }) => [id, path]))).toMatchObject({
        [home]: '/',
        [news]: '/news',
        [other.id]: '/home',
        [about]: '/about',
      });
      const published = await site.content.publish(home, api);
      expect(published.notes).toEqual(['It stays the home page: the setting homeSlug is "welcome" now.']);
      expect(await homeSlug(site)).toBe('welcome');
      expect([await site.at('/'), await site.at('/welcome'), await site.at('/home')]).toEqual([home, '-> /', '-> /']);
      expect([await site.at('/news'), await site.content.redirects()]).toMatchObject([news, [{ from: '/home' }]]);
    }));

  it('is changed and restored with its slug, by one undo each', () =>
    withSite(async (site) => {
      await site.page('About');
      const home = await site.page('Home');
      const seen = { actor: 'user', sessionId: 'ses_1' } as const;
      await site.content.patch(home, [{ op: 'set', field: 'slug', value: 'welcome' }], seen);
      await site.content.publish(home, seen);
      const [, chosen] = await site.content.changes({ limit: 2 });
      expect(chosen).toMatchObject({ targetId: 'settings', summary: 'Changed the home page from "home" to "welcome"' });
      await expect(site.content.undo(chosen!.id, api)).rejects.toThrow('undo its publication');
      const undo = await site.content.undo(undefined, seen);
      expect(undo.summary).toBe('Undid: Published "Home"');
      expect([await homeSlug(site), await site.at('/')]).toEqual(['home', home]);
      expect((await site.content.change(chosen!.id)).change.undoneBy).not.toBeNull();
      await site.content.undo(undo.id, seen);
      expect([await homeSlug(site), await site.at('/')]).toEqual(['welcome', home]);
      const all = await site.content.undoAll({ sessionId: 'ses_1' }, seen);
      expect(all.conflicts).toEqual([]);
      expect([await homeSlug(site), await site.at('/'), await site.path(home)]).toEqual(['home', home, '/']);
    }));

  it('stays where visitors see it when the settings are brought back', () =>
    withSite(async (site) => {
      const home = await site.page('Home');
      const { id: before } = await site.content.updateSettings({ siteName: 'Mugs' }, api);
      await site.set(home, 'slug', 'welcome');
      await site.content.updateSettings({ siteName: 'Jugs' }, api);
      await site.content.restoreTo(before, { targetId: 'settings' }, api, { overOthers: true });
      expect(await site.content.settings()).toMatchObject({ siteName: 'Mugs', homeSlug: 'welcome' });
    }));

  it('is missed when it is unpublished, with a note on what / shows instead', () =>
    withSite(async (site) => {
      const home = await site.page('Home');
      const nothing = ['"Home" is the home page: while it is off the site, visitors find nothing at /.'];
      expect((await site.content.unpublish(home, api, { dryRun: true })).notes).toEqual(nothing);
      await site.page('About');
      const about = ['"Home" is the home page: while it is off the site, visitors see "About" at /.'];
      expect((await site.content.trash(home, api)).notes).toEqual(about);
      await site.content.restore(home, api);
      expect((await site.content.unpublish(home, api)).notes).toEqual(about);
      expect((await site.content.trash(home, api)).notes).toBeUndefined();
    }));
});

describe('an address that was published once', () => {
  it('redirects to the present address of the entry, directly after several moves', () =>
    withSite(async (site) => {
      const id = await site.page('One');
      await site.set(id, 'slug', 'two');
      await site.set(id, 'slug', 'three');
      expect(await site.at('/one')).toBe('-> /three');
      expect(await site.at('/two')).toBe('-> /three');
      expect((await site.content.get('/one')).id).toBe(id);
      expect(await site.content.redirects()).toEqual([
        { from: '/two', targetType: 'page', targetId: id, to: '/three', createdAt: expect.any(Number) },
        { from: '/one', targetType: 'page', targetId: id, to: '/three', createdAt: expect.any(Number) },
      ]);
    }));

  it('is remembered when the draft is published, not when it is written', () =>
    withSite(async (site) => {
      const id = await site.page('One');
      await site.set(id, 'slug', 'two', false);
      expect(await site.at('/one')).toBe(id);
      expect(await site.at('/two')).toBeNull();
      expect(await site.at('/two', 'draft')).toBe(id);
      expect(await site.content.redirects()).toEqual([]);
    }));

  it('of a page below leads on as well, when a page above it moves', () =>
    withSite(async (site) => {
      const about = await site.page('About');
      const team = await site.page('Team', about);
      const ada = await site.page('Ada', team);
      await site.set(about, 'slug', 'studio');
      await site.set(ada, 'slug', 'ada-lovelace');
      expect(await site.at('/about/team/ada')).toBe('-> /studio/team/ada-lovelace');
      expect(await site.at('/studio/team/ada')).toBe('-> /studio/team/ada-lovelace');
      expect(await site.at('/about')).toBe('-> /studio');
      await site.set(team, 'parent', null);
      expect(await site.at('/studio/team/ada-lovelace')).toBe('-> /team/ada-lovelace');
    }));

  it('belongs to the entry that is published there', () =>
    withSite(async (site) => {
      const old = await site.page('Old');
      await site.set(old, 'slug', 'new');
      const other = await site.page('Old');
      expect(await site.at('/old')).toBe(other);
      expect(await site.content.redirects()).toEqual([]);
      await site.set(other, 'slug', 'newest');
      expect(await site.at('/old')).toBe('-> /newest');
    }));

  it('never form a loop', () =>
    withSite(async (site) => {
      const a = await site.page('A');
      const b = await site.page('B');
      await site.set(a, 'slug', 'c');
      await site.set(b, 'slug', 'a');
      await site.set(a, 'slug', 'b');
      expect([await site.at('/a'), await site.at('/b'), await site.at('/c')]).toEqual([b, a, '-> /b']);
      await site.set(b, 'slug', 'back');
      await site.set(a, 'slug', 'a');
      expect([await site.at('/a'), await site.at('/b')]).toEqual([a, '-> /a']);
    }));

  it('is gone while its entry is not published, and redirects there once it is', () =>
    withSite(async (site) => {
      const { content } = site;
      const { entry } = await content.create({ type: 'post', title: 'First' }, api);
      await content.publish(entry.id, api);
      await content.unpublish(entry.id, api);
      expect(await site.at('/blog/first')).toBe('gone');
      expect(await site.at('/blog/first', 'draft')).toBe(entry.id);
      await content.trash(entry.id, api);
      expect(await site.at('/blog/first')).toBe('gone');
      expect(await site.at('/blog/never')).toBeNull();
      const gone = [{ from: '/blog/first', targetType: 'post', targetId: entry.id, to: null }];
      expect(await content.redirects()).toMatchObject(gone);
      await content.restore(entry.id, api);
      expect(await content.redirects()).toMatchObject(gone);
      await site.set(entry.id, 'slug', 'opening');
      expect(await site.at('/blog/first')).toBe('-> /blog/opening');
    }));

  it('redirects to a chosen address until something is published there', () =>
    withSite(async (site) => {
      const { content } = site;
      const id = await site.page('Sale');
      await content.unpublish(id, api);
      const redirects = '/Sale /offers?ref=sale\n\n  /flyer/2024/ https://shop.example/a \n/caf%C3%A9 /';
      const { id: change } = await content.updateSettings({ redirects }, api);
      expect((await content.settings()).redirects).toBe(
        '/sale /offers?ref=sale\n/flyer/2024 https://shop.example/a\n/café /',
      );
      expect(await site.at('/sale')).toBe('-> /offers?ref=sale');
      expect(await site.at('/FLYER/2024')).toBe('-> https://shop.example/a');
      expect(await site.at('/caf%C3%A9')).toBe('-> /');
      await content.publish(id, api);
      expect(await site.at('/sale')).toBe(id);
      await content.unpublish(id, api);
      await content.undo(change, api);
      expect(await site.at('/sale')).toBe('gone');
    }));

  it.each([
    ['/sale', 'must be lines like "/old-address /new-address", and "/sale" is none'],
    ['/sale javascript:alert(1)', 'is none'],
    ['/sale //evil.example', 'is none'],
    ['/ /offers', 'is none'],
    ['/sale?x /offers', 'is none'],
    ['/../sale /offers', 'is none'],
    ['/sale /a\n/Sale /b', 'must say once where /sale leads'],
    ['/sale /offers\n/offers /sale', 'must lead to a page: /offers itself leads on'],
    ['/sale /Sale#now', 'must lead to a page: /Sale#now itself leads on'],
    ['/sale /sale/', 'must lead to a page: /sale/ itself leads on'],
    ['/käse /k%C3%A4se', 'must lead to a page: /k%C3%A4se itself leads on'],
  ])('rejects the redirect %j', (redirects, message) =>
    withSite(async ({ content }) => {
      await expect(content.updateSettings({ redirects }, api)).rejects.toThrow(message);
    }),
  );

  it('is as it was once a move is undone', () =>
    withSite(async (site) => {
      const id = await site.page('One');
      await site.content.patch(id, [{ op: 'set', field: 'slug', value: 'two' }], api);
      const { change } = await site.content.publish(id, api);
      await site.content.undo(change?.id, api);
      expect(await site.at('/one')).toBe(id);
      expect(await site.at('/two')).toBe('-> /one');
    }));
});
