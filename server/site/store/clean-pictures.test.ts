import { eq } from 'drizzle-orm';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { PreparePicture } from '#server/core/site/prepared-picture';
import { assetFiles, assets, pictureVariants } from '#server/platform/database/schema/content';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { preparePicture } from '#server/site/media/prepare-picture';
import { cleanPictures } from '#server/site/store/clean-pictures';
import { createContentRepository } from '#server/site/store/content-repository';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';

const ORIGIN: ChangeOrigin = { actor: 'user' };

/** Stores the bytes unchanged, as versions before 0.3 did with data in unusual segments. */
const asReceived: PreparePicture = async (data, filename) => {
  const clean = await preparePicture(data, filename);
  return { ...clean, data, hash: filename.replace('.jpg', '').padEnd(64, '0') };
};

/** A photo with a place, and with bytes after its end. */
async function photo(place: string): Promise<Buffer> {
  const picture = sharp(await colouredPicture('#b5651d', { width: 40, height: 30 }));
  const data = await picture
    .withExif({ IFD0: { Copyright: place } })
    .jpeg()
    .toBuffer();
  return Buffer.concat([data, Buffer.from(`after the end: ${place}`)]);
}

it('removes embedded data from stored pictures, former versions and the trash, once', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db), { preparePicture: asReceived });
  const add = (filename: string, data: Buffer) => content.assets.add({ data, filename, alt: 'A kiln' }, ORIGIN);
  const { asset } = await add('aa.jpg', await photo('GPS-PLACE-1'));
  const replaced = await content.assets.replace(
    asset.id,
    { data: await photo('GPS-PLACE-2'), filename: 'bb.jpg' },
    ORIGIN,
  );
  const trashed = (await add('cc.jpg', await photo('GPS-PLACE-3'))).asset;
  await content.assets.trash(trashed.id, ORIGIN);
  const broken = {
    hash: 'dd'.padEnd(64, '0'),
    data: Buffer.from('no picture'),
    thumbnail: Buffer.from(''),
    createdAt: 1,
  };
  await db.write(async (tx) => {
    await tx.insert(assetFiles).values(broken);
    await tx.update(assetFiles).set({ createdAt: 1 });
    await tx
      .insert(pictureVariants)
      .values({ version: 'aa000000', name: '80.webp', data: Buffer.from('x'), size: 1, usedAt: 1 });
  });
  const { asset: lost } = await add('ee.jpg', await photo('GPS-PLACE-4'));
  await db.write((tx) => tx.update(assets).set({ hash: broken.hash }).where(eq(assets.id, lost.id)));
  const bytes = async () =>
    Buffer.concat((await db.read.select({ data: assetFiles.data }).from(assetFiles)).map(({ data }) => data));

  expect(await cleanPictures(db, preparePicture, { isDryRun: true })).toMatchObject({ cleaned: 4 });
  expect((await bytes()).includes('GPS-PLACE')).toBe(true);
  const outcome = await cleanPictures(db, preparePicture);
  expect(outcome).toMatchObject({ checked: 5, cleaned: 4, failed: [{ filename: 'ee.jpg' }] });
  expect((await bytes()).includes('GPS-PLACE')).toBe(false);
  expect(await db.read.select().from(pictureVariants)).toEqual([]);
  const now = await content.assets.get(asset.id);
  const { data } = await content.assets.read(asset.id, 'full');
  expect({ ...now, size: data.length }).toEqual(now);
  expect(now).toMatchObject({ width: 40, height: 30, alt: 'A kiln' });

  await content.undo(replaced.change.id, ORIGIN);
  expect((await sharp((await content.assets.read(asset.id, 'full')).data).metadata()).exif).toBeUndefined();
  expect(await cleanPictures(db, preparePicture)).toMatchObject({ cleaned: 0 });
});

it('keeps bytes that a connected site uses, too', async () => {
  await using db = await createTestDatabase();
  const content = new EmbeddedSite(createContentRepository(db), { preparePicture: asReceived });
  const { asset } = await content.assets.add({ data: await photo('GPS-PLACE-1'), filename: 'aa.jpg' }, ORIGIN);
  const row = (await db.read.select().from(assets).where(eq(assets.id, asset.id)).get())!;
  await db.write((tx) => tx.insert(assets).values({ ...row, id: 'ast_other0', siteId: 'wps_1' }));
  expect(await cleanPictures(db, preparePicture)).toMatchObject({ cleaned: 1 });
  const hashes = await db.read.select({ site: assets.siteId, hash: assets.hash }).from(assets);
  expect(hashes.find(({ site }) => site === 'wps_1')?.hash).toBe(row.hash);
  expect(hashes.find(({ site }) => site === EMBEDDED_SITE)?.hash).not.toBe(row.hash);
  expect(await db.read.select().from(assetFiles).where(eq(assetFiles.hash, row.hash))).toHaveLength(1);
});
