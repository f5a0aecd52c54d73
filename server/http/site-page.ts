import type { Entry, EntryDocument, EntryType, NavigationItem, SiteSettings } from '#server/core/content';
import type { Services } from '#server/services';

type ContentBackend = Services['content'];

/** Which version of the site is shown: what is published, or the drafts (unpublished entries too). */
export type SiteVersion = 'published' | 'draft';

/** An entry in one of its versions. */
export interface SiteEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds; null for a draft that was never published. */
  readonly publishedAt: number | null;
}

/** What is at an address: an entry, or the list of all posts. */
export type SitePage = { readonly kind: 'entry'; readonly entry: SiteEntry } | { readonly kind: 'post-index' };

/** Posts live below this segment; it lists them, unless a page has this slug. */
const POSTS_SEGMENT = 'blog';
const MAX_POSTS = 100;

function siteEntry(entry: Entry | null, version: SiteVersion): SiteEntry | null {
  if (entry === null) return null;
  const { id, type, publishedAt } = entry;
  const document = version === 'draft' ? entry.draft : entry.published;
  return document === null ? null : { id, type, document, publishedAt };
}

async function entryAt(content: ContentBackend, type: EntryType, slug: string, version: SiteVersion) {
  if (version === 'published') return siteEntry(await content.findPublished(type, slug), version);
  const entry = await content.find(slug, type);
  return entry?.draft.slug === slug ? siteEntry(entry, version) : null;
}

async function drafts(content: ContentBackend, type: EntryType): Promise<Entry[]> {
  const { items } = await content.list({ type, limit: MAX_POSTS });
  const found = await Promise.all(items.map(({ id }) => content.find(id, type)));
  return found.filter((entry) => entry !== null);
}

/** The page named in the settings; where there is none, the first page, so that the root is never empty by a typo. */
async function homePage(content: ContentBackend, version: SiteVersion): Promise<SiteEntry | null> {
  const { homeSlug } = await content.settings();
  const named = await entryAt(content, 'page', homeSlug, version);
  if (named !== null) return named;
  const pages = version === 'draft' ? await drafts(content, 'page') : await content.listPublished({ type: 'page' });
  const [first] = pages.toSorted((a, b) => a.createdAt - b.createdAt);
  return siteEntry(first ?? null, version);
}

/** What is at a path of the site, given as its segments; null where there is nothing. */
export async function findSitePage(
  content: ContentBackend,
  segments: readonly string[],
  version: SiteVersion,
): Promise<SitePage | null> {
  const [first, second, ...rest] = segments;
  if (rest.length > 0) return null;
  const isPost = first === POSTS_SEGMENT && second !== undefined;
  if (second !== undefined && !isPost) return null;
  const entry =
    first === undefined
      ? await homePage(content, version)
      : await entryAt(content, isPost ? 'post' : 'page', second ?? first, version);
  if (entry !== null) return { kind: 'entry', entry };
  return first === POSTS_SEGMENT && !isPost ? { kind: 'post-index' } : null;
}

/** All posts of a version, newest first; drafts that were never published come before. */
export async function sitePosts(content: ContentBackend, version: SiteVersion): Promise<SiteEntry[]> {
  const found =
    version === 'draft'
      ? await drafts(content, 'post')
      : await content.listPublished({ type: 'post', limit: MAX_POSTS });
  return found
    .map((entry) => siteEntry(entry, version))
    .filter((entry) => entry !== null)
    .toSorted((a, b) => (b.publishedAt ?? Infinity) - (a.publishedAt ?? Infinity) || 0);
}

/** All that is needed to show an address of the site. `page` is null where there is nothing. */
export interface Site {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  readonly posts: readonly SiteEntry[];
  readonly page: SitePage | null;
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
  return { settings, navigation, posts, page };
}
