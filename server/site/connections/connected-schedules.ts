import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { NotFoundError } from '#server/core/errors';
import type { EntryItem } from '#server/core/site/site-lists';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import type { DuePublicationsOptions } from '#server/site/connections/publish-due';

/**
 * The scheduled publications of all connected sites, as one content for `createDuePublications`. WordPress publishes its
 * scheduled posts itself (though only when the site has a visitor), but not a changed draft of a published post. `query`
 * reads the local copies of the sites, which saves two requests a minute to each WordPress; the other methods use the
 * site itself, and only for entries that `query` has found.
 */
export function connectedSchedules(
  database: Database,
  sites: { readonly connectedIds: readonly string[]; contentOf(siteId: string): ContentBackend },
): DuePublicationsOptions['content'] {
  /** Sites of entries that were found to be scheduled. */
  const siteOf = new Map<string, string>();
  const contentOf = (entryId = '') => {
    const siteId = siteOf.get(entryId);
    if (siteId === undefined) throw new NotFoundError('planned entry', entryId);
    return sites.contentOf(siteId);
  };
  return {
    find: async (ref, type) => contentOf(ref).find(ref, type),
    changes: async (query) => contentOf(query.targetId).changes(query),
    publish: async (id, origin, options) => contentOf(id).publish(id, origin, options),
    async query({ cursor: _, ...query }) {
      const items: EntryItem[] = [];
      for (const siteId of sites.connectedIds) {
        const copy = new EmbeddedSite(createContentRepository(database, siteId));
        let cursor: string | undefined;
        do {
          const page = await copy.query({ ...query, cursor });
          for (const item of page.items) siteOf.set(item.id, siteId);
          items.push(...page.items);
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
      }
      items.sort((a, b) => (a.publishAt ?? 0) - (b.publishAt ?? 0));
      return { items, total: items.length, nextCursor: null };
    },
  };
}
