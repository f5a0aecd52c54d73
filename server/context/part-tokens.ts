import { countRecurringTokens, countTokens, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import { selectionText, situationText } from '#server/core/engine-words';
import { blobIdOf } from '#server/core/files';
import { type ImageSize, readImageSize } from '#server/core/image-size';
import { imageText, toolOutputText } from '#server/core/part-text';
import type { NewPart, Part, PartBody, PartContent, PartOf } from '#server/core/parts';

/** Role, separators and end marks around each message. OpenAI documents 3 to 4, others are close. */
export const MESSAGE_OVERHEAD = 4;
/**
 * Names, types, brackets and an id of usual length around a tool call or result: in 430 reports of a real session
 * (tests/integration/estimator.test.ts) 36 of our tokens for the two, of which 8 are their messages' own.
 */
const TOOL_OVERHEAD = 14;
/** Tokens of an id of usual length; a longer id counts in full. */
const USUAL_ID_TOKENS = 24;

/** Tokens of a tool result whose output reads `text`. */
export function toolResultTokens(toolCallId: string, text: string, vocabulary?: Vocabulary): number {
  return toolOverhead(toolCallId, vocabulary) + countTokens(text, vocabulary);
}

/** Tokens that a part adds to a request, before any per-model factor; counted when it is written, and stored then. */
export function countPartTokens(part: PartBody, vocabulary?: Vocabulary): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return countTokens(part.content.text, vocabulary);
    case 'tool-call': {
      const { toolCallId, toolName, input } = part.content;
      const content = countTokens(toolName, vocabulary) + countTokens(JSON.stringify(input), vocabulary);
      return toolOverhead(toolCallId, vocabulary) + content;
    }
    case 'tool-result':
      return toolResultTokens(part.content.toolCallId, toolOutputText(part.content.output), vocabulary);
    case 'file':
      return mediaTokens(part.content, null);
    case 'situation':
      return part.content.text.trim() === '' ? 0 : countTokens(situationText(part.content.text), vocabulary);
    case 'selection':
      return countTokens(selectionText(part.content), vocabulary);
    case 'compaction-marker':
      return countTokens(part.content.summary, vocabulary);
    case 'step-start':
      return 0;
  }
}

function toolOverhead(toolCallId: string, vocabulary?: Vocabulary): number {
  return TOOL_OVERHEAD + Math.max(0, countTokens(toolCallId, vocabulary) - USUAL_ID_TOKENS);
}

/** Tokens of a stored part as the model sees it now: its stored count, or counted here when it has none. */
export const tokensOf = (part: Part): number => part.tokens ?? countPartTokens(part);

/** The part with its tokens counted, and a file's size read, for callers about to store it. */
export function withTokens<P extends NewPart>(part: P): P {
  if (part.type !== 'file') return { ...part, tokens: countPartTokens(part) };
  const content = withMediaSize(part.content);
  return { ...part, content, tokens: mediaTokens(content, null) };
}

/* Files. */

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
 * Tokens of a file in a request, by the provider's published formula, in the model's own tokens (no factor applies);
 * from the size stored with the part alone.
 * @param modelId in any form; null for the model-neutral count that is stored with a part
 */
export function mediaTokens(content: PartContent<'file'>, modelId: string | null): number {
  const { mediaType, url, size, width, height, pages } = content;
  if (isImage(content)) return ruleFor(modelId).image(width && height ? { width, height } : USUAL_PHOTO);
  if (mediaType === 'application/pdf') {
    const guessed = Math.min(MAX_GUESSED_PAGES, Math.max(1, Math.ceil(dataBytes(url) / BYTES_PER_PAGE)));
    return ruleFor(modelId).pdfPage * (pages ?? guessed);
  }
  if (!mediaType.startsWith('text/') && !/^application\/(.+\+)?(json|xml)\b/.test(mediaType)) return UNKNOWN_FILE;
  const bytes = size ?? (url.startsWith('data:') ? dataBytes(url) : null);
  return bytes === null ? UNKNOWN_FILE : Math.ceil(bytes / BYTES_PER_TOKEN);
}

export const isImage = ({ mediaType }: Pick<PartContent<'file'>, 'mediaType'>) => mediaType.startsWith('image/');

/** A file whose text the model gets as text: it is counted as one, in the part's own count. */
export function isAttachedText(content: Pick<PartContent<'file'>, 'mediaType' | 'url'>): boolean {
  return blobIdOf(content.url) !== null && !isImage(content);
}

/** Bytes that a `data:` URL carries; about none for a web address. */
function dataBytes(url: string): number {
  const encoded = url.length - url.indexOf(',') - 1;
  return /^data:[^,]{0,200};base64,/.test(url) ? Math.ceil(encoded * 0.75) : encoded;
}

