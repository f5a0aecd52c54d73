import type { ContentBackend } from '#server/content/content-backend';
import { BoundedMap } from '#server/core/bounded-map';
import { NOT_FOUND_SLUG, pageAddress, POSTS_SEGMENT } from '#server/core/addresses';
import type { Entry, EntryDocument, EntryType, NavigationItem, SiteSettings } from '#server/core/content';
import type { PictureFacts } from '#server/core/pictures';
import { escapeAttribute } from '#server/markup/html-tree';

type PastSite = Awaited<ReturnType<ContentBackend['at']>>;

/** Version of the site to show: what is published, or the drafts (unpublished entries too). */
export type SiteVersion = 'published' | 'draft';

/** A post as lists show it. */
export interface SitePost {
  readonly id: string;
  readonly document: Omit<EntryDocument, 'sections'>;
  /** Epoch milliseconds; null for a draft that was never published. */
  readonly publishedAt: number | null;
}

/** An entry in one of its versions. */
export interface SiteEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds; null for a draft that was never published. */
  readonly publishedAt: number | null;
}

/** Content of an address: an entry, the list of all posts, or nothing any more, but perhaps elsewhere (`to`). */
export type SitePage =
  | { readonly kind: 'entry'; readonly entry: SiteEntry }
  | { readonly kind: 'post-index' }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'gone' };

const MAX_POSTS = 100;

function siteEntry(entry: Entry, version: SiteVersion): SiteEntry | null {
  const { id, type, publishedAt } = entry;
  const document = version === 'draft' ? entry.draft : entry.published;
  return document === null ? null : { id, type, document, publishedAt };
}

/** Finds the content of a path, given as its segments; null where there is nothing. */
export async function findSitePage(
  content: ContentBackend,
  segments: readonly string[],
  version: SiteVersion,
): Promise<SitePage | null> {
  const found = await content.findByPath(`/${segments.join('/')}`, version);
  if (found?.kind === 'redirect') return found;
  const entry = found?.kind === 'entry' ? siteEntry(found.entry, version) : null;
  if (entry !== null) return { kind: 'entry', entry };
  if (segments.length === 1 && segments[0] === POSTS_SEGMENT) return { kind: 'post-index' };
  return found?.kind === 'gone' ? found : null;
}

/**
 * Page shown where there is nothing: the one with the slug `404`, if an editor has made it.
 * @param page what is at the address
 * @returns null: there is something, or no such page
 */
async function notFoundPage(
  content: ContentBackend,
  page: SitePage | null,
  version: SiteVersion,
): Promise<Extract<SitePage, { kind: 'entry' }> | null> {
  if (page !== null && page.kind !== 'gone') return null;
  const found = await findSitePage(content, [NOT_FOUND_SLUG], version);
  return found?.kind === 'entry' ? found : null;
}

/** The status of a page of the site, redirects apart. */
export function statusOfPage(page: SitePage | null): 200 | 404 | 410 {
  if (
    page === null ||
    (page.kind === 'entry' && page.entry.document.slug === NOT_FOUND_SLUG && page.entry.type === 'page')
  )
    return 404;
  return page.kind === 'gone' ? 410 : 200;
}

/** All posts of a version, as lists show them, newest first; drafts that were never published come before. */
export async function sitePosts(content: ContentBackend, version: SiteVersion): Promise<SitePost[]> {
  const { items } = await content.query({
    type: 'post',
    state: version,
    sort: 'published',
    select: ['excerpt', 'author', 'tags', 'image'],
    limit: MAX_POSTS,
  });
  const posts = items.filter(({ kind }) => kind === undefined);
  return posts.map(({ id, title, slug, publishedAt, selected }) => ({
    id,
    document: { title, slug, ...selected },
    publishedAt,
  }));
}

/** All that is needed to show an address of the site. `page` is null where there is nothing. */
export interface Site {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly posts: readonly SitePost[];
  readonly page: SitePage | null;
  /** Pictures of the library that the page shows, by their ids. */
  readonly pictures: Readonly<Record<string, PictureFacts>>;
  /** A page of the editors that is shown where there is nothing; null: there is something, or no such page. */
  readonly instead: Extract<SitePage, { kind: 'entry' }> | null;
}

