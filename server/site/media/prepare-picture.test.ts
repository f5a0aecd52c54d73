import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { InvalidInputError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { MAX_IMAGE_PIXELS, MAX_PICTURE_BYTES } from '#server/core/limits';
import { prepareImage, preparePicture as prepare } from '#server/site/media/prepare-picture';
import { pngImage } from '#tests/support/attached-files';
import { photoWithPlace } from '#tests/support/pictures';
import { animatedGif, claimingPng } from '#tests/support/hostile-files';

const preparePicture = (bytes: Uint8Array) => prepare(bytes, 'kiln.png');
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#b5651d' } });

/** What was hidden in the pictures below. */
const SECRET = 'taken at the owner’s house';

/** A picture with a part that it does not need, or with bytes after its end. */
async function withSecret(format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif', where: string): Promise<Buffer> {
  const data = await plain(60, 30).toFormat(format).toBuffer();
  const secret = Buffer.from(SECRET);
  if (where === 'after its end') return Buffer.concat([data, secret]);
  const insert = (at: number, ...parts: Buffer[]) => Buffer.concat([data.subarray(0, at), ...parts, data.subarray(at)]);
  const u32 = (value: number, order: 'BE' | 'LE') => {
    const bytes = Buffer.alloc(4);
    bytes[`writeUInt32${order}`](value);
    return bytes;
  };
  switch (format) {
    case 'png':
      // After IHDR; readers of unknown chunks do not check the sum.
      return insert(
        33,
        u32(secret.length, 'BE'),
        Buffer.from(where),
        secret,
        u32(crc32(Buffer.concat([Buffer.from(where), secret])), 'BE'),
      );
    case 'jpeg':
      return insert(2, Buffer.from([0xff, Number(where), 0, secret.length + 2]), secret);
    case 'gif':
      return insert(data.length - 1, Buffer.from([0x21, Number(where), secret.length]), secret, Buffer.from([0]));
    case 'webp': {
      const chunk = Buffer.concat([
        Buffer.from(where),
        u32(secret.length, 'LE'),
        secret,
        Buffer.alloc(secret.length % 2),
      ]);
      const whole = Buffer.concat([data, chunk]);
      whole.writeUInt32LE(whole.length - 8, 4);
      return whole;
    }
    default:
      return Buffer.concat([data, u32(secret.length + 8, 'BE'), Buffer.from(where), secret]);
  }
}

it('refuses a file of many comments without trying all ways to read it', async () => {
  const comments = new TextEncoder().encode('<!---->'.repeat(500));
  await expect(prepare(comments, 'comments.svg')).rejects.toThrow(UnsupportedFileError);
});

it('draws an SVG as a PNG, without its scripts', async () => {
  const svg =
    '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100"><script>alert(1)</script><rect width="400" height="100" fill="#b5651d"/></svg>';
  const picture = await prepare(new TextEncoder().encode(svg), 'logo.svg');
  expect(picture).toMatchObject({ mediaType: 'image/png', filename: 'logo.png', width: 1_600, height: 400 });
  expect(Buffer.from(picture.data).toString('latin1')).not.toContain('alert');
  const huge = '<svg xmlns="http://www.w3.org/2000/svg" width="90000" height="90000"></svg>';
  await expect(prepare(new TextEncoder().encode(huge), 'huge.svg')).rejects.toThrow(TooLargeError);
});

describe('a picture', () => {
  it.each([
    ['png', 'tEXt'],
    ['png', 'prVt'],
    ['png', 'caBX'],
    ['png', 'after its end'],
    ['jpeg', '0xfe'],
    ['jpeg', '0xeb'],
    ['jpeg', '0xe5'],
    ['jpeg', '0xe2'],
    ['jpeg', 'after its end'],
    ['gif', '0xfe'],
    ['gif', 'after its end'],
    ['webp', 'ABCD'],
    ['webp', 'after its end'],
    ['avif', 'uuid'],
    ['avif', 'free'],
  ] as const)('is published without what is not the picture: %s, %s', async (format, where) => {
    const sent = await withSecret(format, where);
    expect(sent.includes(SECRET)).toBe(true);
    const { data, width, height } = await preparePicture(sent);
    expect([Buffer.from(data).includes(SECRET), width, height]).toEqual([false, 60, 30]);
  });

  it('is decoded with limited concurrency', async () => {
    const data = await plain(900, 900).png().toBuffer();
    let most = 0;
    const count = (running: number) => (most = Math.max(most, running));
    sharp.queue.on('change', count);
    await Promise.all(Array.from({ length: 12 }, () => preparePicture(data)));
    sharp.queue.off('change', count);
    expect(most).toBeLessThanOrEqual(2);
  });

  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
    ['gif', 'image/gif'],
    ['avif', 'image/avif'],
  ] as const)('is known by its content and keeps its bytes: %s', async (format, mediaType) => {
    const data = await plain(600, 300).toFormat(format).toBuffer();
    const picture = await preparePicture(data);
    expect(picture).toMatchObject({ mediaType, width: 600, height: 300 });
    expect(Buffer.compare(picture.data, data)).toBe(0);
    expect(await sharp(picture.thumbnail).metadata()).toMatchObject({ format: 'webp', width: 400, height: 200 });
  });

  it('is not made larger in its thumbnail', async () => {
    const { thumbnail } = await preparePicture(pngImage(30, 20));
    expect(await sharp(thumbnail).metadata()).toMatchObject({ width: 30, height: 20 });
  });

  it.each(['png', 'webp', 'avif'] as const)('loses it as %s, too', async (format) => {
    const data = await sharp(await photoWithPlace(60, 40))
      .keepExif()
      .toFormat(format)
      .toBuffer();
    expect(data.includes('GPS-PLACE')).toBe(true);
    const picture = await preparePicture(data);
    expect(Buffer.from(picture.data).includes('GPS-PLACE')).toBe(false);
    expect(picture.mediaType).toBe(`image/${format}`);
  });
});

