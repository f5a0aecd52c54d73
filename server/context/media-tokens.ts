import { countRecurringTokens, vocabularyOf } from '#server/context/tokens';
import { blobIdOf, isAttachedText } from '#server/core/conversation/part-types/blobs';
import { type ImageSize, readImageSize } from '#server/core/site/image-size';
import { imageText } from '#server/core/conversation/part-types/image-text';
import type { PartContent } from '#server/core/conversation/parts';

/* Counts the tokens of files in a request by the published formulas of the providers. */

/** An image of unknown size counts as a photo of this size. */
const TYPICAL_PHOTO = { width: 1_600, height: 1_200 };
/** Bytes per page of a PDF whose pages cannot be counted. A choice, not measured. */
const BYTES_PER_PAGE = 50_000;
/** Maximum pages of such an estimate. A choice, not measured. */
const MAX_GUESSED_PAGES = 100;
/** Bytes per token of a text file. A high estimate, because its text is not available here. */
const BYTES_PER_TOKEN = 3;
/** Tokens of audio, video and other files: an estimate, because no formula is published. */
const UNKNOWN_FILE_TOKENS = 1_600;

/**
 * Tokens of a file in a request by the published formula of the provider, in tokens of the model (no factor applies).
 * Only the size that is stored with the part is needed.
 * @param modelId in any form; null: the count that is independent of a model and stored with a part
 */
export function mediaTokens(content: PartContent<'file'>, modelId: string | null): number {
  const { mediaType, url, size, width, height, pages } = content;
  if (isImage(content)) return ruleFor(modelId).image(width && height ? { width, height } : TYPICAL_PHOTO);
  if (mediaType === 'application/pdf') {
    const guessed = Math.min(MAX_GUESSED_PAGES, Math.max(1, Math.ceil(dataBytes(url) / BYTES_PER_PAGE)));
    return ruleFor(modelId).pdfPage * (pages ?? guessed);
  }
  if (!mediaType.startsWith('text/') && !/^application\/(.+\+)?(json|xml)\b/.test(mediaType))
    return UNKNOWN_FILE_TOKENS;
  const bytes = size ?? (url.startsWith('data:') ? dataBytes(url) : null);
  return bytes === null ? UNKNOWN_FILE_TOKENS : Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** True for a picture, by its media type. */
export const isImage = ({ mediaType }: { readonly mediaType: string }) => mediaType.startsWith('image/');

/** Size in bytes of the data in a `data:` URL. About 0 for a web address. */
function dataBytes(url: string): number {
  const encoded = url.length - url.indexOf(',') - 1;
  return /^data:[^,]{0,200};base64,/.test(url) ? Math.ceil(encoded * 0.75) : encoded;
}

/** The part of a file, stored or not. `tokens` is the count that is stored with it. */
interface FilePart {
  readonly content: PartContent<'file'>;
  readonly id?: string;
  readonly tokens?: number | null;
  readonly compactedAt?: number | null;
}

/**
 * The line that a model reads in place of an image that it cannot see or no longer receives. Null: it receives the
 * file.
 */
export function unseenImage({ id = '', content, compactedAt = null }: FilePart, acceptsImages: boolean): string | null {
  if (!isImage(content)) return null;
  if (!acceptsImages) return imageText(content);
  if (compactedAt === null) return null;
  const isKept = blobIdOf(content.url) !== null;
  const again = isKept ? `recall_output id: ${id} shows it again` : 'ask the user for it where it is needed';
  return imageText(content, `no longer shown; ${again}`);
}

/** Cost of a file in a request. One of the two is set: `text` in our count, or `media` in tokens of the model. */
export function fileCost(part: FilePart, modelId: string, acceptsImages = true): { text: number; media: number } {
  const { content, tokens } = part;
  const line = unseenImage(part, acceptsImages);
  if (line !== null) return { text: countRecurringTokens(line, vocabularyOf(modelId)), media: 0 };
  if (isAttachedText(content)) return { text: tokens ?? mediaTokens(content, null), media: 0 };
  return { text: 0, media: mediaTokens(content, modelId) };
}

/** Token cost of media for one family of models, in tokens of the model: no factor is applied. */
interface MediaRule {
  readonly image: (size: ImageSize) => number;
  /** A page of a PDF as picture, text or both, as the provider passes it to the model. */
  readonly pdfPage: number;
}

/** Tokens of a page: as a picture (about 765) and as text (about the same again). */
const OPENAI_PAGE_TOKENS = 1_600;
const openai = (image: MediaRule['image']): MediaRule => ({ image, pdfPage: OPENAI_PAGE_TOKENS });
/**
 * Tokens of a page: "1,500 to 3,000 tokens per page" plus a picture of it; dense pages were measured at 2,750 to 3,150.
 */
const CLAUDE_PAGE_TOKENS = 3_000;

/**
 * The published formulas; the first match is used. Sources: OpenAI "Images and vision, calculating costs" (tiles of 512
 * pixels, or patches of 32), Anthropic "Vision" (width x height / 750, larger images are scaled down first; a higher
 * limit from Opus 4.7 on), Google "Understand and count tokens" and "Media resolution" (258 for each tile of 768
 * pixels; a fixed 1,120 from Gemini 3 on).
 */
const rules: readonly (readonly [name: RegExp, rule: MediaRule])[] = [
  [/^gpt-4o-mini/, openai(tiles(2_833, 5_667))],
  [/^gpt-(4-1|5|5-\d)-mini/, openai(patches(1_536, 1.62))],
  [/^gpt-(4-1|5|5-\d)-nano/, openai(patches(1_536, 2.46))],
  [/^o4-mini/, openai(patches(1_536, 1.72))],
  [/^gpt-5-[23]/, openai(patches(1_536, 1.2))],
  [/^gpt-(5-[4-9]|[6-9])/, openai(patches(10_000, 1.2))],
  [/^gpt-5/, openai(tiles(70, 140))],
  [/^o[13](-|$)/, openai(tiles(75, 150))],
  [/^(gpt-4|chatgpt)/, openai(tiles(85, 170))],
  [/^claude-([123]|(opus|sonnet|haiku)-4(-[0-6])?$)/, { image: area(1_568, 1_600), pdfPage: CLAUDE_PAGE_TOKENS }],
  [/^claude/, { image: area(2_576, 4_784), pdfPage: CLAUDE_PAGE_TOKENS }],
  [/^gemini-[12](-|$)/, { image: googleTiles, pdfPage: 258 }],
  [/^gemini/, { image: () => 1_120, pdfPage: 560 }],
];

/** For a model without a known formula: the maximum that most models charge for a photo, and the text of a page. */
const cautious: MediaRule = { image: area(1_568, 1_600), pdfPage: 1_500 };

/** The rule for a model id in any form (`anthropic/claude-sonnet-4.5:beta`, `claude-sonnet-4-5-20250929`). */
function ruleFor(modelId: string | null): MediaRule {
  if (modelId === null) return cautious;
  const bare = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();
  const name = bare
    .replace(/[:@].*$/, '')
    .replace(/-(\d{8}|latest)$/, '')
    .replaceAll('.', '-');
  return rules.find(([pattern]) => pattern.test(name))?.[1] ?? cautious;
}

/** Scaled into 2,048 x 2,048, then the shorter side to 768; a base price plus a price for each tile of 512 pixels. */
function tiles(base: number, tile: number): MediaRule['image'] {
  return (size) => {
    const fitted = shrink(size, 2_048 / Math.max(size.width, size.height));
    const { width, height } = shrink(fitted, 768 / Math.min(fitted.width, fitted.height));
    return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512);
  };
}

