import { isDeepStrictEqual } from 'node:util';
import { type Blob, blobUrl } from '#server/core/conversation/part-types/blobs';
import { MAX_FILES, MAX_IMAGE_BYTES } from '#server/core/limits';
import { ThroughlineError } from '#server/core/errors';
import { toolImageText } from '#server/core/conversation/part-types/image-text';
import type { ToolImage, ToolOutput } from '#server/core/conversation/part-types/tool-output';
import type { JsonValue } from '#server/core/json';
import {
  isRichResult,
  type RichPart,
  type RichToolResult,
  type ToolReturn,
} from '#server/core/conversation/tool-result';
import { visibleText } from '#server/core/text/visible-text';
import { cleanFilename, sniffFile } from '#server/site/media/sniff-file';
import { recordedOutputPart } from '#server/site/media/recorded-output-part';

/** Largest depth of a JSON result; deeper levels are left out. */
const MAX_DEPTH = 32;
/** Largest number of values in a JSON result, lists and objects included; far more than any output limit allows. */
const MAX_VALUES = 100_000;
/**
 * Longest text that is examined, in characters: the largest image as base64, and far more text than any limit allows.
 */
const MAX_TEXT_CHARS = Math.ceil((MAX_IMAGE_BYTES * 4) / 3) + 1_000_000;
/** Shortest base64 text that counts as an encoded file, in characters: shorter ones may be keys, hashes or tokens. */
const LONG_CHARS = 1_000;

