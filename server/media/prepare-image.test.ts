import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { MAX_IMAGE_PIXELS } from '#server/core/limits';
import { TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { prepareImage } from '#server/media/prepare-picture';
import { pngImage } from '#tests/support/attached-files';
import { animatedGif, claimingPng } from '#tests/support/hostile-files';
import { photoWithPlace } from '#tests/support/pictures';

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#b5651d' } });

describe('an attached image', () => {
  it('keeps its bytes where there is nothing in it but the image', async () => {
    const data = pngImage(60, 40);
    expect(await prepareImage(data, 'image/png')).toEqual({ data, width: 60, height: 40 });
  });

  it('loses the place where it was taken, and stands upright', async () => {
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
  ])('of few bytes that unfolds to %d x %d pixels is refused', async (width, height) => {
    const bomb = claimingPng(width, height);
    expect(bomb.length).toBeLessThan(10_000);
    await expect(prepareImage(bomb, 'image/png')).rejects.toThrow(TooLargeError);
  });

  it('is refused by all of its frames', async () => {
    await expect(prepareImage(animatedGif(2_000, 2_000, 10), 'image/gif')).resolves.toMatchObject({ width: 2_000 });
    const gif = animatedGif(2_000, 2_000, 11);
    expect(gif.length).toBeLessThan(300);
    await expect(prepareImage(gif, 'image/gif')).rejects.toThrow(TooLargeError);
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('that ends too early is refused: %s', async (format) => {
    const noise = { type: 'gaussian' as const, mean: 128, sigma: 80 };
    const whole = await sharp({ create: { width: 200, height: 200, channels: 3, background: 'grey', noise } })
      .toFormat(format)
      .toBuffer();
    await expect(prepareImage(whole, `image/${format}`)).resolves.toMatchObject({ width: 200 });
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    await expect(prepareImage(half, `image/${format}`)).rejects.toThrow(UnsupportedFileError);
  });

  it('whose middle is not what its header promises is refused', async () => {
    const good = await plain(100, 100).png().toBuffer();
    const bad = Buffer.concat([good.subarray(0, 60), Buffer.alloc(500, 7)]);
    await expect(prepareImage(bad, 'image/png')).rejects.toThrow(UnsupportedFileError);
  });
});
