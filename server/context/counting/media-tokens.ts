import type { PartContent } from '#server/core/parts';
import { blobIdOf } from '#server/core/blob-url';
import { ruleFor } from '#server/context/counting/media-rules';

/** An image whose size is unknown counts as a photo of this size. */
const USUAL_PHOTO = { width: 1_600, height: 1_200 };
/** A PDF whose pages cannot be counted: one page for so many bytes, within limits. */
const BYTES_PER_PAGE = 50_000;
const MAX_GUESSED_PAGES = 100;
/** A text file, in bytes per token; on the high side, its text is never seen here. */
const BYTES_PER_TOKEN = 3;
/** Sound, video and whatever else: a guess, there is no formula to go by. */
const UNKNOWN_FILE = 1_600;

/**
 * What a file costs in a request to a model, by its provider's published formula, in that model's own tokens (no
 * calibration factor applies). From the size stored with the part alone: cheap, and never from the length of an
 * image's base64.
 * @param modelId in any form; null for the model-neutral count that is stored with a part
 */
export function mediaTokens(content: PartContent<'file'>, modelId: string | null): number {
  const { mediaType, width, height, pages } = content;
  if (isImage(content)) {
    return ruleFor(modelId).image(width && height ? { width, height } : USUAL_PHOTO);
  }
  if (mediaType === 'application/pdf') return ruleFor(modelId).pdfPage * (pages ?? guessPages(content.url));
  return isText(mediaType) ? textFileTokens(content) : UNKNOWN_FILE;
}

/** An image, as opposed to whatever else a file may be. */
export function isImage({ mediaType }: Pick<PartContent<'file'>, 'mediaType'>): boolean {
  return mediaType.startsWith('image/');
}

/** A file whose text the model gets as text: it is counted as one, in the part's own count. */
export function isAttachedText(content: Pick<PartContent<'file'>, 'mediaType' | 'url'>): boolean {
  return blobIdOf(content.url) !== null && !isImage(content);
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /^application\/(.+\+)?(json|xml)\b/.test(mediaType);
}

function textFileTokens({ url, size }: PartContent<'file'>): number {
  const bytes = size ?? (url.startsWith('data:') ? dataBytes(url) : null);
  return bytes === null ? UNKNOWN_FILE : Math.ceil(bytes / BYTES_PER_TOKEN);
}

function guessPages(url: string): number {
  return Math.min(MAX_GUESSED_PAGES, Math.max(1, Math.ceil(dataBytes(url) / BYTES_PER_PAGE)));
}

/** Bytes that a `data:` URL carries; about none for a web address. */
function dataBytes(url: string): number {
  const encoded = url.length - url.indexOf(',') - 1;
  return /^data:[^,]{0,200};base64,/.test(url) ? Math.ceil(encoded * 0.75) : encoded;
}
