import { createEntries } from '#server/content/wordpress/client/entries';
import { createMedia } from '#server/content/wordpress/client/media';
import { createSiteConnector, type SiteConnection } from '#server/content/wordpress/client/site-request';
import { createSiteParts } from '#server/content/wordpress/client/site-parts';
import { createTags } from '#server/content/wordpress/client/tags';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';

/** The client of one site as one user. Nothing is asked before the first call. @throws InvalidInputError for an address */
export function createWordPressClient(connection: SiteConnection): WordPressClient {
  const site = createSiteConnector(connection);
  const tags = createTags(site);
  return {
    entries: createEntries(site, tags),
    media: createMedia(site),
    tags,
    ...createSiteParts(site),
  };
}
