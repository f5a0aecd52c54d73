import { fileTypeFromBuffer } from 'file-type';
import { InvalidInputError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, MAX_TEXT_BYTES } from '#server/core/limits';
import { type ImageSize, readImageSize } from '#server/core/site/image-size';
import { shorten } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';

/** Media types of images that models and browsers accept, by the name that the sniffer uses. */
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  // An animated PNG is a PNG for every reader that only uses its first picture.
  'image/apng': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
};

/** Media types of texts by their file extension. Only the model receives them: a text is served as plain text. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
};

/** The type of a file by its content. */
export type SniffedFile =
  | ({ readonly kind: 'image'; readonly mediaType: string } & ImageSize)
  | { readonly kind: 'text'; readonly mediaType: string };

/**
 * Detects the type of a file by its content, regardless of its declared type: an image in a format that models accept,
 * or text in UTF-8, markup included.
 * @param filename distinguishes kinds of text
 * @throws UnsupportedFileError, TooLargeError (bytes or pixels), InvalidInputError (empty file)
 */
export async function sniffFile(bytes: Uint8Array, filename: string): Promise<SniffedFile> {
  if (bytes.length === 0) throw new InvalidInputError(serverText('file-empty'));
  // Text first: a text that begins with `BM` would be detected as a bitmap, while no image is valid UTF-8 without a
  // NUL.
  if (isText(bytes)) return textType(bytes, filename);
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  const mediaType = type !== undefined && Object.hasOwn(IMAGE_TYPES, type) ? IMAGE_TYPES[type] : undefined;
  if (mediaType === undefined) throw unsupported(type);
  return imageType(bytes, mediaType);
}

function textType(bytes: Uint8Array, filename: string): SniffedFile {
  if (bytes.length > MAX_TEXT_BYTES) throw new TooLargeError('text', MAX_TEXT_BYTES, 'bytes');
  const extension = /\.([a-z]{1,8})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  const mediaType = Object.hasOwn(TEXT_TYPES, extension) ? TEXT_TYPES[extension] : undefined;
  return { kind: 'text', mediaType: mediaType ?? 'text/plain' };
}

function imageType(bytes: Uint8Array, mediaType: string): SniffedFile {
  if (bytes.length > MAX_IMAGE_BYTES) throw new TooLargeError('image', MAX_IMAGE_BYTES, 'bytes');
  const size = readImageSize(bytes);
  if (!size) throw new UnsupportedFileError(serverText('picture-size-unreadable'), { details: { mediaType } });
  if (size.width * size.height > MAX_IMAGE_PIXELS) throw new TooLargeError('image', MAX_IMAGE_PIXELS, 'pixels');
  return { kind: 'image', mediaType, ...size };
}

/** True for valid UTF-8 without a NUL, except a PDF, which may be valid UTF-8, too. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).startsWith('%PDF-');
  } catch {
    return false;
  }
}

function unsupported(type: string | undefined): UnsupportedFileError {
  return new UnsupportedFileError(serverText('file-not-attachable', { type: type ?? null }), {
    details: { mediaType: type ?? null },
  });
}

/** Largest number of characters of a cleaned file name. */
const MAX_CHARS = 100;

/**
 * A name that can be shown to people and models: no folders, one line, no invisible characters, at most 100 characters
 * including the extension. Empty if nothing remains.
 */
export function cleanFilename(name: string): string {
  const own = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const shown = own
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (shown.length <= MAX_CHARS) return shown;
  const ending = /\.[^.]{1,10}$/.exec(shown)?.[0] ?? '';
  return `${shorten(shown, MAX_CHARS - ending.length)}${ending}`;
}