/** A file's part, stored or not yet; `tokens` is the count that is stored with it. */
type FilePart = Pick<PartOf<'file'>, 'content'> & Partial<Pick<PartOf<'file'>, 'id' | 'tokens' | 'compactedAt'>>;

/** The line that a model reads in the place of an image that it does not see, or no longer; null: it gets the file. */
export function unseenImage({ id = '', content, compactedAt = null }: FilePart, acceptsImages: boolean): string | null {
  if (!isImage(content)) return null;
  if (!acceptsImages) return imageText(content);
  if (compactedAt === null) return null;
  const isKept = blobIdOf(content.url) !== null;
  const again = isKept ? `recall_output id: ${id} shows it again` : 'ask the user for it where it is needed';
  return imageText(content, `no longer shown; ${again}`);
}

/** Cost of a file in a request, one of the two: `text` in our count, `media` in the model's own tokens. */
export function fileCost(part: FilePart, modelId: string, acceptsImages = true): { text: number; media: number } {
  const { content, tokens } = part;
  const line = unseenImage(part, acceptsImages);
  if (line !== null) return { text: countRecurringTokens(line, vocabularyOf(modelId)), media: 0 };
  if (isAttachedText(content)) return { text: tokens ?? mediaTokens(content, null), media: 0 };
  return { text: 0, media: mediaTokens(content, modelId) };
}

/** Charges of one family of models for media, in its own tokens: no factor is to be applied to them. */
interface MediaRule {
  readonly image: (size: ImageSize) => number;
  /** A page of a PDF: its picture, its text, or both, as the provider sends them to the model. */
  readonly pdfPage: number;
}

/* A page as a picture (765 or so) and as text (about as much again). */
const OPENAI_PAGE = 1_600;
const openai = (image: MediaRule['image']): MediaRule => ({ image, pdfPage: OPENAI_PAGE });
/* "1,500 to 3,000 tokens per page", and a picture of it; dense pages were measured at 2,750 to 3,150. */
const CLAUDE_PAGE = 3_000;

/**
 * The published formulas, first match wins. Sources: OpenAI "Images and vision, calculating costs" (tiles of 512
 * pixels, or patches of 32), Anthropic "Vision" (width x height / 750, larger images scaled down first; from Opus 4.7
 * on with a higher limit), Google "Understand and count tokens" and "Media resolution" (258 a tile of 768 pixels; from
 * Gemini 3 on a fixed 1,120).
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
  [/^claude-([123]|(opus|sonnet|haiku)-4(-[0-6])?$)/, { image: area(1_568, 1_600), pdfPage: CLAUDE_PAGE }],
  [/^claude/, { image: area(2_576, 4_784), pdfPage: CLAUDE_PAGE }],
  [/^gemini-[12](-|$)/, { image: googleTiles, pdfPage: 258 }],
  [/^gemini/, { image: () => 1_120, pdfPage: 560 }],
];

/** A model we know no formula of: what most charge at most for a photo, and a page as its text. */
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

/** Scaled into 2,048 x 2,048, then the shorter side to 768; a base price and one for each tile of 512 pixels. */
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

/** Width x height / 750 after scaling the longer side to `edge`, and no more than `limit`. */
function area(edge: number, limit: number): MediaRule['image'] {
  return (size) => {
    const { width, height } = shrink(size, edge / Math.max(size.width, size.height));
    return Math.min(limit, Math.ceil((width * height) / 750));
  };
}

/** 258 for a small image, else for each tile of 768 pixels after scaling into 3,072 x 3,072. */
function googleTiles(size: ImageSize): number {
  if (size.width <= 384 && size.height <= 384) return 258;
  const { width, height } = shrink(size, 3_072 / Math.max(size.width, size.height));
  return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
}

/** Never enlarges; rounded to whole pixels, at least one. */
function shrink({ width, height }: ImageSize, scale: number): ImageSize {
  if (scale >= 1) return { width, height };
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Base64 characters of an image that are decoded: enough for thumbnails and profiles before a JPEG's size. */
const HEADER_CHARS = 350_000;
/** More pages than any provider takes; a file that claims more lies. */
const MAX_PAGES = 2_000;

/**
 * A file with the size that its tokens are counted by, read from a `data:` URL: pixels of an image, pages of a PDF.
 * What cannot be read (a web address, an unknown format, a PDF whose page tree is compressed) stays without.
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
  // Page objects in plain sight: none where they are inside compressed streams.
  const pdf = Buffer.from(url.slice(start), 'base64').toString('latin1');
  const pages = pdf.split(/\/Type\s{0,8}\/Page(?![A-Za-z])/, MAX_PAGES + 1).length - 1;
  return pages > 0 ? { ...file, pages } : file;
}
