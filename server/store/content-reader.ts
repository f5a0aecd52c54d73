import { and, asc, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm';
import type { EntryType } from '#server/core/content';
import { changeColumns, changeFromRow, entryFromRow, journalEntryFromRow } from '#server/store/content-rows';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { entries, revisions, siteDocuments } from '#server/store/schema';
import type { JsonValue } from '#server/core/json';

const live = isNull(entries.deletedAt);
const standing = and(isNull(revisions.undoneBy), ne(revisions.action, 'undo'));

/** The reads that are also needed inside a transaction, on either connection. */
export function createContentReader(db: Pick<StoreReader & StoreTransaction, 'select' | 'all'>) {
  const oneEntry = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(entries).where(condition).get();
    return row === undefined ? null : entryFromRow(row);
  };
  const oneJournalEntry = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(revisions).where(condition).get();
    return row === undefined ? null : journalEntryFromRow(row);
  };
  const oneChange = async (condition: ReturnType<typeof and>) => {
    const row = await db
      .select(changeColumns)
      .from(revisions)
      .where(condition)
      .orderBy(desc(revisions.seq))
      .limit(1)
      .get();
    return row === undefined ? null : changeFromRow(row);
  };

  return {
    entry: (id: string) => oneEntry(eq(entries.id, id)),
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

    async siteDocument(key: 'navigation' | 'settings') {
      const row = await db.select().from(siteDocuments).where(eq(siteDocuments.key, key)).get();
      return row === undefined ? null : { value: row.value as JsonValue, revision: row.revision };
    },

    journalEntry: (changeId: string) => oneJournalEntry(eq(revisions.id, changeId)),
    journalEntryAt: (targetId: string, revision: number) =>
      oneJournalEntry(and(eq(revisions.targetId, targetId), eq(revisions.revision, revision))),
    changeUndoneBy: (changeId: string) => oneChange(eq(revisions.undoneBy, changeId)),
    newestStandingChange: (sessionId: string) => oneChange(and(eq(revisions.sessionId, sessionId), standing)),

    async standingChangesAfter(changeId: string) {
      const change = await db.select().from(revisions).where(eq(revisions.id, changeId)).get();
      if (change === undefined) return [];
      const later = and(eq(revisions.targetId, change.targetId), gt(revisions.seq, change.seq), standing);
      const rows = await db.select().from(revisions).where(later).orderBy(asc(revisions.seq));
      return rows.map(journalEntryFromRow);
    },
  };
}