/** Reads a version of the site as it is seen at one path, given as its segments. */
export async function readSite(
  content: ContentBackend,
  segments: readonly string[],
  version: SiteVersion,
): Promise<Site> {
  const [settings, navigation, posts, page] = await Promise.all([
    content.settings(),
    content.navigation(),
    sitePosts(content, version),
    findSitePage(content, segments, version),
  ]);
  const instead = await notFoundPage(content, page, version);
  return { settings, navigation, posts, page, instead, pictures: await picturesOn(content, instead ?? page, posts) };
}

/** More are shown as they were uploaded: each costs a query. */
const MOST_PICTURES = 300;
const PICTURE_ID = /\/media\/(ast_[0-9a-z]{6})\//g;

/** Facts of the pictures that a page shows, also in its running text; of posts, where it lists them. */
async function picturesOn(
  { assets }: Pick<ContentBackend, 'assets'>,
  page: SitePage | null,
  posts: readonly SitePost[],
): Promise<Site['pictures']> {
  const document = page?.kind === 'entry' ? page.entry.document : null;
  const listsPosts = page?.kind === 'post-index' || document?.sections.some(({ type }) => type === 'posts-list');
  const shown = JSON.stringify([document, listsPosts ? posts.map((post) => post.document.image) : null]);
  const ids = [...new Set([...shown.matchAll(PICTURE_ID)].map(([, id = '']) => id))].slice(0, MOST_PICTURES);
  const found = await Promise.all(ids.map((id) => assets.get(id).catch(() => null)));
  return Object.fromEntries(
    found.flatMap((asset) => {
      if (asset === null) return [];
      const { id, version, width, height, mediaType } = asset;
      return [[id, { id, version, width, height, mediaType }]];
    }),
  );
}

/** Reads the drafts of the site as they were right after a change, as seen at one path. */
export async function readSiteAt(
  content: ContentBackend,
  segments: readonly string[],
  changeId: string,
): Promise<Site> {
  const { settings, navigation, posts, find, formerPicture } = await content.at(changeId);
  const page = await find(`/${segments.join('/')}`);
  const isPostIndex = page === null && segments.length === 1 && segments[0] === POSTS_SEGMENT;
  const shown: SitePage | null = isPostIndex ? { kind: 'post-index' } : page;
  const pictures = await picturesOn(content, shown, posts);
  const site: Site = { settings, navigation, posts, page: shown, instead: null, pictures };
  return withFormerPictures(site, formerPicture);
}

/** Addresses of pictures of the library, however a document shows them; those that ask for something are left. */
const PICTURE_ADDRESS = /\/media\/(ast_[a-z0-9]{6})\/[\w.-]+(?![\w.?-])/g;

/** The site with the bytes that its pictures had, where they have been replaced or deleted since. */
async function withFormerPictures(site: Site, formerPicture: PastSite['formerPicture']): Promise<Site> {
  const text = JSON.stringify(site);
  const former = new Map<string, string>();
  for (const id of new Set([...text.matchAll(PICTURE_ADDRESS)].map(([, name = '']) => name))) {
    const version = await formerPicture(id);
    if (version !== null) former.set(id, version);
  }
  if (former.size === 0) return site;
  const marked = text.replaceAll(PICTURE_ADDRESS, (address, id: string) =>
    former.has(id) ? `${address}?version=${former.get(id)}` : address,
  );
  return JSON.parse(marked) as Site;
}

/** Most addresses of one sitemap, by its protocol. */
const MAX_URLS = 50_000;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

interface Address {
  readonly path: string;
  /** Epoch milliseconds. */
  readonly changedAt: number;
}

