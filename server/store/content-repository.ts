import { and, asc, desc, eq, isNull, max, sql } from 'drizzle-orm';
import { type ChangeSet, EMBEDDED_SITE, type Entry, type EntryType, type SiteDocumentKey } from '#server/core/content';
import { ConflictError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { createAssetRepository, createAssetWriter } from '#server/store/asset-repository';
import { createContentReader } from '#server/store/content-reader';
import { entryFromRow, rowFromChange, rowFromEntry } from '#server/store/content-rows';
import type { Database, StoreTransaction } from '#server/store/database';
import { type EntryListQuery, listEntries } from '#server/store/entry-list';
import { createRemoteLinkReader, createRemoteLinkWriter } from '#server/store/remote-link-repository';
import { entries, redirects, revisions, siteDocuments } from '#server/store/schema';

function createTransaction(tx: StoreTransaction, siteId: string) {
  return {
    ...createContentReader(tx, siteId),
    ...createAssetWriter(tx, siteId),
    ...createRemoteLinkReader(tx, siteId),
    ...createRemoteLinkWriter(tx, siteId),

    async saveEntry(entry: Entry) {
      const { id, createdAt, ...changing } = rowFromEntry(entry);
      const saved = await tx
        .insert(entries)
        .values({ id, siteId, createdAt, ...changing })
        .onConflictDoUpdate({ target: entries.id, set: changing, setWhere: eq(entries.siteId, siteId) })
        .returning({ id: entries.id });
      // Ids are made for one site, and rarely met again in another one.
      if (saved.length === 0) throw new ConflictError(`The id ${id} is taken by another site. Try again.`);
    },

    async saveSiteDocument(
      key: SiteDocumentKey,
      { value, revision }: { value: JsonValue; revision: number },
      updatedAt: number,
    ) {
      const changing = { value, revision, updatedAt };
      await tx
        .insert(siteDocuments)
        .values({ siteId, key, ...changing })
        .onConflictDoUpdate({ target: [siteDocuments.siteId, siteDocuments.key], set: changing });
    },

    async saveRedirect(fromPath: string, targetId: string, createdAt: number) {
      const changing = { targetId, createdAt };
      await tx
        .insert(redirects)
        .values({ siteId, fromPath, ...changing })
        .onConflictDoUpdate({ target: [redirects.siteId, redirects.fromPath], set: changing });
    },

    async addJournalEntry({ change, before, after }: { change: ChangeSet; before: JsonValue; after: JsonValue }) {
      const newest = await tx
        .select({ seq: max(revisions.seq) })
        .from(revisions)
        .get();
      await tx.insert(revisions).values({ siteId, ...rowFromChange(change, before, after, (newest?.seq ?? 0) + 1) });
    },

    async setUndoneBy(changeId: string, undoneBy: string | null) {
      await tx.update(revisions).set({ undoneBy }).where(eq(revisions.id, changeId));
    },

    async setUndoes(changeId: string, undoes: string) {
      await tx.update(revisions).set({ undoes }).where(eq(revisions.id, changeId));
    },
  };
}

/**
 * Pages, posts, navigation and settings of one site with their journal, in our own database. It keeps what it is given: what a
 * write may do is decided by the embedded content backend, whose `ContentStore` this is.
 */
export function createContentRepository(db: Database, siteId = EMBEDDED_SITE) {
  const live = and(eq(entries.siteId, siteId), isNull(entries.deletedAt));
  const ofType = (type: EntryType | undefined) => and(live, type === undefined ? undefined : eq(entries.type, type));

  return {
    ...createContentReader(db.read, siteId),
    ...createAssetRepository(db.read, siteId),
    ...createRemoteLinkReader(db.read, siteId),

    write: <T>(work: (tx: ReturnType<typeof createTransaction>) => Promise<T>): Promise<T> =>
      db.write((tx) => work(createTransaction(tx, siteId))),

    listEntries: (query: EntryListQuery) => listEntries(db.read, siteId, query),

    async entryNames(type?: EntryType) {
      const { id, title, slug } = entries;
      const columns = { id, type: entries.type, title, slug };
      return db.read.select(columns).from(entries).where(ofType(type)).orderBy(asc(entries.createdAt), asc(id));
    },

    redirects: () =>
      db.read
        .select({ from: redirects.fromPath, targetId: redirects.targetId, createdAt: redirects.createdAt })
        .from(redirects)
        .where(eq(redirects.siteId, siteId))
        .orderBy(desc(redirects.createdAt), asc(redirects.fromPath)),

    async tags(type?: EntryType) {
      return db.read.all<{ tag: string; count: number }>(sql`
        select min(tag.value) as tag, count(distinct ${entries.id}) as count
        from ${entries}, json_each(${entries.draft}, '$.tags') as tag
        where ${ofType(type)}
        group by lower(tag.value)
        order by count desc, lower(tag.value)`);
    },

    async entries(type?: EntryType) {
      const rows = await db.read
        .select()
        .from(entries)
        .where(ofType(type))
        .orderBy(asc(entries.createdAt), asc(entries.id));
      return rows.map(entryFromRow);
    },
  };
}
