import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import { servedWidths } from '#server/core/site/pictures';
import { createPictureVariants } from '#server/site/media/picture-variants';
import { createPictureVariantRepository } from '#server/site/store/picture-variant-repository';
import { createTestDatabase } from '#tests/support/test-database';

const WIDTH = 1_000;
const HEIGHT = 600;
const facts = { id: 'ast_h7k2mp', version: '0123456789abcdef', width: WIDTH, height: HEIGHT, mediaType: 'image/png' };

/** Red on the left, blue on the right. */
async function twoColours(): Promise<Buffer> {
  const right = await sharp({ create: { width: WIDTH / 2, height: HEIGHT, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer();
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#ff0000' } })
    .composite([{ input: right, left: WIDTH / 2, top: 0 }])
    .png()
    .toBuffer();
}

async function begin(options: { maxTotalBytes?: number } = {}) {
  const db = await createTestDatabase();
  const onFault = vi.fn();
  let time = 1_800_000_000_000;
  const store = createPictureVariantRepository(db, { now: () => time, ...options });
  const original = await twoColours();
  const read = vi.fn(async () => original as Uint8Array);
  return {
    db,
    store,
    read,
    onFault,
    variants: createPictureVariants(store, onFault),
    wait: (ms: number) => (time += ms),
  };
}

const webp = (width: number, crop: Parameters<ReturnType<typeof createPictureVariants>['get']>[1]['crop'] = null) =>
  ({ width, format: 'webp', crop }) as const;

it('a picture is made in a width on the first request, once, and kept', async () => {
  const { db, variants, read } = await begin();
  await using _ = db;
  const asked = await Promise.all([1, 2, 3].map(() => variants.get(facts, webp(400), read)));
  const later = await variants.get(facts, webp(400), read);
  expect(read).toHaveBeenCalledTimes(1);
  for (const made of [...asked, later]) {
    if (made?.kind !== 'made') throw new Error('It was not made.');
    const { width, height, format } = await sharp(made.data).metadata();
    expect([width, height, format, made.mediaType]).toEqual([400, 240, 'webp', 'image/webp']);
  }
});

it('a part of it is cut out', async () => {
  const { db, variants, read } = await begin();
  await using _ = db;
  const crop = { x: 50, y: 10, width: 50, height: 80 };
  expect(servedWidths(500)).toContain(400);
  const made = await variants.get(facts, webp(400, crop), read);
  if (made?.kind !== 'made') throw new Error('It was not made.');
  const { data, info } = await sharp(made.data).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([400, 384]);
  // Blue, from its left edge on.
  expect([data[0]! < 40, data[2]! > 200]).toEqual([true, true]);
});

it('a slow variant is made in the background, unless a caller waits for it', async () => {
  const { db, variants, read, onFault } = await begin();
  await using _ = db;
  const avif = { width: 800, format: 'avif', crop: null } as const;
  expect(await variants.get(facts, avif, read)).toEqual({ kind: 'later', instead: { ...avif, format: 'webp' } });
  const made = await variants.get(facts, avif, read, true);
  expect(made).toMatchObject({ kind: 'made', mediaType: 'image/avif' });
  expect(read).toHaveBeenCalledTimes(1);
  expect(await variants.get(facts, avif, read)).toMatchObject({ kind: 'made' });
  expect(onFault).not.toHaveBeenCalled();
});

it('only the widths that pages request are made, of readable pictures that are not animated', async () => {
  const { db, variants, read, onFault } = await begin();
  await using _ = db;
  for (const width of [1, 399, 1_001, 1_200]) expect(await variants.get(facts, webp(width), read)).toBeNull();
  expect(read).not.toHaveBeenCalled();
  expect(await variants.get({ ...facts, mediaType: 'image/gif' }, webp(400), read)).toEqual({ kind: 'original' });
  const frames = await sharp(
    [
      await twoColours(),
      await sharp(await twoColours())
        .negate()
        .png()
        .toBuffer(),
    ],
    { join: { animated: true } },
  )
    .webp()
    .toBuffer();
  expect(await variants.get({ ...facts, version: 'a'.repeat(16) }, webp(400), async () => frames)).toEqual({
    kind: 'original',
  });
  expect(onFault).not.toHaveBeenCalled();
  const broken = async () => Buffer.from('no picture');
  expect(await variants.get({ ...facts, version: 'b'.repeat(16) }, webp(400), broken)).toEqual({ kind: 'original' });
  expect(onFault).toHaveBeenCalledTimes(1);
});

it('stored bytes stay within the limit: the least recently requested are removed', async () => {
  const { db, store, wait } = await begin({ maxTotalBytes: 100 });
  await using _ = db;
  const day = 86_400_000;
  await store.keep('a'.repeat(16), '400.webp', Buffer.alloc(40));
  wait(1);
  await store.keep('b'.repeat(16), '400.webp', Buffer.alloc(40));
  wait(day);
  expect(await store.find('a'.repeat(16), '400.webp')).toHaveLength(40);
  await store.keep('c'.repeat(16), '400.webp', Buffer.alloc(60));
  await store.keep('d'.repeat(16), '400.webp', Buffer.alloc(101));
  const left = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => store.find(letter.repeat(16), '400.webp')));
  expect(left.map((data) => data?.length ?? null)).toEqual([40, null, 60, null]);
});

it('a picture is served without a writable store, from the store or newly made', async () => {
  const { db, variants, read, onFault, wait } = await begin();
  await using _ = db;
  await variants.get(facts, webp(400), read);
  wait(2 * 86_400_000);
  for (const kind of ['insert', 'update'])
    await db.write((tx) =>
      tx.run(sql`create trigger ${sql.raw(`no_${kind} before ${kind}`)} on picture_variants
        begin select raise(abort, 'database or disk is full'); end`),
    );
  expect(await variants.get(facts, webp(400), read)).toMatchObject({ kind: 'made' });
  expect(await variants.get(facts, webp(800), read)).toMatchObject({ kind: 'made' });
  expect(onFault).toHaveBeenCalledTimes(1);
});