/** Published addresses, but for those that search engines are asked to leave out. */
async function addresses(content: ContentBackend): Promise<Address[]> {
  const found: Address[] = [];
  for (const type of ['page', 'post'] as const) {
    for (let cursor: string | null | undefined; cursor !== null && found.length < MAX_URLS;) {
      const page: Awaited<ReturnType<ContentBackend['query']>> = await content.query({
        type,
        state: 'published',
        sort: 'created',
        order: 'asc',
        select: ['seo'],
        limit: 100,
        cursor,
      });
      const shown = page.items.filter(
        ({ path, kind, selected }) =>
          kind === undefined && selected?.seo?.noIndex !== true && path !== `/${NOT_FOUND_SLUG}`,
      );
      found.push(...shown.map(({ path, updatedAt }) => ({ path, changedAt: updatedAt })));
      cursor = page.nextCursor;
    }
  }
  return found.slice(0, MAX_URLS);
}

/** The sitemap of the published site. `address`: of its start page, as `https://example.org`. */
export async function sitemapXml(content: ContentBackend, address: string): Promise<string> {
  const urls = (await addresses(content)).map(({ path, changedAt }) => {
    const page = escaped(pageAddress(address, path));
    return `  <url><loc>${page}</loc><lastmod>${new Date(changedAt).toISOString()}</lastmod></url>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
    '',
  ].join('\n');
}

/** Maximum age: our journal lacks WordPress changes; milliseconds. */
const SITEMAP_MS = 60_000;
/** Names that the site is asked for by. */
const KEPT_SITEMAPS = 4;

/**
 * Gives the sitemap, kept until something of the site changes, for a minute at most.
 * @param now epoch milliseconds
 */
export function keepSitemap(now: () => number = Date.now) {
  const known = new BoundedMap<{ readonly change: string; readonly at: number; readonly xml: Promise<string> }>(
    KEPT_SITEMAPS,
  );
  /** @param beforeRender called where it has to be rendered, which it prevents by throwing */
  return async (content: ContentBackend, origin: string, beforeRender: () => Promise<void>): Promise<string> => {
    const [newest] = await content.changes({ limit: 1 });
    const change = newest?.id ?? '';
    const kept = known.get(origin);
    if (kept?.change === change && now() - kept.at < SITEMAP_MS) return kept.xml;
    await beforeRender();
    const xml = sitemapXml(content, origin);
    known.set(origin, { change, at: now(), xml });
    xml.catch(() => known.delete(origin));
    return xml;
  };
}

/** Newest posts in the feed. */
const FEED_POSTS = 50;

/** The newest posts for feed readers (RSS 2.0). `address`: of the start page, as `https://example.org`. */
export async function feedXml(content: ContentBackend, address: string): Promise<string> {
  const [{ siteName, tagline }, posts] = await Promise.all([content.settings(), sitePosts(content, 'published')]);
  const items = posts.slice(0, FEED_POSTS).map(({ document: { title, slug, excerpt, author, tags }, publishedAt }) => {
    const link = escapeAttribute(pageAddress(address, `/${POSTS_SEGMENT}/${slug}`));
    return [
      '    <item>',
      `      <title>${escapeAttribute(title)}</title>`,
      `      <link>${link}</link>`,
      `      <guid isPermaLink="true">${link}</guid>`,
      ...(publishedAt === null ? [] : [`      <pubDate>${new Date(publishedAt).toUTCString()}</pubDate>`]),
      ...(author === undefined ? [] : [`      <dc:creator>${escapeAttribute(author)}</dc:creator>`]),
      ...(tags ?? []).map((tag) => `      <category>${escapeAttribute(tag)}</category>`),
      ...(excerpt === undefined ? [] : [`      <description>${escapeAttribute(excerpt)}</description>`]),
      '    </item>',
    ].join('\n');
  });
  const self = escapeAttribute(pageAddress(address, '/feed.xml'));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">',
    '  <channel>',
    `    <title>${escapeAttribute(siteName)}</title>`,
    `    <link>${escapeAttribute(pageAddress(address, '/'))}</link>`,
    `    <description>${escapeAttribute(tagline === '' ? siteName : tagline)}</description>`,
    `    <atom:link href="${self}" rel="self" type="application/rss+xml"/>`,
    ...items,
    '  </channel>',
    '</rss>',
    '',
  ].join('\n');
}
