import sharp from 'sharp';
import { TooLargeError } from '#server/core/errors';

/** Largest SVG in bytes. A choice, not measured: logos are far smaller. */
const MAX_SVG_BYTES = 1_000_000;
/** Length of the longer side after the conversion; pixels. A logo stays sharp on every screen. */
const SIDE = 1_600;
/** Largest size that an SVG may declare, before it is scaled; pixels. */
const MAX_DECLARED_PIXELS = 16_000_000;
/** Resolution at which one unit of an SVG is one pixel, and the largest that sharp accepts; dots per inch. */
const [UNIT_DENSITY, MAX_DENSITY] = [72, 2_400];
/** Time limit of decoding; seconds. */
const TIME_LIMIT = 20;

/**
 * The beginning of an SVG: XML declaration, comments and document type, then its root element. A comment matches in one
 * way only; otherwise a file of many comments would be tried in exponentially many ways.
 */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:(?:<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE svg[^>]*>)\s*)*<svg[\s>]/i;
/** Number of bytes in which the root element must begin. */
const HEAD_BYTES = 4_000;

/** True for a file that is an SVG by its content. */
export function isSvg(bytes: Uint8Array): boolean {
  return SVG.test(new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)));
}

/**
 * Draws an SVG as PNG. It is never served itself, because it may contain scripts. The decoder loads no other files: the
 * SVG has no address from which it could.
 * @throws TooLargeError; any error of sharp
 */
export async function rasterizeSvg(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length > MAX_SVG_BYTES) throw new TooLargeError('picture', MAX_SVG_BYTES, 'bytes');
  const { width, height } = await sharp(bytes, { limitInputPixels: MAX_DECLARED_PIXELS }).metadata();
  const density = Math.min(MAX_DENSITY, Math.max(1, (UNIT_DENSITY * SIDE) / Math.max(width, height, 1)));
  return sharp(bytes, { density, limitInputPixels: MAX_DECLARED_PIXELS })
    .timeout({ seconds: TIME_LIMIT })
    .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer();
}