/** Base64 `data:` URLs with the media type that they declare. */
const DATA_URL = /data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w.+=-]{1,100}){0,5};base64,[A-Za-z0-9+/_-]+={0,2}/;
/** Other long `data:` URLs. */
const LONG_DATA_URL = /data:[\w.+-]{1,100}\/[^\s,"']{1,200},[^\s"'<>()]{300,}/;
/** Base64 without a media type, in one piece or in lines as in email. */
const BARE_BASE64 =
  /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{1000,}={0,2}|(?<![^\n])(?:[A-Za-z0-9+/]{60,76}\r?\n){12,}[A-Za-z0-9+/]{1,76}={0,2}/;
const ENCODED = new RegExp([DATA_URL, LONG_DATA_URL, BARE_BASE64].map(({ source }) => source).join('|'), 'gi');

/** Stores an image of the session, each image once. @throws ThroughlineError if it is refused */
export type KeepFile = (bytes: Uint8Array, filename: string) => Promise<Blob>;

/** A piece of an output: text or an image. */
type Piece = { readonly type: 'text'; readonly text: string } | ToolImage;

/**
 * The only function that converts a tool's return value, of any kind, into its stored output. It trusts none of it:
 * invisible characters are removed from texts, JSON is limited in size, images are identified by their bytes and stored
 * as blobs, `data:` URLs and base64 inside texts become images or a short note, resources are used as received and
 * never fetched, and unsupported kinds are named. What the tool marks as an error is stored as an error.
 * @param toolName names images that have no name
 */
export async function sanitizeToolResult(value: ToolReturn, toolName: string, keep: KeepFile): Promise<ToolOutput> {
  const work = new Sanitizer(toolName, keep);
  return isRichResult(value) ? work.rich(value) : work.plain(value);
}

/**
 * Adopts an output that was recorded elsewhere and stores its images as blobs. An output without images does not
 * change.
 * @param toolName names images that have no name
 */
export async function adoptToolOutput(output: ToolOutput, toolName: string, keep: KeepFile): Promise<ToolOutput> {
  const work = new Sanitizer(toolName, keep);
  switch (output.type) {
    case 'content': {
      const parts = output.value.map(recordedOutputPart);
      return work.rich({ parts, isError: false });
    }
    case 'text':
    case 'json': {
      const adopted = await work.plain(output.value);
      return adopted.type === 'content' ? adopted : output;
    }
    default:
      return output;
  }
}

class Sanitizer {
  readonly #toolName: string;
  readonly #keep: KeepFile;
  /** By blob: the same image twice counts as one. */
  readonly #images = new Map<string, ToolImage>();
  #values = 0;

  constructor(toolName: string, keep: KeepFile) {
    this.#toolName = toolName;
    this.#keep = keep;
  }

  async plain(value: JsonValue): Promise<ToolOutput> {
    const clean = await this.#json(value, 1);
    if (this.#images.size === 0) {
      return typeof clean === 'string' ? { type: 'text', value: clean } : { type: 'json', value: clean };
    }
    const text = typeof clean === 'string' ? clean : JSON.stringify(clean);
    return { type: 'content', value: [{ type: 'text', text }, ...this.#images.values()] };
  }

  async rich({ parts, structured, isError }: Pick<RichToolResult, 'parts' | 'structured' | 'isError'>) {
    const distinct = structured === undefined ? parts : parts.filter((part) => !repeats(part, structured));
    const pieces: Piece[] = [];
    for (const part of distinct) pieces.push(await this.#piece(part));
    const json = structured === undefined ? undefined : await this.#json(structured, 1);
    const shown = withTextImages(pieces, this.#images);
    if (shown.length === 0 && json !== undefined)
      return { type: isError ? 'error-json' : 'json', value: json } as const;
    if (json !== undefined) shown.push({ type: 'text', text: JSON.stringify(json) });
    return assemble(shown, isError);
  }

  async #piece(part: RichPart): Promise<Piece> {
    switch (part.type) {
      case 'text':
        return text(await this.#text(part.text));
      case 'image':
        return this.#image(part.data, { mediaType: part.mediaType, filename: part.filename });
      case 'resource':
        return text(await this.#resource(part));
      case 'other':
        return text(`[A result of the kind "${externalName(part.kind)}" was left out: it cannot be shown.]`);
    }
  }

  async #resource({ uri, mediaType, title, text: whole }: Extract<RichPart, { type: 'resource' }>): Promise<string> {
    const about = [title, mediaType]
      .filter((fact) => fact !== undefined && fact !== '')
      .map((fact) => externalName(fact!));
    const name = `Resource ${externalName(uri)}${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
    return whole === undefined ? `[${name}; only named, not read]` : `[${name}]\n${await this.#text(whole)}`;
  }

  async #json(value: unknown, depth: number): Promise<JsonValue> {
    this.#values += 1;
    if (this.#values > MAX_VALUES) return '[left out: the result is too large]';
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'object' || value === null) return null;
    if (depth > MAX_DEPTH) return '[left out: nested too deep]';
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (const item of value.slice(0, MAX_VALUES)) items.push(await this.#json(item, depth + 1));
      return items;
    }
    const fields: [string, JsonValue][] = [];
    for (const [key, field] of Object.entries(value).slice(0, MAX_VALUES)) {
      if (field !== undefined && key !== '__proto__')
        fields.push([visibleText(key), await this.#json(field, depth + 1)]);
    }
    return Object.fromEntries(fields);
  }

  /** The text without invisible characters; encoded files are taken out. */
  async #text(whole: string): Promise<string> {
    const seen = visibleText(whole.slice(0, MAX_TEXT_CHARS));
    if (seen.length < LONG_CHARS && !seen.includes('base64,')) return seen;
    const pieces: string[] = [];
    let end = 0;
    for (const match of seen.matchAll(ENCODED)) {
      const words = await this.#encoded(match[0], match[1]);
      if (words === null) continue;
      pieces.push(seen.slice(end, match.index), words);
      end = match.index + match[0].length;
    }
    return pieces.join('') + seen.slice(end);
  }

  /** Replacement for an encoded file; null for a text that only looks like one. */
  async #encoded(found: string, mediaType: string | undefined): Promise<string | null> {
    const isDataUrl = /^data:/i.test(found);
    if (!isDataUrl && !looksEncoded(found)) return null;
    const start = isDataUrl ? found.indexOf(',') + 1 : 0;
    const isBase64 = !isDataUrl || /;base64,$/i.test(found.slice(0, start));
    const bytes = isBase64 ? Buffer.from(found.slice(start), 'base64') : null;
    const what = `${mediaType === undefined ? 'encoded data' : externalName(mediaType)}, ${found.length} characters`;
    if (bytes === null || !(await isImage(bytes))) return `[${what}, left out]`;
    const piece = await this.#image(bytes, { mediaType: mediaType ?? 'image' });
    return piece.type === 'text' ? piece.text : toolImageText(piece);
  }

  async #image(bytes: Uint8Array, { mediaType, filename }: { mediaType: string; filename?: string | undefined }) {
    const name = cleanFilename(filename ?? '') || `${this.#toolName}-${this.#images.size + 1}`;
    const leftOut = (why: string) =>
      text(`[Image left out: ${externalName(name)}, ${externalName(mediaType)}: ${why}]`);
    if (this.#images.size >= MAX_FILES) return leftOut(`a result has at most ${MAX_FILES} images`);
    try {
      const file = await sniffFile(bytes, name);
      if (file.kind !== 'image') return leftOut('it is no image that can be shown');
      const { id, size, width, height, mediaType: sniffed } = await this.#keep(bytes, withEnding(name, file.mediaType));
      const pixels = width !== null && height !== null ? { width, height } : {};
      const image: ToolImage = {
        type: 'file',
        mediaType: sniffed,
        filename: withEnding(name, sniffed),
        url: blobUrl(id),
        size,
        ...pixels,
      };
      const known = this.#images.get(id);
      if (!known) this.#images.set(id, image);
      return known ?? image;
    } catch (error) {
      if (error instanceof ThroughlineError) return leftOut(error.message);
      throw error;
    }
  }
}

const text = (words: string) => ({ type: 'text', text: words }) as const;

/** A name from outside on one line without brackets, for use within notes of the engine. */
function externalName(words: string): string {
  return visibleText(words.slice(0, 500))
    .replaceAll(/[\s[\]]+/g, ' ')
    .trim();
}

function withEnding(name: string, mediaType: string): string {
  return /\.[a-z0-9]{2,5}$/i.test(name) ? name : `${name}.${mediaType.slice('image/'.length).replace('jpeg', 'jpg')}`;
}

/**
 * True for upper-case letters, lower-case letters and digits mixed as in base64; false for a repeated character, a word
 * or a hash.
 */
function looksEncoded(found: string): boolean {
  const start = found.slice(0, LONG_CHARS);
  return /[a-z]/.test(start) && /[A-Z]/.test(start) && /\d/.test(start);
}

async function isImage(bytes: Uint8Array): Promise<boolean> {
  try {
    return (await sniffFile(bytes, '')).kind === 'image';
  } catch (error) {
    // For example, a file that is too large: the replacement then only names it.
    return error instanceof ThroughlineError && error.code === 'too_large';
  }
}

/** True for a text whose JSON repeats the structured content. */
function repeats(part: RichPart, structured: JsonValue): boolean {
  if (part.type !== 'text' || !/^\s*[[{"\d\-tfn]/.test(part.text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(part.text), structured);
  } catch {
    return false;
  }
}

/** The pieces, each image once, followed by the images that were found inside texts. */
function withTextImages(pieces: readonly Piece[], found: ReadonlyMap<string, ToolImage>): Piece[] {
  const rest = new Set(found.values());
  const own = pieces.filter((piece) => piece.type === 'text' || rest.delete(piece));
  return [...own.filter((piece) => piece.type === 'file' || piece.text.trim() !== ''), ...rest];
}

function assemble(pieces: readonly Piece[], isError: boolean): ToolOutput {
  const words = pieces.map((piece) => (piece.type === 'text' ? piece.text : toolImageText(piece))).join('\n\n');
  if (isError) return { type: 'error-text', value: words || 'The tool failed and did not say why.' };
  if (pieces.some(({ type }) => type === 'file')) return { type: 'content', value: [...pieces] };
  return { type: 'text', value: words || '[The tool gave no output.]' };
}
