import type { ContentBackend } from '#server/site/content-backend';
import type { SiteVersion } from '#server/site/public/find-page';
import type { EntryHead } from '#server/core/site/content';

/** A post as lists show it. */
export interface SitePost {
  readonly id: string;
  readonly document: EntryHead;
  /** Epoch milliseconds; null for a draft that was never published. */
  readonly publishedAt: number | null;
}

/** Largest number of posts in a list. A choice, not measured. */
const MAX_POSTS = 100;

/**
 * The newest posts of a version, as lists show them: drafts that were never published first, then newest first. Content
 * types of a connected site that are neither page nor post (`kind`) are not listed.
 */
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
