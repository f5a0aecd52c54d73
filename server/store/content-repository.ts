import { and, asc, count, desc, eq, isNotNull, isNull, max, sql, type SQL } from 'drizzle-orm';
import type { ChangeSet, Entry, EntryStatus, EntryType } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { createContentReader } from '#server/store/content-reader';
import { changeColumns, changeFromRow, entryFromRow, rowFromChange, rowFromEntry } from '#server/store/content-rows';
import type { Database, StoreTransaction } from '#server/store/database';
import { entries, revisions, siteDocuments } from '#server/store/schema';

interface EntryQuery {
  readonly type: EntryType;
  readonly status?: EntryStatus | undefined;
  readonly tag?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

const live = isNull(entries.deletedAt);

const status = sql<EntryStatus>`case
  when ${entries.published} is null then 'draft'
  when ${entries.published} = ${entries.draft} then 'published'
  else 'changed' end`;

function hasTag(document: SQL | typeof entries.draft | typeof entries.published, tag: string | undefined) {
  if (tag === undefined) return undefined;
  return sql`exists (select 1 from json_each(${document}, '$.tags') as tag where lower(tag.value) = lower(${tag}))`;
}

const summaryColumns = {
  id: entries.id,
  type: entries.type,
  title: entries.title,
  slug: entries.slug,
  status,
  excerpt: sql<string | null>`json_extract(${entries.draft}, '$.excerpt')`,
  sectionCount: sql<number>`json_array_length(${entries.draft}, '$.sections')`,
  updatedAt: entries.updatedAt,
};

function createTransaction(tx: StoreTransaction) {
  return {
    ...createContentReader(tx),

    async saveEntry(entry: Entry) {
      const { id, createdAt, ...changing } = rowFromEntry(entry);
      await tx
        .insert(entries)
        .values({ id, createdAt, ...changing })
        .onConflictDoUpdate({ target: entries.id, set: changing });
    },

    async saveSiteDocument(
      key: 'navigation' | 'settings',
      { value, revision }: { value: JsonValue; revision: number },
      updatedAt: number,
    ) {
      const changing = { value, revision, updatedAt };
      await tx
        .insert(siteDocuments)
        .values({ key, ...changing })
        .onConflictDoUpdate({ target: siteDocuments.key, set: changing });
    },

    async addJournalEntry({ change, before, after }: { change: ChangeSet; before: JsonValue; after: JsonValue }) {
      const newest = await tx
        .select({ seq: max(revisions.seq) })
        .from(revisions)
        .get();
      await tx.insert(revisions).values(rowFromChange(change, before, after, (newest?.seq ?? 0) + 1));
    },

    async setUndoneBy(changeId: string, undoneBy: string | null) {
      await tx.update(revisions).set({ undoneBy }).where(eq(revisions.id, changeId));
    },
  };
}

/**
 * Pages, posts, navigation and settings with their journal, in our own database. It keeps what it is given: what a
 * write may do is decided by the embedded content backend, whose `ContentStore` this is.
 */
export function createContentRepository(db: Database) {
  const ofType = (type: EntryType | undefined) => and(live, type === undefined ? undefined : eq(entries.type, type));

  return {
    ...createContentReader(db.read),

    write: <T>(work: (tx: ReturnType<typeof createTransaction>) => Promise<T>): Promise<T> =>
      db.write((tx) => work(createTransaction(tx))),

    async listEntries(query: EntryQuery) {
      const wanted = query.status === undefined ? undefined : eq(status, query.status);
      const condition = and(ofType(query.type), wanted, hasTag(entries.draft, query.tag));
      const rows = await db.read
        .select(summaryColumns)
        .from(entries)
        .where(condition)
        .orderBy(desc(entries.updatedAt), asc(entries.id))
        .limit(query.limit)
        .offset(query.offset);
      const total = await db.read.select({ n: count() }).from(entries).where(condition).get();
      const items = rows.map(({ excerpt, ...row }) => ({ ...row, ...(excerpt !== null && { excerpt }) }));
      return { items, total: total?.n ?? 0 };
    },

    async entryNames(type?: EntryType) {
      const { id, title, slug } = entries;
      const columns = { id, type: entries.type, title, slug };
      return db.read.select(columns).from(entries).where(ofType(type)).orderBy(asc(entries.createdAt), asc(id));
    },

    async entries(type?: EntryType) {
      const rows = await db.read
        .select()
        .from(entries)
        .where(ofType(type))
        .orderBy(asc(entries.createdAt), asc(entries.id));
      return rows.map(entryFromRow);
    },

    async publishedEntries({ type, tag, limit }: { type: EntryType; tag?: string | undefined; limit: number }) {
      const condition = and(ofType(type), isNotNull(entries.published), hasTag(entries.published, tag));
      const newest = [desc(entries.publishedAt), asc(entries.id)];
      const rows = await db.read
        .select()
        .from(entries)
        .where(condition)
        .orderBy(...newest)
        .limit(limit);
      return rows.map(entryFromRow);
    },

    async changes(query: { targetId?: string | undefined; sessionId?: string | undefined; limit: number }) {
      const { targetId, sessionId, limit } = query;
      const condition = and(
        targetId === undefined ? undefined : eq(revisions.targetId, targetId),
        sessionId === undefined ? undefined : eq(revisions.sessionId, sessionId),
      );
      const rows = await db.read
        .select(changeColumns)
        .from(revisions)
        .where(condition)
        .orderBy(desc(revisions.seq))
        .limit(limit);
      return rows.map(changeFromRow);
    },
  };
}
