import { describe, expect, it } from 'vitest';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { findSitePage, type SiteVersion } from '#server/site/public/find-page';
import { sitePosts } from '#server/site/public/site-posts';
import { cachedSitemap, sitemapXml } from '#server/site/public/sitemap';
import { createContentRepository } from '#server/site/store/content-repository';
import { createTestDatabase } from '#tests/support/test-database';

async function withSite(test: (content: ContentBackend) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  let time = 0;
  await test(new EmbeddedSite(createContentRepository(db), { now: () => (time += 1) }));
}

async function add(content: ContentBackend, type: 'page' | 'post', title: string, publish: boolean): Promise<void> {
  const { entry } = await content.create({ type, title }, { actor: 'api' });
  if (publish) await content.publish(entry.id, { actor: 'api' });
}

async function titleAt(content: ContentBackend, path: string, version: SiteVersion): Promise<string | null> {
  const page = await findSitePage(content, path.split('/').filter(Boolean), version);
  return page?.kind === 'entry' ? page.entry.document.title : (page?.kind ?? null);
}

describe('findSitePage', () => {
  it('finds pages and posts at their addresses, drafts only among drafts', () =>
    withSite(async (content) => {
      await add(content, 'page', 'Home', true);
      await add(content, 'page', 'Secret', false);
      await add(content, 'post', 'First', true);
      expect(await titleAt(content, '/', 'published')).toBe('Home');
      expect(await findSitePage(content, ['home'], 'published')).toEqual({ kind: 'redirect', to: '/' });
      expect(await titleAt(content, '/secret', 'published')).toBeNull();
      expect(await titleAt(content, '/secret', 'draft')).toBe('Secret');
      expect(await titleAt(content, '/blog/first', 'published')).toBe('First');
      expect(await titleAt(content, '/first', 'published')).toBeNull();
      expect(await titleAt(content, '/home/first', 'published')).toBeNull();
      expect(await titleAt(content, '/%', 'published')).toBeNull();
      expect(await titleAt(content, '/blog/first/x', 'published')).toBeNull();
    }));

  it('takes only slugs as addresses, not titles and ids', () =>
    withSite(async (content) => {
      await add(content, 'page', 'Our story', true);
      const { id } = await content.get('our-story');
      expect(await titleAt(content, '/Our story', 'draft')).toBeNull();
      expect(await titleAt(content, `/${id}`, 'draft')).toBeNull();
    }));

  it('lists the posts at /blog unless a page has this path', () =>
    withSite(async (content) => {
      expect(await titleAt(content, '/blog', 'published')).toBe('post-index');
      await add(content, 'page', 'Blog', true);
      expect(await titleAt(content, '/blog', 'published')).toBe('Blog');
    }));

  it('shows the first page at the root when the home page is gone, and nothing on an empty site', () =>
    withSite(async (content) => {
      expect(await titleAt(content, '/', 'published')).toBeNull();
      await add(content, 'page', 'Start', true);
      await add(content, 'page', 'Other', true);
      expect(await titleAt(content, '/', 'published')).toBe('Start');
      expect(await titleAt(content, '/', 'draft')).toBe('Start');
    }));
});

it('sitePosts puts the newest first, unpublished drafts before them', () =>
  withSite(async (content) => {
    await add(content, 'post', 'Old', true);
    await add(content, 'post', 'New', true);
    await add(content, 'post', 'Draft', false);
    const titles = async (version: SiteVersion) =>
      (await sitePosts(content, version)).map(({ document }) => document.title);
    expect(await titles('published')).toEqual(['New', 'Old']);
    expect(await titles('draft')).toEqual(['Draft', 'New', 'Old']);
  }));

it('the sitemap has entries published at their own path, except those with noindex', () =>
  withSite(async (content) => {
    await add(content, 'page', 'Home', true);
    await add(content, 'page', 'About', true);
    await add(content, 'page', 'Secret', false);
    await add(content, 'post', 'First', true);
    const { id: parent } = await content.get('about');
    for (const seo of [{}, { noIndex: true }]) {
      const title = seo.noIndex ? 'Thanks' : 'Team';
      const { entry } = await content.create({ type: 'page', title, parent, seo }, { actor: 'api' });
      await content.publish(entry.id, { actor: 'api' });
    }
    const xml = await sitemapXml(content, 'https://kiln.example/site');
    const addresses = [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address ?? '');
    expect(addresses).toEqual([
      'https://kiln.example/site',
      'https://kiln.example/site/about',
      'https://kiln.example/site/about/team',
      'https://kiln.example/site/blog/first',
    ]);
  }));

it('the sitemap has the dates of public changes', () =>
  withSite(async (content) => {
    await add(content, 'page', 'Home', true);
    const { id } = await content.get('home');
    const by = { actor: 'user' } as const;
    const lastmod = async () => /<lastmod>(.*?)</.exec(await sitemapXml(content, 'https://kiln.example'))?.[1] ?? '';
    const write = (title: string) => content.patch(id, [{ op: 'set', field: 'title', value: title }], by);
    const first = await lastmod();
    await write('Start');
    await content.discardDraft(id, by);
    await write('Begin');
    expect(await lastmod()).toBe(first);
    await content.publish(id, by);
    const second = await lastmod();
    expect(second > first).toBe(true);
    await write('Again');
    expect(await lastmod()).toBe(second);
  }));

it('the sitemap is rendered, and counted as a page, only after a change or a minute', () =>
  withSite(async (content) => {
    await add(content, 'page', 'Home', true);
    let time = 0;
    let rendered = 0;
    const sitemap = cachedSitemap(() => time);
    const ask = (origin = 'https://kiln.example/site') => sitemap(content, origin, async () => void (rendered += 1));
    expect(await ask()).toBe(await ask());
    expect(rendered).toBe(1);
    await add(content, 'page', 'About', true);
    expect(await ask()).toContain('/site/about');
    expect(await ask('https://localhost/site')).toContain('https://localhost/site/about');
    await ask();
    expect(rendered).toBe(3);
    time = 60_000;
    await ask();
    expect(rendered).toBe(4);
    await add(content, 'page', 'More', true);
    await expect(
      sitemap(content, 'https://kiln.example/site', () => Promise.reject(new Error('Too many.'))),
    ).rejects.toThrow('Too many.');
  }));
