import type { ContentBackend } from '#server/site/content-backend';
import { isReadableAddress, NOT_FOUND_SLUG, POSTS_SEGMENT } from '#server/core/addresses';
import type { Entry, EntryDocument, EntryType } from '#server/core/site/content';

/** Version of the site to show: the published one, or the drafts (including unpublished entries). */
export type SiteVersion = 'published' | 'draft';

/** An entry in one of its versions. */
export interface SiteEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly document: EntryDocument;
  /** Epoch milliseconds; null for a draft that was never published. */
  readonly publishedAt: number | null;
}

/**
 * Content of an address: an entry, the list of all posts, or content that no longer exists there but may exist
 * elsewhere (`to`).
 */
export type SitePage =
  | { readonly kind: 'entry'; readonly entry: SiteEntry }
  | { readonly kind: 'post-index' }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'gone' };

/** An entry in a version; null: it does not exist in this version. */
export function siteEntry(entry: Entry, version: SiteVersion): SiteEntry | null {
  const { id, type, publishedAt } = entry;
  const document = version === 'draft' ? entry.draft : entry.published;
  return document === null ? null : { id, type, document, publishedAt };
}

/** Finds the content of a path, given as its segments; null if nothing is found. */
export async function findSitePage(
  content: ContentBackend,
  segments: readonly string[],
  version: SiteVersion,
): Promise<SitePage | null> {
  const found = await content.findByPath(`/${segments.join('/')}`, version);
  // A redirect to an address that no browser can read leads nowhere.
  if (found?.kind === 'redirect') return isReadableAddress(found.to) ? found : null;
  const entry = found?.kind === 'entry' ? siteEntry(found.entry, version) : null;
  if (entry !== null) return { kind: 'entry', entry };
  if (segments.length === 1 && segments[0] === POSTS_SEGMENT) return { kind: 'post-index' };
  return found?.kind === 'gone' ? found : null;
}

/** HTTP status of a page that is not a redirect: 404 also for the page with the slug `404`. */
export function statusOfPage(page: SitePage | null): 200 | 404 | 410 {
  if (
    page === null ||
    (page.kind === 'entry' && page.entry.document.slug === NOT_FOUND_SLUG && page.entry.type === 'page')
  )
    return 404;
  return page.kind === 'gone' ? 410 : 200;
}
