import { and, asc, count, desc, eq, isNotNull, isNull, lt, max, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type ChangeSet, EMBEDDED_SITE, type Entry, type EntryType, type SiteDocumentKey } from '#server/core/content';
import { ConflictError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { entryFromRow, rowFromChange, rowFromEntry } from '#server/store/content-rows';
import { decodeCursor, toPage } from '#server/store/cursor';
import type { Database, StoreReader, StoreTransaction } from '#server/store/database';
import { type EntryListQuery, listEntries } from '#server/store/entry-list';
import { createJournalReader, createPlaceReader } from '#server/store/journal-reader';
import { createRemoteLinkReader, createRemoteLinkWriter } from '#server/store/remote-link-repository';
import { assetFiles, assets, entries, redirects, revisions, siteDocuments } from '#server/store/schema/content';
import { CorruptRowError } from '#server/store/store-errors';

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

/** The reads of one site that are also needed inside a transaction, on either connection. */
function createContentReader(
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

type AssetRow = typeof assets.$inferSelect;
/** An asset as it is stored; its bytes are in `asset_files`. */
type StoredAsset = Omit<AssetRow, 'tags' | 'siteId'> & { readonly tags: string[] };

interface AssetListQuery {
  /** Words that filename, description or tags hold. */
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
  readonly missingAlt?: boolean | undefined;
  readonly state?: 'live' | 'trashed' | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Most words of a search that are looked at. */
const MAX_WORDS = 12;
const tagsSchema = z.array(z.string());
const cursorSchema = z.tuple([z.number(), z.string()]);

function fromRow({ siteId: _site, ...row }: AssetRow): StoredAsset {
  const tags = tagsSchema.safeParse(row.tags);
  if (!tags.success) throw new CorruptRowError('assets', row.id, tags.error);
  return { ...row, tags: tags.data };
}

/** The reads that are also needed inside a transaction, on either connection. */
function createAssetReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string) {
  return {
    async asset(id: string): Promise<StoredAsset | null> {
      const row = await db
        .select()
        .from(assets)
        .where(and(eq(assets.siteId, siteId), eq(assets.id, id)))
        .get();
      return row === undefined ? null : fromRow(row);
    },
  };
}

/** Writes of the media library. */
function createAssetWriter(tx: StoreTransaction, siteId: string) {
  return {
    /** Inserts the asset or replaces what is stored under its id. */
    async saveAsset(asset: StoredAsset): Promise<void> {
      const { id, createdAt, ...changing } = asset;
      const saved = await tx
        .insert(assets)
        .values({ id, siteId, createdAt, ...changing })
        .onConflictDoUpdate({ target: assets.id, set: changing, setWhere: eq(assets.siteId, siteId) })
        .returning({ id: assets.id });
      if (saved.length === 0) throw new ConflictError(`The id ${id} is taken by another site. Try again.`);
    },

    /** Keeps bytes that are not there yet. They are never removed: the journal names them, and an undo needs them. */
    async keepAssetFile(
      { hash, data, thumbnail }: { hash: string; data: Uint8Array; thumbnail: Uint8Array },
      now: number,
    ): Promise<void> {
      const file = { hash, data: Buffer.from(data), thumbnail: Buffer.from(thumbnail), createdAt: now };
      await tx.insert(assetFiles).values(file).onConflictDoNothing();
    },
  };
}

/** Reads of the media library that no transaction needs. */
function createAssetRepository(db: StoreReader, siteId: string) {
  return {
    async assetFile(hash: string, size: 'full' | 'thumb'): Promise<Uint8Array | null> {
      const data = size === 'thumb' ? assetFiles.thumbnail : assetFiles.data;
      const row = await db.select({ data }).from(assetFiles).where(eq(assetFiles.hash, hash)).get();
      return row?.data ?? null;
    },

    /** Newest first. */
    async listAssets({ limit, cursor, ...query }: AssetListQuery) {
      const matching = and(eq(assets.siteId, siteId), filter(query));
      const from = cursor === undefined ? undefined : afterCursor(decodeCursor(cursorSchema, cursor));
      const rows = await db
        .select()
        .from(assets)
        .where(and(matching, from))
        .orderBy(desc(assets.createdAt), desc(assets.id))
        .limit(limit + 1);
      const total = await db.select({ n: count() }).from(assets).where(matching).get();
      const page = toPage(rows.map(fromRow), limit, ({ createdAt, id }) => [createdAt, id]);
      return { ...page, total: total?.n ?? 0 };
    },
  };
}

function afterCursor([createdAt, id]: readonly [number, string]) {
  return or(lt(assets.createdAt, createdAt), and(eq(assets.createdAt, createdAt), lt(assets.id, id)));
}

function filter({ text = '', tag, missingAlt, state = 'live' }: Omit<AssetListQuery, 'limit' | 'cursor'>) {
  const words = text.slice(0, 500).toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const told = sql`lower(${assets.filename} || ' ' || ${assets.alt} || ' ' || ${assets.tags})`;
  return and(
    state === 'live' ? isNull(assets.deletedAt) : isNotNull(assets.deletedAt),
    ...words.map((word) => sql`instr(${told}, ${word}) > 0`),
    missingAlt === true ? eq(assets.alt, '') : undefined,
    tag === undefined
      ? undefined
      : sql`exists (select 1 from json_each(${assets.tags}) as tag where lower(tag.value) = lower(${tag}))`,
  );
}
