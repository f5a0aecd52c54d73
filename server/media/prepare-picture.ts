import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { InvalidInputError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { MAX_PICTURE_BYTES, type Picture, pictureExtensions, THUMBNAIL_SIDE } from '#server/core/pictures';
import { cleanFilename } from '#server/media/clean-filename';
import { cleanPicture, openPicture, readable } from '#server/media/clean-picture';

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
