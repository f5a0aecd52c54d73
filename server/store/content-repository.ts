import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt, max, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { ContentReader, StoredAsset } from '#server/content/embedded/content-store';
import { EMBEDDED_SITE, type EntryType } from '#server/core/content';
import { ConflictError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { entryFromRow, listEntries, rowFromChange, rowFromEntry, statusColumn } from '#server/store/content-rows';
import { decodeCursor, toPage } from '#server/store/cursor';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/store/database';
import { createJournalReader, createPlaceReader, createPastReader } from '#server/store/journal-reader';
import { assetFiles, assets, entries, redirects, revisions, siteDocuments } from '#server/store/schema/content';
import { CorruptRowError } from '#server/store/part-codec';
import { remoteLinks, remotePast, remoteTexts } from '#server/store/schema/wordpress';
import type { LinkReader, Mirror, MirrorTransaction, RemoteLink } from '#server/wordpress/mirror';

/** `published_updated_at` of an entry that is saved: the time of this write where it changes what visitors see. */
const sinceWhenPublished = sql`case
  when excluded.published is null then null
  when excluded.published is ${entries.published} then ${entries.publishedUpdatedAt}
  else excluded.updated_at end`;

function createTransaction(tx: StoreTransaction, siteId: string): MirrorTransaction {
  return {
    ...createContentReader(tx, siteId),
    ...createLinkReader(tx, siteId),

    async saveEntry(entry) {
      const { id, createdAt, ...changing } = rowFromEntry(entry);
      const saved = await tx
        .insert(entries)
        .values({ id, siteId, createdAt, publishedUpdatedAt: entry.published && entry.updatedAt, ...changing })
        .onConflictDoUpdate({
          target: entries.id,
          set: { ...changing, publishedUpdatedAt: sinceWhenPublished },
          setWhere: eq(entries.siteId, siteId),
        })
        .returning({ id: entries.id });
      // Ids are made for one site, and rarely met again in another one.
      if (saved.length === 0) throw new ConflictError(`The id ${id} is taken by another site. Try again.`);
    },

    async saveAsset({ id, createdAt, ...changing }) {
      const saved = await tx
        .insert(assets)
        .values({ id, siteId, createdAt, ...changing })
        .onConflictDoUpdate({ target: assets.id, set: changing, setWhere: eq(assets.siteId, siteId) })
        .returning({ id: assets.id });
      if (saved.length === 0) throw new ConflictError(`The id ${id} is taken by another site. Try again.`);
    },

    // Never removed: the journal names them, and an undo needs them.
    async keepAssetFile({ hash, data, thumbnail }, now) {
      const file = { hash, data: Buffer.from(data), thumbnail: Buffer.from(thumbnail), createdAt: now };
      await tx.insert(assetFiles).values(file).onConflictDoNothing();
    },

    async saveSiteDocument(key, { value, revision }, updatedAt) {
      const changing = { value, revision, updatedAt };
      await tx
        .insert(siteDocuments)
        .values({ siteId, key, ...changing })
        .onConflictDoUpdate({ target: [siteDocuments.siteId, siteDocuments.key], set: changing });
    },

    async saveLink({ localId, ...changing }) {
      await tx
        .insert(remoteLinks)
        .values({ siteId, localId, ...changing })
        .onConflictDoUpdate({ target: [remoteLinks.siteId, remoteLinks.localId], set: changing });
    },

    async removeLink(localId) {
      await tx.delete(remoteLinks).where(and(eq(remoteLinks.siteId, siteId), eq(remoteLinks.localId, localId)));
    },

    async keepPast(localId, known, texts) {
      for (const [hash, content] of texts) {
        await tx.insert(remoteTexts).values({ siteId, hash, text: content }).onConflictDoNothing();
      }
      const ofEntry = and(eq(remotePast.siteId, siteId), eq(remotePast.localId, localId));
      const newest = await tx
        .select({ seq: max(remotePast.seq) })
        .from(remotePast)
        .where(ofEntry)
        .get();
      await tx.insert(remotePast).values({ siteId, localId, seq: (newest?.seq ?? 0) + 1, known });
    },

    async saveRedirect(fromPath, targetId, createdAt) {
      const changing = { targetId, createdAt };
      await tx
        .insert(redirects)
        .values({ siteId, fromPath, ...changing })
        .onConflictDoUpdate({ target: [redirects.siteId, redirects.fromPath], set: changing });
    },

    async addJournalEntry({ change, before, after }) {
      await tx.insert(revisions).values({ siteId, ...rowFromChange(change, before, after, await nextSeq(tx)) });
    },

    async extendJournalEntry({ change: { id, slug, title, revision, operations, summary }, after }) {
      const changed = { slug, title, revision, operations, summary, after, seq: await nextSeq(tx) };
      await tx.update(revisions).set(changed).where(eq(revisions.id, id));
    },

    async setUndoneBy(changeId, undoneBy) {
      await tx.update(revisions).set({ undoneBy }).where(eq(revisions.id, changeId));
    },

    async setUndoes(changeId, undoes) {
      await tx.update(revisions).set({ undoes }).where(eq(revisions.id, changeId));
    },
  };
}

async function nextSeq(tx: Pick<StoreTransaction, 'select'>): Promise<number> {
  const newest = await tx
    .select({ seq: max(revisions.seq) })
    .from(revisions)
    .get();
  return (newest?.seq ?? 0) + 1;
}

/**
 * Pages, posts, navigation and settings of one site with their journal, in our own database. It keeps what it is given: what a
 * write may do is decided by the embedded content backend, whose `ContentStore` this is.
 */
export function createContentRepository(db: Database, siteId = EMBEDDED_SITE): Mirror {
  const live = and(eq(entries.siteId, siteId), isNull(entries.deletedAt));
  const ofType = (type: EntryType | undefined) => and(live, type === undefined ? undefined : eq(entries.type, type));

  return {
    ...createContentReader(db.read, siteId),
    ...createLinkReader(db.read, siteId),

    write: (work) => db.write((tx) => work(createTransaction(tx, siteId))),
    listEntries: (query) => listEntries(db.read, siteId, query),

    async statusCounts(type) {
      const rows = await countByStatus(db.read).all({ siteId, type });
      return { draft: 0, changed: 0, published: 0, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
    },

    async listAssets({ limit, cursor, ...query }) {
      const matching = and(eq(assets.siteId, siteId), filter(query));
      const from = cursor === undefined ? undefined : afterCursor(decodeCursor(cursorSchema, cursor));
      const rows = await db.read
        .select()
        .from(assets)
        .where(and(matching, from))
        .orderBy(desc(assets.createdAt), desc(assets.id))
        .limit(limit + 1);
      const total = await db.read.select({ n: count() }).from(assets).where(matching).get();
      const page = toPage(rows.map(fromRow), limit, ({ createdAt, id }) => [createdAt, id]);
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
      return db.read.all<{ tag: string; count: number }>(sql`
        select min(tag.value) as tag, count(distinct ${entries.id}) as count
        from ${entries}, json_each(${entries.draft}, '$.tags') as tag
        where ${ofType(type)}
        group by lower(tag.value)
        order by count desc, lower(tag.value)`);
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

const findSiteDocument = builtOnce((db: Pick<StoreReader, 'select'>) =>
  db
    .select()
    .from(siteDocuments)
    .where(and(eq(siteDocuments.siteId, sql.placeholder('siteId')), eq(siteDocuments.key, sql.placeholder('key'))))
    .prepare(),
);

const countByStatus = builtOnce((db: Pick<StoreReader, 'select'>) =>
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
function createContentReader(
  db: Pick<StoreReader & StoreTransaction, 'select' | 'selectDistinct' | 'all'>,
  siteId: string,
): ContentReader {
  const ofSite = eq(entries.siteId, siteId);
  const live = and(ofSite, isNull(entries.deletedAt));
  const oneEntry = async (condition: ReturnType<typeof and>) => {
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
      return row === undefined ? null : fromRow(row);
    },

    async siteDocument(key) {
      const row = await findSiteDocument(db).get({ siteId, key });
      return row === undefined ? null : { value: row.value as JsonValue, revision: row.revision };
    },
  };
}

type AssetRow = typeof assets.$inferSelect;
function linkFromRow({ siteId: _site, known, ...link }: typeof remoteLinks.$inferSelect): RemoteLink {
  return { ...link, known: known as JsonValue };
}

/** The links of one site, read inside a transaction or outside. */
function createLinkReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string): LinkReader {
  const ofSite = eq(remoteLinks.siteId, siteId);
  const one = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(remoteLinks).where(and(ofSite, condition)).get();
    return row === undefined ? null : linkFromRow(row);
  };
  return {
    link: (localId) => one(eq(remoteLinks.localId, localId)),
    linkByRemote: (kind, remoteId) => one(and(eq(remoteLinks.kind, kind), eq(remoteLinks.remoteId, remoteId))),
    linkByHash: (hash) =>
      one(and(eq(remoteLinks.kind, 'asset'), sql`json_extract(${remoteLinks.known}, '$.hash') = ${hash}`)),
    addresses: () =>
      db
        .select({
          kind: remoteLinks.kind,
          localId: remoteLinks.localId,
          remoteId: remoteLinks.remoteId,
          address: sql<string | null>`json_extract(${remoteLinks.known}, '$.address')`,
          kindSlug,
        })
        .from(remoteLinks)
        .where(ofSite),
    async past(localId) {
      const ofEntry = and(eq(remotePast.siteId, siteId), eq(remotePast.localId, localId));
      const rows = await db.select().from(remotePast).where(ofEntry).orderBy(desc(remotePast.seq));
      return rows.map(({ known }) => known as JsonValue);
    },
    async texts(hashes) {
      const named = and(eq(remoteTexts.siteId, siteId), inArray(remoteTexts.hash, [...hashes]));
      const rows = hashes.length === 0 ? [] : await db.select().from(remoteTexts).where(named);
      return new Map(rows.map(({ hash, text: content }) => [hash, content]));
    },
    async marks(kind) {
      const rows = await db
        .select({
          localId: remoteLinks.localId,
          remoteId: remoteLinks.remoteId,
          modified: sql<number | null>`json_extract(${remoteLinks.known}, '$.modified')`,
          kindSlug,
        })
        .from(remoteLinks)
        .where(and(ofSite, eq(remoteLinks.kind, kind)));
      return rows.map((row) => ({ ...row, modified: row.modified ?? 0 }));
    },
    async links(kind) {
      const ofKind = kind === undefined ? undefined : eq(remoteLinks.kind, kind);
      const rows = await db.select().from(remoteLinks).where(and(ofSite, ofKind)).orderBy(remoteLinks.remoteId);
      return rows.map(linkFromRow);
    },
  };
}

const kindSlug = sql<string | null>`json_extract(${remoteLinks.known}, '$.kind.slug')`;

/** Most words of a search that are looked at. */
const MAX_WORDS = 12;
const tagsSchema = z.array(z.string());
const cursorSchema = z.tuple([z.number(), z.string()]);

function fromRow({ siteId: _site, ...row }: AssetRow): StoredAsset {
  const tags = tagsSchema.safeParse(row.tags);
  if (!tags.success) throw new CorruptRowError('assets', row.id, tags.error);
  return { ...row, tags: tags.data };
}

function afterCursor([createdAt, id]: readonly [number, string]) {
  return or(lt(assets.createdAt, createdAt), and(eq(assets.createdAt, createdAt), lt(assets.id, id)));
}

function filter({
  text = '',
  tag,
  missingAlt,
  state = 'live',
  except,
}: Omit<Parameters<Mirror['listAssets']>[0], 'limit' | 'cursor'>) {
  const words = text.slice(0, 500).toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const told = sql`lower(${assets.filename} || ' ' || ${assets.alt} || ' ' || ${assets.tags})`;
  return and(
    state === 'live' ? isNull(assets.deletedAt) : isNotNull(assets.deletedAt),
    ...words.map((word) => sql`instr(${told}, ${word}) > 0`),
    missingAlt === true ? eq(assets.alt, '') : undefined,
    except === undefined
      ? undefined
      : sql`${assets.id} not in (select value from json_each(${JSON.stringify(except)}))`,
    tag === undefined
      ? undefined
      : sql`exists (select 1 from json_each(${assets.tags}) as tag where lower(tag.value) = lower(${tag}))`,
  );
}

/** Finds the site whose library has a picture. One that is not in this database may be in a store of the built-in site's own. */
export function createSiteOfPicture(db: Database) {
  return async (id: string): Promise<string> => {
    const found = await db.read.select({ siteId: assets.siteId }).from(assets).where(eq(assets.id, id)).get();
    return found?.siteId ?? EMBEDDED_SITE;
  };
}
