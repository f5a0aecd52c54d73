import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';
import type { Mirror } from '#server/content/wordpress/mirror';

/** A site and its mirror. */
export interface SiteAccess {
  readonly mirror: Mirror;
  readonly client: WordPressClient;
  /** Where the site is: `https://example.org`, without a slash at the end. */
  readonly siteUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
