import { and, asc, desc, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import type { SiteState } from '#server/site/site-paths';
import type { EntryType } from '#server/core/site/content';
import { isWithoutPassword } from '#server/site/store/content-rows';
import type { StoreReader } from '#server/platform/database/database';
import { entries, redirects } from '#server/platform/database/schema/content';

/** Columns of an entry's address, without its documents. */
const placeColumns = {
  id: entries.id,
  type: entries.type,
  slug: entries.slug,
  parent: entries.parentId,
  // Our own visitors do not see content that requires a password on the connected site.
  publishedSlug: sql<string | null>`case when ${isWithoutPassword} then ${entries.publishedSlug} end`,
  publishedParent: entries.publishedParentId,
};

/**
 * Reads the addresses of live entries; implements the place methods of `ContentReader`.
 * @param db the reading connection, or a transaction
 */
export function createPlaceReader(db: StoreReader, siteId: string) {
  const live = and(eq(entries.siteId, siteId), isNull(entries.deletedAt));
  const onePlace = async (condition: SQL | undefined) => {
    const row = await db.select(placeColumns).from(entries).where(and(condition, live)).get();
    return row ?? null;
  };

  return {
    place: (id: string) => onePlace(eq(entries.id, id)),
    placeBySlug: (type: EntryType, slug: string, state: SiteState) =>
      onePlace(
        and(
          eq(entries.type, type),
          state === 'draft' ? eq(entries.slug, slug) : and(eq(entries.publishedSlug, slug), isWithoutPassword),
        ),
      ),

    async firstPage(state: SiteState) {
      const isThere = state === 'draft' ? undefined : and(isNotNull(entries.publishedSlug), isWithoutPassword);
      const row = await db
        .select(placeColumns)
        .from(entries)
        .where(and(eq(entries.type, 'page'), live, isThere))
        .orderBy(asc(entries.createdAt), asc(entries.id))
        .limit(1)
        .get();
      return row ?? null;
    },

    pagesPublishedBelow: (id: string) =>
      db
        .select(placeColumns)
        .from(entries)
        .where(and(eq(entries.publishedParentId, id), live, isWithoutPassword)),

    async redirectTarget(path: string) {
      const row = await db
        .select()
        .from(redirects)
        .where(and(eq(redirects.siteId, siteId), inArray(redirects.fromPath, [path, path.normalize('NFD')])))
        // Older versions may have stored decomposed characters. The current form takes precedence.
        .orderBy(desc(eq(redirects.fromPath, path)))
        .get();
      return row?.targetId ?? null;
    },
  };
}
