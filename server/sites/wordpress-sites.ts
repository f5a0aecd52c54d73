import { createWordPressClient, testConnection } from '#server/content/wordpress/client/create-wordpress-client';
import { createWordPressContent, type WordPressContentOptions } from '#server/content/wordpress/wordpress-content';
import { createOutgoingFetch } from '#server/outgoing/outgoing-fetch';
import type { SitesOptions } from '#server/sites/sites';
import { createContentRepository } from '#server/store/content-repository';
import type { Database } from '#server/store/database';
import type { Leases } from '#server/store/leases';

/** Within the origin of a site, as from `/wp-json` to `/wp-json/`. */
const MAX_REDIRECTS = 3;
/** How long a write waits for another process that writes to the same site, milliseconds. */
const LEASE_WAIT_MS = 30_000;

/** How WordPress sites are reached, and where their copies are kept. */
export function wordPressSites(
  database: Database,
  leases: Leases,
  options: Pick<WordPressContentOptions, 'countTokens' | 'preparePicture' | 'fetchPicture'>,
): Pick<SitesOptions, 'open' | 'test'> {
  const fetch = createOutgoingFetch({ allowed: 'configured', redirects: MAX_REDIRECTS });
  return {
    open: ({ id, abilities, ...connection }, onFault) =>
      createWordPressContent({
        ...options,
        mirror: createContentRepository(database, id),
        exclusively: (work) => leases.withLease(`site:${id}`, work, { waitMs: LEASE_WAIT_MS }),
        siteUrl: connection.url,
        client: createWordPressClient({ ...connection, fetch }),
        abilities,
        onFault,
      }),
    test: (connection) => testConnection({ ...connection, fetch }),
  };
}
