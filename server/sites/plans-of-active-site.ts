import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import { EMBEDDED_SITE } from '#server/core/content';
import type { DuePublicationsOptions } from '#server/sites/publish-due';
import { createContentRepository } from '#server/store/content-repository';
import type { Database } from '#server/store/database';

/**
 * What is planned on the active site where that is a mirrored one. WordPress publishes its planned posts itself (though
 * only once somebody visits it), but not a changed draft of what it has published already. What is due is looked up
 * in our copy: nobody asks WordPress twice a minute.
 */
export function plansOfActiveSite(
  database: Database,
  content: ContentBackend,
  activeSiteId: () => Promise<string>,
): DuePublicationsOptions['content'] {
  return {
    find: (ref, type) => content.find(ref, type),
    changes: (query) => content.changes(query),
    publish: (id, origin, options) => content.publish(id, origin, options),
    async query(query) {
      const siteId = await activeSiteId();
      if (siteId === EMBEDDED_SITE) return { items: [], total: 0, nextCursor: null };
      return createEmbeddedContentBackend(createContentRepository(database, siteId)).query(query);
    },
  };
}