/** Patches of 32 x 32 pixels up to a limit, times the model's multiplier. */
function patches(limit: number, multiplier: number): MediaRule['image'] {
  return ({ width, height }) => Math.ceil(Math.min(limit, Math.ceil(width / 32) * Math.ceil(height / 32)) * multiplier);
}

/** Width x height / 750 after scaling the longer side to `edge`, at most `limit`. */
function area(edge: number, limit: number): MediaRule['image'] {
  return (size) => {
    const { width, height } = shrink(size, edge / Math.max(size.width, size.height));
    return Math.min(limit, Math.ceil((width * height) / 750));
  };
}

/** 258 for a small image, otherwise for each tile of 768 pixels after scaling into 3,072 x 3,072. */
function googleTiles(size: ImageSize): number {
  if (size.width <= 384 && size.height <= 384) return 258;
  const { width, height } = shrink(size, 3_072 / Math.max(size.width, size.height));
  return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
}

/** The size times `scale`; never enlarged; rounded to whole pixels, at least one. */
function shrink({ width, height }: ImageSize, scale: number): ImageSize {
  if (scale >= 1) return { width, height };
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Base64 characters of an image that are decoded: enough for the thumbnails and profiles that precede the size in a
 * JPEG.
 */
const HEADER_CHARS = 350_000;
/** More pages than any provider accepts. A file that claims more is not believed. */
const MAX_PAGES = 2_000;

/**
 * Adds the size by which the tokens of a file are counted, read from a `data:` URL: pixels of an image, pages of a PDF.
 * Nothing is added where it cannot be read (a web address, an unknown format, a PDF with a compressed page tree).
 */
export function withMediaSize(content: PartContent<'file'>): PartContent<'file'> {
  const { width: _width, height: _height, pages: _pages, ...file } = content;
  const { mediaType, url } = file;
  const base64 = /^data:[^,]{0,200};base64,/.exec(url);
  if (!base64) return file;
  const start = base64[0].length;
  if (isImage(file)) {
    const size = readImageSize(Buffer.from(url.slice(start, start + HEADER_CHARS), 'base64'));
    return size ? { ...file, ...size } : file;
  }
  if (mediaType !== 'application/pdf') return file;
  // Counts uncompressed page objects. There are none if they are inside compressed streams.
  const pdf = Buffer.from(url.slice(start), 'base64').toString('latin1');
  const pages = pdf.split(/\/Type\s{0,8}\/Page(?![A-Za-z])/, MAX_PAGES + 1).length - 1;
  return pages > 0 ? { ...file, pages } : file;
}
