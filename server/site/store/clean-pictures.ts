import { and, eq, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { messageOf } from '#server/core/errors';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { Picture, PreparePicture } from '#server/core/site/prepared-picture';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { assetFiles, assets, pictureVariants, revisions } from '#server/platform/database/schema/content';

/** Outcome of cleanPictures; sizes in bytes. */
export interface CleanedPictures {
  readonly checked: number;
  /** Pictures with embedded data; rewritten, unless it was a dry run. */
  readonly cleaned: number;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  /** Pictures that stay as they are, because they cannot be read. */
  readonly failed: readonly { readonly filename: string; readonly reason: string }[];
}

/**
 * Rewrites the pictures of the built-in library that contain other data than the picture (place, author, comments),
 * including those in the trash and former versions. Ids, descriptions and the journal stay; the journal then refers to
 * the new bytes, so that an undo does not bring the data back. Can be repeated after an interruption.
 * @param prepare creates the form in which new pictures are stored
 */
export async function cleanPictures(
  db: Database,
  prepare: PreparePicture,
  { isDryRun = false, now = Date.now } = {},
): Promise<CleanedPictures> {
  const failed: { filename: string; reason: string }[] = [];
  let [checked, cleaned, sizeBefore, sizeAfter] = [0, 0, 0, 0];
  for (const [hash, filename] of await picturesOfSite(db)) {
    const file = await db.read
      .select({ data: assetFiles.data })
      .from(assetFiles)
      .where(eq(assetFiles.hash, hash))
      .get();
    if (file === undefined) continue;
    checked += 1;
    try {
      const picture = await prepare(file.data, filename);
      if (picture.hash === hash) continue;
      cleaned += 1;
      sizeBefore += file.data.length;
      sizeAfter += picture.data.length;
      if (!isDryRun) await db.write((tx) => replaceBytes(tx, hash, picture, now()));
    } catch (error) {
      failed.push({ filename, reason: messageOf(error) });
    }
  }
  return { checked, cleaned, sizeBefore, sizeAfter, failed };
}

const hashIn = (state: SQLiteColumn) => sql<string>`json_extract(${state}, '$.hash')`;
const nameIn = (state: SQLiteColumn) => sql<string>`json_extract(${state}, '$.filename')`;
const isAssetChange = eq(revisions.targetType, 'asset');

/** Hashes of the bytes that the built-in library and its journal refer to, with a filename of each. */
async function picturesOfSite({ read }: Database): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const state of [revisions.before, revisions.after]) {
    const ofSite = and(isAssetChange, eq(revisions.siteId, EMBEDDED_SITE), isNotNull(state));
    const rows = await read
      .select({ hash: hashIn(state), filename: nameIn(state) })
      .from(revisions)
      .where(ofSite);
    for (const { hash, filename } of rows) found.set(hash, filename);
  }
  const { hash, filename, siteId } = assets;
  for (const row of await read.select({ hash, filename }).from(assets).where(eq(siteId, EMBEDDED_SITE)))
    found.set(row.hash, row.filename);
  return found;
}

async function replaceBytes(tx: StoreTransaction, former: string, picture: Picture, now: number): Promise<void> {
  const { hash, data, thumbnail, width, height } = picture;
  const size = data.length;
  const file = { hash, data: Buffer.from(data), thumbnail: Buffer.from(thumbnail), createdAt: now };
  await tx.insert(assetFiles).values(file).onConflictDoNothing();
  await tx
    .update(assets)
    .set({ hash, size, width, height })
    .where(and(eq(assets.siteId, EMBEDDED_SITE), eq(assets.hash, former)));
  for (const column of ['before', 'after'] as const) {
    const state = revisions[column];
    const cleaned = sql`json_set(${state}, '$.hash', ${hash}, '$.size', ${size}, '$.width', ${width}, '$.height', ${height})`;
    await tx
      .update(revisions)
      .set({ [column]: cleaned })
      .where(and(isAssetChange, eq(revisions.siteId, EMBEDDED_SITE), eq(hashIn(state), former)));
  }
  // Connected sites share bytes with the library, and compare their hashes with those of the site.
  if (await isUsedElsewhere(tx, former)) return;
  await tx.delete(assetFiles).where(eq(assetFiles.hash, former));
  await tx.delete(pictureVariants).where(sql`instr(${former}, ${pictureVariants.version}) = 1`);
}

async function isUsedElsewhere(tx: StoreTransaction, hash: string): Promise<boolean> {
  const inJournal: SQL | undefined = or(eq(hashIn(revisions.before), hash), eq(hashIn(revisions.after), hash));
  const [asset] = await tx
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.hash, hash), ne(assets.siteId, EMBEDDED_SITE)))
    .limit(1);
  if (asset) return true;
  const [change] = await tx
    .select({ id: revisions.id })
    .from(revisions)
    .where(and(isAssetChange, ne(revisions.siteId, EMBEDDED_SITE), inJournal))
    .limit(1);
  return change !== undefined;
}
