import type { Entry, EntryDocument, EntryType, NavigationItem, SiteSettings } from '#server/core/content';
import { POSTS_SEGMENT } from '#server/core/posts-segment';
import type { Services } from '#server/services';

type ContentBackend = Services['content'];

/** Which version of the site is shown: what is published, or the drafts (unpublished entries too). */
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

/** What is at an address: an entry, the list of all posts, or nothing any more (`to`: where it is now). */
export type SitePage =
  | { readonly kind: 'entry'; readonly entry: SiteEntry }
  | { readonly kind: 'post-index' }
  | { readonly kind: 'redirect'; readonly to: string };

const MAX_POSTS = 100;

function siteEntry(entry: Entry, version: SiteVersion): SiteEntry | null {
  const { id, type, publishedAt } = entry;
  const document = version === 'draft' ? entry.draft : entry.published;
  return document === null ? null : { id, type, document, publishedAt };
}

/** What is at a path of the site, given as its segments; null where there is nothing. */
export async function findSitePage(
  content: ContentBackend,
  segments: readonly string[],
  version: SiteVersion,
): Promise<SitePage | null> {
  const found = await content.findByPath(`/${segments.join('/')}`, version);
  if (found?.kind === 'redirect') return found;
  const entry = found === null ? null : siteEntry(found.entry, version);
  if (entry !== null) return { kind: 'entry', entry };
  return segments.length === 1 && segments[0] === POSTS_SEGMENT ? { kind: 'post-index' } : null;
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
  return items.map(({ id, title, slug, publishedAt, selected }) => ({
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
