import { and, count, desc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { ConflictError } from '#server/core/errors';
import { decodeCursor, toPage } from '#server/store/cursor';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { assetFiles, assets } from '#server/store/schema';
import { CorruptRowError } from '#server/store/store-errors';

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
export function createAssetReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string) {
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

/** What the media library writes. */
export function createAssetWriter(tx: StoreTransaction, siteId: string) {
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

/** What of the media library is read outside a transaction only. */
export function createAssetRepository(db: StoreReader, siteId: string) {
  return {
    async assetFile(hash: string, size: 'full' | 'thumb'): Promise<Uint8Array | null> {
      const data = size === 'thumb' ? assetFiles.thumbnail : assetFiles.data;
      const row = await db.select({ data }).from(assetFiles).where(eq(assetFiles.hash, hash)).get();
      return row?.data ?? null;
    },

    /** Newest first. */
    async listAssets({ limit, cursor, ...query }: AssetListQuery) {
      const matching = and(eq(assets.siteId, siteId), filter(query));
      const from = cursor === undefined ? undefined : after(decodeCursor(cursorSchema, cursor));
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

function after([createdAt, id]: readonly [number, string]) {
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
