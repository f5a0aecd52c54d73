import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';
import { InvalidInputError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import type { FetchPicture, Picture } from '#server/core/files';
import {
  MAX_IMAGE_BYTES,
  MAX_IMAGE_PIXELS,
  MAX_PICTURE_BYTES,
  pictureExtensions,
  THUMBNAIL_SIDE,
} from '#server/core/limits';
import { cleanFilename } from '#server/media/sniff-file';
import { createDownload } from '#server/outgoing/download';
import type { Network } from '#server/outgoing/network';

/** An animated PNG is a PNG to everybody who does not ask for more than its first picture. */
const ALIASES: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/**
 * Looks at bytes by their content and makes of them what the media library keeps: nothing that was written into the
 * picture besides the picture is published.
 * @throws UnsupportedFileError, TooLargeError (bytes or pixels), InvalidInputError (nothing in it)
 */
export async function preparePicture(bytes: Uint8Array, filename: string): Promise<Picture> {
  if (bytes.length === 0) throw new InvalidInputError('The file is empty.');
  if (bytes.length > MAX_PICTURE_BYTES) throw new TooLargeError('The picture', MAX_PICTURE_BYTES, 'bytes');
  const mediaType = await sniffPicture(bytes);
  const { data, width, height } = await cleanPicture(bytes, mediaType);
  const thumbnail = await readable(mediaType, () => thumbnailOf(data));
  const hash = createHash('sha256').update(data).digest('hex');
  const name = cleanFilename(filename) || 'picture';
  return { data, hash, filename: name, mediaType, width, height, thumbnail };
}

async function sniffPicture(bytes: Uint8Array): Promise<string> {
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  const mediaType = type === undefined ? undefined : (ALIASES[type] ?? type);
  if (mediaType !== undefined && Object.hasOwn(pictureExtensions, mediaType)) return mediaType;
  throw new UnsupportedFileError('The media library takes pictures: PNG, JPEG, WebP, GIF and AVIF.', {
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
 * Cleans an image that was attached, or came from a tool: removes the place where it was taken, which would go to the
 * provider, and decodes it to its end, since providers refuse a request with a damaged image again and again.
 * @param mediaType by content
 * @throws TooLargeError (bytes or pixels), UnsupportedFileError (damaged)
 */
export async function prepareImage(bytes: Uint8Array, mediaType: string): Promise<CleanPicture> {
  const image = await cleanPicture(bytes, mediaType);
  if (image.data.length > MAX_IMAGE_BYTES) throw new TooLargeError('The image', MAX_IMAGE_BYTES, 'bytes');
  await readable(mediaType, () => openPicture(image.data).resize({ width: 16 }).raw().toBuffer());
  return image;
}

/** JPEG and WebP quality of rewritten images: hardly different from the original. */
const QUALITY = 90;
/** Decoding and encoding of one picture, each; seconds. */
const TIME_LIMIT = 20;

/** A picture as its makers meant it to be seen. */
export interface CleanPicture {
  readonly data: Uint8Array;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
}

/**
 * The picture without what was written into it besides the picture (where and by whom it was taken): such a one is
 * written anew, upright, any other keeps its bytes. A small file that claims, or unfolds to, a huge picture is refused
 * unread, an animation by all of its frames.
 * @param mediaType by content
 * @throws TooLargeError (pixels), UnsupportedFileError (damaged)
 */
function cleanPicture(bytes: Uint8Array, mediaType: string): Promise<CleanPicture> {
  return readable(mediaType, async () => {
    const facts = await openPicture(bytes).metadata();
    if (pixelsOf(facts) > MAX_IMAGE_PIXELS) throw new TooLargeError('The picture', MAX_IMAGE_PIXELS, 'pixels');
    const { width, height } = facts.autoOrient;
    return { data: tellsMore(facts) ? await rewrite(bytes, mediaType) : bytes, width, height };
  });
}

/** For decoding, within bounds. @throws whatever sharp says of it: see `readable` */
function openPicture(bytes: Uint8Array, animated = false): Sharp {
  return sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', animated }).timeout({
    seconds: TIME_LIMIT,
  });
}

/**
 * Runs a decoder; an image that cannot be decoded is refused, whatever its first bytes say.
 * @throws TooLargeError (pixels), UnsupportedFileError
 */
async function readable<T>(mediaType: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooLargeError) throw error;
    if (error instanceof Error && /pixel limit/i.test(error.message)) {
      throw new TooLargeError('The picture', MAX_IMAGE_PIXELS, 'pixels');
    }
    throw new UnsupportedFileError('The picture is damaged: it cannot be read.', {
      cause: error,
      details: { mediaType },
    });
  }
}

/** Pixels of all frames: an animation unfolds to every one of them. */
function pixelsOf({ width, height, pageHeight = height, pages = 1 }: Metadata): number {
  return width * pageHeight * pages;
}

function tellsMore({ exif, xmp, iptc, tifftagPhotoshop, comments, orientation = 1 }: Metadata): boolean {
  return [exif, xmp, iptc, tifftagPhotoshop, comments].some((part) => part !== undefined) || orientation !== 1;
}

/** Writes the picture anew: upright, with its colours (ICC profile) and nothing else that was said about it. */
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

/** A picture of 10 MB over a slow line. */
const TIMEOUT_MS = 30_000;
const LIMITS = { maxBytes: MAX_PICTURE_BYTES, mediaType: 'image/', timeoutMs: TIMEOUT_MS };

/** @param network for tests; default: the internet */
export function createPictureFetch(network?: Network): FetchPicture {
  const download = createDownload(network);
  return (address, signal) => download(address, LIMITS, signal);
}
