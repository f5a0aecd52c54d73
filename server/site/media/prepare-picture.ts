import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';
import { InvalidInputError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import type { Picture } from '#server/core/site/prepared-picture';
import {
  MAX_IMAGE_BYTES,
  MAX_IMAGE_PIXELS,
  MAX_PICTURE_BYTES,
  pictureExtensions,
  THUMBNAIL_SIDE,
} from '#server/core/limits';
import { serverText } from '#server/core/messages/server-text';
import { withDecoder } from '#server/site/media/decoding';
import { hasOnlyPicture } from '#server/site/media/picture-parts';
import { isSvg, rasterizeSvg } from '#server/site/media/rasterize-svg';
import { cleanFilename } from '#server/site/media/sniff-file';

const SVG_TYPE = 'image/svg+xml';

/** An animated PNG is also a valid PNG, of which other readers show the first picture. */
const ALIASES: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/**
 * Checks a file by its content and converts it to the form that the media library stores: without any embedded data other
 * than the picture, which would be published with it. An SVG becomes a PNG. Adds a hash (SHA-256) and a thumbnail.
 * @throws UnsupportedFileError, TooLargeError (bytes or pixels), InvalidInputError (empty)
 */
export async function preparePicture(bytes: Uint8Array, filename: string): Promise<Picture> {
  if (bytes.length === 0) throw new InvalidInputError(serverText('file-empty'));
  if (bytes.length > MAX_PICTURE_BYTES) throw new TooLargeError('picture', MAX_PICTURE_BYTES, 'bytes');
  if (isSvg(bytes)) {
    const drawn = await decodable(SVG_TYPE, () => rasterizeSvg(bytes));
    return preparePicture(drawn, filename.replace(/\.svg$/i, '.png'));
  }
  const mediaType = await detectPicture(bytes);
  const { data, width, height } = await cleanPicture(bytes, mediaType);
  const thumbnail = await decodable(mediaType, () => thumbnailOf(data));
  const hash = createHash('sha256').update(data).digest('hex');
  const name = cleanFilename(filename) || 'picture';
  return { data, hash, filename: name, mediaType, width, height, thumbnail };
}

async function detectPicture(bytes: Uint8Array): Promise<string> {
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  const mediaType = type === undefined ? undefined : (ALIASES[type] ?? type);
  if (mediaType !== undefined && Object.hasOwn(pictureExtensions, mediaType)) return mediaType;
  throw new UnsupportedFileError(serverText('pictures-only'), {
    details: { mediaType: mediaType ?? null },
  });
}

async function thumbnailOf(bytes: Uint8Array): Promise<Uint8Array> {
  return openPicture(bytes)
    .resize({ width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}

/**
 * Cleans an image that was attached or came from a tool: removes the location where it was taken, which would be sent
 * to the provider, and decodes it to its end, because providers refuse a request with a damaged image every time.
 * @param mediaType by content
 * @throws TooLargeError (bytes or pixels), UnsupportedFileError (damaged)
 */
export async function prepareImage(bytes: Uint8Array, mediaType: string): Promise<CleanPicture> {
  const image = await cleanPicture(bytes, mediaType);
  if (image.data.length > MAX_IMAGE_BYTES) throw new TooLargeError('image', MAX_IMAGE_BYTES, 'bytes');
  await decodable(mediaType, () => openPicture(image.data).resize({ width: 16 }).raw().toBuffer());
  return image;
}

/** JPEG and WebP quality of rewritten images (1 to 100): hardly different from the original. */
const QUALITY = 90;
/** Time limit for each, decoding and encoding one picture; seconds. */
const TIME_LIMIT = 20;

/** A picture in its intended orientation and colours. */
export interface CleanPicture {
  readonly data: Uint8Array;
  /** Pixels, in the upright orientation. */
  readonly width: number;
  readonly height: number;
}

/**
 * The picture without embedded metadata (place and author). A picture with metadata is rewritten, upright; any other
 * keeps its bytes. A small file that declares, or decompresses to, a huge picture is refused without decoding; an
 * animation counts with all of its frames.
 * @param mediaType by content
 * @throws TooLargeError (pixels), UnsupportedFileError (damaged)
 */
function cleanPicture(bytes: Uint8Array, mediaType: string): Promise<CleanPicture> {
  return decodable(mediaType, async () => {
    const facts = await openPicture(bytes).metadata();
    if (pixelsOf(facts) > MAX_IMAGE_PIXELS) throw new TooLargeError('picture', MAX_IMAGE_PIXELS, 'pixels');
    const { width, height } = facts.autoOrient;
    const isBare = !hasFurtherMetadata(facts) && hasOnlyPicture(bytes, mediaType);
    return { data: isBare ? bytes : await rewrite(bytes, mediaType), width, height };
  });
}

/** Opens a picture for decoding, within limits. @throws any error of sharp: see `decodable` */
function openPicture(bytes: Uint8Array, animated = false): Sharp {
  return sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', animated }).timeout({
    seconds: TIME_LIMIT,
  });
}

/**
 * Runs a decoder. An image that cannot be decoded is refused, even if its first bytes look like an image.
 * @throws TooLargeError (pixels), UnsupportedFileError
 */
async function decodable<T>(mediaType: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withDecoder(work);
  } catch (error) {
    if (error instanceof TooLargeError) throw error;
    if (error instanceof Error && /pixel limit/i.test(error.message)) {
      throw new TooLargeError('picture', MAX_IMAGE_PIXELS, 'pixels');
    }
    throw new UnsupportedFileError(serverText('picture-damaged'), {
      cause: error,
      details: { mediaType },
    });
  }
}

/** Pixels of all frames, because an animation is decoded to all of them. */
function pixelsOf({ width, height, pageHeight = height, pages = 1 }: Metadata): number {
  return width * pageHeight * pages;
}

function hasFurtherMetadata({ exif, xmp, iptc, tifftagPhotoshop, comments, orientation = 1 }: Metadata): boolean {
  return [exif, xmp, iptc, tifftagPhotoshop, comments].some((part) => part !== undefined) || orientation !== 1;
}

/** Rewrites the picture: upright, with its colours (ICC profile) and no other metadata. */
async function rewrite(bytes: Uint8Array, mediaType: string): Promise<Uint8Array> {
  const isAnimated = mediaType === 'image/webp' || mediaType === 'image/gif';
  const picture = openPicture(bytes, isAnimated).autoOrient().keepIccProfile();
  switch (mediaType) {
    case 'image/png':
      return picture.png().toBuffer();
    case 'image/webp':
      return picture.webp({ quality: QUALITY }).toBuffer();
    case 'image/gif':
      return picture.gif().toBuffer();
    case 'image/avif':
      return picture.avif({ quality: 70, effort: 2 }).toBuffer();
    default:
      return picture.jpeg({ quality: QUALITY, mozjpeg: false }).toBuffer();
  }
}

/**
 * The same picture, upright, with no side longer than `side` pixels: providers refuse a request with a longer one and
 * shrink the images that they accept. The result has the same bytes for the same picture, so that prompt caches remain
 * valid. A picture that cannot be decoded is returned unchanged.
 */
export async function shrinkPicture(data: Uint8Array, side: number): Promise<Uint8Array> {
  try {
    return await withDecoder(() =>
      sharp(data, { limitInputPixels: MAX_IMAGE_PIXELS })
        .autoOrient()
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .toBuffer(),
    );
  } catch {
    return data;
  }
}
