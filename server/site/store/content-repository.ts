import { serverText } from '#server/core/messages/server-text';
import { and, asc, count, desc, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { ContentReader, ContentStore, ContentTransaction } from '#server/site/embedded/content-store';
import { EMBEDDED_SITE, type EntryType } from '#server/core/site/content';
import { ConflictError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { entryFromRow, rowFromChange, rowFromEntry, statusColumn } from '#server/site/store/content-rows';
import { foldText } from '#server/core/fold-text';
import { decodeCursor, toPage } from '#server/platform/database/cursor';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { foldedAsset } from '#server/site/store/folded-texts';
import { createJournalReader } from '#server/site/store/journal-reader';
import {
  assetFiles,
  assets,
  entries,
  redirects,
  revisions,
  siteDocuments,
} from '#server/platform/database/schema/content';
import { afterAssetCursor, assetCursorSchema, assetFilter, assetFromRow } from '#server/site/store/asset-rows';
import { listEntries } from '#server/site/store/list-entries';
import { createPlaceReader } from '#server/site/store/place-reader';
import { createPastReader } from '#server/site/store/past-reader';

/** `published_updated_at` of a saved entry: the time of this write if it changes what visitors see. */
const sinceWhenPublished = sql`case
  when excluded.published is null then null
  when excluded.published is ${entries.published} then ${entries.publishedUpdatedAt}
  else excluded.updated_at end`;

/** A write transaction of one site. */
export function createContentTransaction(tx: StoreTransaction, siteId: string): ContentTransaction {
  return {
    ...createContentReader(tx, siteId),

    async saveEntry(entry) {
      const { id, createdAt, ...changing } = rowFromEntry(entry);
      tx.later(
        () =>
          tx
            .insert(entries)
            .values({ id, siteId, createdAt, publishedUpdatedAt: entry.published && entry.updatedAt, ...changing })
            .onConflictDoUpdate({
              target: entries.id,
              set: { ...changing, publishedUpdatedAt: sinceWhenPublished },
              setWhere: eq(entries.siteId, siteId),
            }),
        // Ids are generated per site, and rarely collide with those of another site.
        () => new ConflictError(serverText('id-taken', { id })),
      );
    },

    async saveAsset({ id, createdAt, ...asset }) {
      const changing = { ...asset, folded: foldedAsset(asset) };
      const saved = await tx
        .insert(assets)
        .values({ id, siteId, createdAt, ...changing })
        .onConflictDoUpdate({ target: assets.id, set: changing, setWhere: eq(assets.siteId, siteId) })
        .returning({ id: assets.id });
      if (saved.length === 0) throw new ConflictError(serverText('id-taken', { id }));
    },

    // Never removed, because the journal refers to them and an undo needs them.
    async keepAssetFile({ hash, data, thumbnail }, now) {
      const file = { hash, data: Buffer.from(data), thumbnail: Buffer.from(thumbnail), createdAt: now };
      await tx.insert(assetFiles).values(file).onConflictDoNothing();
    },

    async saveSiteDocument(key, { value, revision }, updatedAt) {
      const changing = { value, revision, updatedAt };
      tx.later(() =>
        tx
          .insert(siteDocuments)
          .values({ siteId, key, ...changing })
          .onConflictDoUpdate({ target: [siteDocuments.siteId, siteDocuments.key], set: changing }),
      );
    },

    async saveRedirect(fromPath, targetId, createdAt) {
      const changing = { targetId, createdAt };
      tx.later(() =>
        tx
          .insert(redirects)
          .values({ siteId, fromPath, ...changing })
          .onConflictDoUpdate({ target: [redirects.siteId, redirects.fromPath], set: changing }),
      );
    },

    async addJournalEntry({ change, before, after }) {
      const row = { siteId, ...rowFromChange(change, before, after), seq: nextSeq };
      tx.later(() => tx.insert(revisions).values(row));
    },

    async extendJournalEntry({ change, after }) {
      const { id, slug, title, revision, operations, summary, summaryMessage } = change;
      const changed = { slug, title, revision, operations, summary, summaryMessage, after, seq: nextSeq };
      tx.later(() => tx.update(revisions).set(changed).where(eq(revisions.id, id)));
    },

    async setUndoneBy(changeId, undoneBy) {
      tx.later(() => tx.update(revisions).set({ undoneBy }).where(eq(revisions.id, changeId)));
    },

    async setUndoes(changeId, undoes) {
      tx.later(() => tx.update(revisions).set({ undoes }).where(eq(revisions.id, changeId)));
    },
  };
}

/** Largest number of authors in the list of them. */
const MAX_AUTHORS = 500;

/** The next position in the journal. */
const nextSeq = sql<number>`(select coalesce(max(seq), 0) + 1 from revisions)`;

/**
 * Storage of one site: entries, pictures, site documents, redirects and the journal. Stores its input unchecked: the
 * embedded content backend decides what a write may do.
 */
export function createContentRepository(db: Database, siteId = EMBEDDED_SITE): ContentStore {
  const live = and(eq(entries.siteId, siteId), isNull(entries.deletedAt));
  const ofType = (type: EntryType | undefined) => and(live, type === undefined ? undefined : eq(entries.type, type));

  return {
    ...createContentReader(db.read, siteId),

    write: (work) => db.write((tx) => work(createContentTransaction(tx, siteId))),
    listEntries: (query) => listEntries(db.read, siteId, query),

    async statusCounts(type) {
      const rows = await countByStatus(db.read).all({ siteId, type });
      return { draft: 0, changed: 0, published: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
    },

    async listAssets({ limit, cursor, ...query }) {
      const matching = and(eq(assets.siteId, siteId), assetFilter(query));
      const from = cursor === undefined ? undefined : afterAssetCursor(decodeCursor(assetCursorSchema, cursor));
      const rows = await db.read
        .select()
        .from(assets)
        .where(and(matching, from))
        .orderBy(desc(assets.createdAt), desc(assets.id))
        .limit(limit + 1);
      const total = await db.read.select({ n: count() }).from(assets).where(matching).get();
      const page = toPage(rows.map(assetFromRow), limit, ({ createdAt, id }) => [createdAt, id]);
      return { ...page, total: total?.n ?? 0 };
    },

    async countAssets() {
      const row = await db.read.select({ n: count() }).from(assets).where(eq(assets.siteId, siteId)).get();
      return row?.n ?? 0;
    },

    async assetFile(hash, size) {
      const data = size === 'thumb' ? assetFiles.thumbnail : assetFiles.data;
      const row = await db.read.select({ data }).from(assetFiles).where(eq(assetFiles.hash, hash)).get();
      return row?.data ?? null;
    },

    async entryNames(type) {
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

    async tags(type) {
      const rows = await db.read.all<{ tag: string; id: string }>(sql`
        select tag.value as tag, ${entries.id} as id
        from ${entries}, json_each(${entries.draft}, '$.tags') as tag
        where ${ofType(type)}`);
      // Spellings that filters treat as equal are one tag, listed under the first of them.
      const groups = [...Map.groupBy(rows, ({ tag }) => foldText(tag))];
      return groups
        .map(([folded, uses]) => ({
          folded,
          tag: uses.map(({ tag }) => tag).reduce((first, tag) => (tag < first ? tag : first)),
          count: new Set(uses.map(({ id }) => id)).size,
        }))
        .toSorted((a, b) => b.count - a.count || (a.folded < b.folded ? -1 : 1))
        .map(({ tag, count: n }) => ({ tag, count: n }));
    },

    async authors() {
      const author = sql<string>`json_extract(${entries.draft}, '$.author')`;
      return db.read
        .select({ author, count: count() })
        .from(entries)
        .where(and(live, sql`${author} is not null`))
        .groupBy(author)
        .orderBy(desc(count()), asc(author))
        .limit(MAX_AUTHORS);
    },

    async entries(type) {
      const rows = await db.read
        .select()
        .from(entries)
        .where(ofType(type))
        .orderBy(asc(entries.createdAt), asc(entries.id));
      return rows.map(entryFromRow);
    },
  };
}

const findSiteDocument = builtOnce((db: StoreReader) =>
  db
    .select()
    .from(siteDocuments)
    .where(and(eq(siteDocuments.siteId, sql.placeholder('siteId')), eq(siteDocuments.key, sql.placeholder('key'))))
    .prepare(),
);

const countByStatus = builtOnce((db: StoreReader) =>
  db
    .select({ status: statusColumn, n: count() })
    .from(entries)
    .where(
      and(
        eq(entries.siteId, sql.placeholder('siteId')),
        isNull(entries.deletedAt),
        eq(entries.type, sql.placeholder('type')),
      ),
    )
    .groupBy(statusColumn)
    .prepare(),
);

/** The reads of one site that are also needed inside a transaction, on either connection. */
function createContentReader(db: StoreReader, siteId: string): ContentReader {
  const ofSite = eq(entries.siteId, siteId);
  const live = and(ofSite, isNull(entries.deletedAt));
  const oneEntry = async (condition: SQL | undefined) => {
    const row = await db.select().from(entries).where(condition).get();
    return row === undefined ? null : entryFromRow(row);
  };

  return {
    ...createJournalReader(db, siteId),
    ...createPlaceReader(db, siteId),
    ...createPastReader(db, siteId),
    entry: (id) => oneEntry(and(ofSite, eq(entries.id, id))),
    entryBySlug: (type, slug) => oneEntry(and(eq(entries.type, type), eq(entries.slug, slug), live)),
    entryByPublishedSlug: (type, slug) => oneEntry(and(eq(entries.type, type), eq(entries.publishedSlug, slug), live)),

    async sectionOwners(sectionIds) {
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

    async asset(id) {
      const row = await db
        .select()
        .from(assets)
        .where(and(eq(assets.siteId, siteId), eq(assets.id, id)))
        .get();
      return row === undefined ? null : assetFromRow(row);
    },

    async siteDocument(key) {
      const row = await findSiteDocument(db).get({ siteId, key });
      return row === undefined ? null : { value: row.value as JsonValue, revision: row.revision };
    },
  };
}
