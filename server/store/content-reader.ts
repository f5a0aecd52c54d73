import { and, eq, isNull, sql } from 'drizzle-orm';
import type { EntryType, SiteDocumentKey } from '#server/core/content';
import { createAssetReader } from '#server/store/asset-repository';
import { entryFromRow } from '#server/store/content-rows';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { createJournalReader } from '#server/store/journal-reader';
import { createPlaceReader } from '#server/store/place-reader';
import { entries, siteDocuments } from '#server/store/schema';
import type { JsonValue } from '#server/core/json';

/** The reads of one site that are also needed inside a transaction, on either connection. */
export function createContentReader(
  db: Pick<StoreReader & StoreTransaction, 'select' | 'selectDistinct' | 'all'>,
  siteId: string,
) {
  const ofSite = eq(entries.siteId, siteId);
  const live = and(ofSite, isNull(entries.deletedAt));
  const oneEntry = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(entries).where(condition).get();
    return row === undefined ? null : entryFromRow(row);
  };

  return {
    ...createAssetReader(db, siteId),
    ...createJournalReader(db, siteId),
    ...createPlaceReader(db, siteId),
    entry: (id: string) => oneEntry(and(ofSite, eq(entries.id, id))),
    entryBySlug: (type: EntryType, slug: string) => oneEntry(and(eq(entries.type, type), eq(entries.slug, slug), live)),
    entryByPublishedSlug: (type: EntryType, slug: string) =>
      oneEntry(and(eq(entries.type, type), eq(entries.publishedSlug, slug), live)),

    async sectionOwners(sectionIds: readonly string[]) {
      if (sectionIds.length === 0) return [];
      const ids = sql.join(
        sectionIds.map((id) => sql`${id}`),
        sql`, `,
      );
      return db.all<{ sectionId: string; entryId: string }>(sql`
        select json_extract(section.value, '$.id') as sectionId, ${entries.id} as entryId
        from ${entries}, json_each(${entries.draft}, '$.sections') as section
        where ${live} and json_extract(section.value, '$.id') in (${ids})
        order by ${entries.createdAt}`);
    },

    async siteDocument(key: SiteDocumentKey) {
      const row = await db
        .select()
        .from(siteDocuments)
        .where(and(eq(siteDocuments.siteId, siteId), eq(siteDocuments.key, key)))
        .get();
      return row === undefined ? null : { value: row.value as JsonValue, revision: row.revision };
    },
  };
}
