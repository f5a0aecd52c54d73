import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm';
import type { EntryType } from '#server/core/content';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { entries, redirects } from '#server/store/schema';

type State = 'published' | 'draft';

/** What makes the address of an entry, without its documents. */
const placeColumns = {
  id: entries.id,
  type: entries.type,
  slug: entries.slug,
  parent: entries.parentId,
  publishedSlug: entries.publishedSlug,
  publishedParent: entries.publishedParentId,
};

/** Where live entries are on a site, on either connection. */
export function createPlaceReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string) {
  const live = and(eq(entries.siteId, siteId), isNull(entries.deletedAt));
  const onePlace = async (condition: ReturnType<typeof and>) => {
    const row = await db.select(placeColumns).from(entries).where(and(condition, live)).get();
    return row ?? null;
  };

  return {
    place: (id: string) => onePlace(eq(entries.id, id)),
    placeBySlug: (type: EntryType, slug: string, state: State) =>
      onePlace(and(eq(entries.type, type), eq(state === 'draft' ? entries.slug : entries.publishedSlug, slug))),

    async firstPage(state: State) {
      const isThere = state === 'draft' ? undefined : isNotNull(entries.publishedSlug);
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
        .where(and(eq(entries.publishedParentId, id), live)),

    async redirectTarget(path: string) {
      const row = await db
        .select()
        .from(redirects)
        .where(and(eq(redirects.siteId, siteId), eq(redirects.fromPath, path)))
        .get();
      return row?.targetId ?? null;
    },
  };
}