describe('is refused:', () => {
  it('nothing, and too much', async () => {
    await expect(preparePicture(new Uint8Array())).rejects.toThrow(InvalidInputError);
    await expect(preparePicture(new Uint8Array(MAX_PICTURE_BYTES + 1))).rejects.toThrow(TooLargeError);
  });

  it.each([
    ['SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['PDF', '%PDF-1.4\n1 0 obj'],
    ['text', 'no picture at all'],
  ])('%s', async (_, text) => {
    await expect(preparePicture(Buffer.from(text))).rejects.toThrow(UnsupportedFileError);
  });

  it('a truncated image, or noise after a good beginning', async () => {
    const png = await plain(300, 300).png().toBuffer();
    await expect(preparePicture(png.subarray(0, 60))).rejects.toThrow(UnsupportedFileError);
    const noise = Buffer.concat([png.subarray(0, 8), Buffer.alloc(2_000, 7)]);
    await expect(preparePicture(noise)).rejects.toThrow(UnsupportedFileError);
  });
});

describe('an attached image', () => {
  it('keeps its bytes if they contain only the image', async () => {
    const data = pngImage(60, 40);
    expect(await prepareImage(data, 'image/png')).toEqual({ data, width: 60, height: 40 });
  });

  it('loses its location, and is rotated upright', async () => {
    const photo = await photoWithPlace(60, 40);
    expect(photo.includes('GPS-PLACE')).toBe(true);
    const { data, width, height } = await prepareImage(photo, 'image/jpeg');
    expect({ width, height }).toEqual({ width: 40, height: 60 });
    expect(Buffer.from(data).includes('GPS-PLACE')).toBe(false);
    const { exif, orientation, format } = await sharp(data).metadata();
    expect({ exif, orientation, format }).toEqual({ exif: undefined, orientation: undefined, format: 'jpeg' });
  });

  it.each([
    [50_000, 50_000],
    [MAX_IMAGE_PIXELS + 8, 1],
    [8_000, 5_001],
  ])('of few bytes that unfolds to %d x %d pixels is refused, on the site too', async (width, height) => {
    const bomb = claimingPng(width, height);
    expect(bomb.length).toBeLessThan(10_000);
    await expect(prepareImage(bomb, 'image/png')).rejects.toThrow(TooLargeError);
    await expect(preparePicture(bomb)).rejects.toThrow(TooLargeError);
  });

  it('is refused by all of its frames', async () => {
    await expect(prepareImage(animatedGif(2_000, 2_000, 10), 'image/gif')).resolves.toMatchObject({ width: 2_000 });
    const gif = animatedGif(2_000, 2_000, 11);
    expect(gif.length).toBeLessThan(300);
    await expect(prepareImage(gif, 'image/gif')).rejects.toThrow(TooLargeError);
    await expect(preparePicture(gif)).rejects.toThrow(TooLargeError);
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('that ends too early is refused: %s', async (format) => {
    const noise = { type: 'gaussian' as const, mean: 128, sigma: 80 };
    const whole = await sharp({ create: { width: 90, height: 90, channels: 3, background: 'grey', noise } })
      .toFormat(format)
      .toBuffer();
    await expect(prepareImage(whole, `image/${format}`)).resolves.toMatchObject({ width: 90 });
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    await expect(prepareImage(half, `image/${format}`)).rejects.toThrow(UnsupportedFileError);
  });
});
