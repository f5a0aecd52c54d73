import type { SiteRoot } from '#lib/site/site-href';
import type { EntryDocument } from '#server/core/content';

/** A post as lists show it. */
export interface SitePost {
  readonly id: string;
  readonly document: Omit<EntryDocument, 'sections'>;
  /** Epoch milliseconds; null while it was never published. */
  readonly publishedAt: number | null;
}

/** What sections need to know about the site around them. */
export interface SiteContext {
  readonly root: SiteRoot;
  /** All posts, newest first. */
  readonly posts: readonly SitePost[];
  /** Where forms are sent; empty where nobody reads them yet. */
  readonly contactEmail: string;
}
