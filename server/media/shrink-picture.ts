import sharp from 'sharp';
import { MAX_IMAGE_PIXELS } from '#server/core/attachment-limits';

/**
 * The same picture, upright, with no side longer than `side` pixels: providers refuse longer ones with the whole request,
 * and shrink what they take. The same bytes for the same picture, so that prompt caches hold. One that cannot be decoded
 * stays as it is.
 */
export async function shrinkPicture(data: Uint8Array, side: number): Promise<Uint8Array> {
  try {
    return await sharp(data, { limitInputPixels: MAX_IMAGE_PIXELS })
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .toBuffer();
  } catch {
    return data;
  }
}
