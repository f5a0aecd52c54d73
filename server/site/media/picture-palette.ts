import sharp from 'sharp';
import { MAX_IMAGE_PIXELS } from '#server/core/limits';
import { fromOklch, GRAPHIC_CONTRAST, nearestPassing, TEXT_CONTRAST, toOklch } from '#server/core/site/design/colors';
import type { Design } from '#server/core/site/design/design';
import { withDecoder } from '#server/site/media/decoding';

/** Side of the picture whose pixels are counted; its colours are those of the whole. */
const SIDE = 64;
/** Number of groups of hues. */
const HUES = 24;
/** Chroma below which a pixel is grey and has no hue. */
const GREY = 0.035;
/** Brand colours are neither nearly black nor nearly white. */
const [MIN_LIGHTNESS, MAX_LIGHTNESS] = [0.32, 0.66];

interface HueGroup {
  weight: number;
  l: number;
  c: number;
  h: number;
}

/**
 * A palette with the colours of a picture: its dominant hue as brand colour, and a light and a dark tint of it for paper and ink. A
 * grey picture gives a grey palette. Each colour has the contrast that a palette needs.
 * @throws any error of sharp
 */
export async function pictureColors(data: Uint8Array): Promise<Design['palette']> {
  const pixels = await withDecoder(() =>
    sharp(data, { limitInputPixels: MAX_IMAGE_PIXELS })
      .resize(SIDE, SIDE, { fit: 'cover' })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer(),
  );
  const groups = new Map<number, HueGroup>();
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const { l, c, h } = toOklch(`#${pixels.subarray(at, at + 3).toString('hex')}`);
    if (c < GREY) continue;
    const hue = (h + 360) % 360;
    const key = Math.floor((hue * HUES) / 360);
    const group = groups.get(key) ?? { weight: 0, l: 0, c: 0, h: 0 };
    // Vivid colours are noticed more than pale ones of the same area.
    groups.set(key, { weight: group.weight + c, l: group.l + c * l, c: group.c + c * c, h: group.h + c * hue });
  }
  const main = [...groups.values()].toSorted((one, other) => other.weight - one.weight)[0];
  const mean = main && { l: main.l / main.weight, c: main.c / main.weight, h: main.h / main.weight };
  const { l, c, h } = mean ?? { l: 0.4, c: 0, h: 0 };
  const tint = c === 0 ? 0 : 1;
  const paper = fromOklch({ l: 0.978, c: 0.01 * tint, h });
  const wanted = fromOklch({ l: Math.min(MAX_LIGHTNESS, Math.max(MIN_LIGHTNESS, l)), c, h });
  return {
    brand: nearestPassing(wanted, [paper], GRAPHIC_CONTRAST),
    ink: nearestPassing(fromOklch({ l: 0.24, c: 0.025 * tint, h }), [paper], TEXT_CONTRAST),
    paper,
  };
}
