import sharp, { type Metadata, type Sharp } from 'sharp';
import { MAX_IMAGE_PIXELS } from '#server/core/attachment-limits';
import { TooLargeError, UnsupportedFileError } from '#server/core/errors';

/** Of what has to be written anew: hardly to be told from what it was. */
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
export function cleanPicture(bytes: Uint8Array, mediaType: string): Promise<CleanPicture> {
  return readable(mediaType, async () => {
    const facts = await openPicture(bytes).metadata();
    if (pixelsOf(facts) > MAX_IMAGE_PIXELS) throw new TooLargeError('The picture', MAX_IMAGE_PIXELS, 'pixels');
    const { width, height } = facts.autoOrient;
    return { data: tellsMore(facts) ? await rewrite(bytes, mediaType) : bytes, width, height };
  });
}

/** For decoding, within bounds. @throws whatever sharp says of it: see `readable` */
export function openPicture(bytes: Uint8Array, animated = false): Sharp {
  return sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', animated }).timeout({
    seconds: TIME_LIMIT,
  });
}

/**
 * What cannot be decoded is no picture, whatever its first bytes say.
 * @throws TooLargeError (pixels), UnsupportedFileError
 */
export async function readable<T>(mediaType: string, work: () => Promise<T>): Promise<T> {
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

/** Of all frames: an animation unfolds to every one of them. */
function pixelsOf({ width, height, pageHeight = height, pages = 1 }: Metadata): number {
  return width * pageHeight * pages;
}

function tellsMore({ exif, xmp, iptc, tifftagPhotoshop, comments, orientation = 1 }: Metadata): boolean {
  return [exif, xmp, iptc, tifftagPhotoshop, comments].some((part) => part !== undefined) || orientation !== 1;
}

/** The same picture upright, with its colours (ICC profile) and nothing else that was said about it. */
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
