import { isDeepStrictEqual } from 'node:util';
import { type Blob, blobUrl } from '#server/core/files';
import { MAX_FILES, MAX_IMAGE_BYTES } from '#server/core/limits';
import { ThroughlineError } from '#server/core/errors';
import { toolImageText } from '#server/core/part-text';
import type { JsonValue } from '#server/core/json';
import type { ToolOutput } from '#server/core/parts';
import {
  asToolImage,
  isRichResult,
  type RichPart,
  type RichToolResult,
  type ToolImage,
  type ToolReturn,
} from '#server/core/tool-result';
import { visibleText } from '#server/core/visible-text';
import { cleanFilename, sniffFile } from '#server/media/sniff-file';

/** Levels of a JSON result; deeper ones are left out. */
const MAX_DEPTH = 32;
/** Values of a JSON result, lists and objects included; far more than any output limit lets through. */
const MAX_VALUES = 100_000;
/** Longest text that is examined: the largest image as base64, and far more words than any limit lets through. */
const MAX_TEXT_CHARS = Math.ceil((MAX_IMAGE_BYTES * 4) / 3) + 1_000_000;
/** Shorter ones may be keys, hashes, tokens. */
const LONG_CHARS = 1_000;

/** `data:` URLs with base64, with the media type that they claim. */
const DATA_URL = /data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w.+=-]{1,100}){0,5};base64,[A-Za-z0-9+/_-]+={0,2}/;
/** Other `data:` URLs, where they are long. */
const LONG_DATA_URL = /data:[\w.+-]{1,100}\/[^\s,"']{1,200},[^\s"'<>()]{300,}/;
/** Base64 with no word of what it is, in one piece or in the lines of e-mail. */
const BARE_BASE64 =
  /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{1000,}={0,2}|(?<![^\n])(?:[A-Za-z0-9+/]{60,76}\r?\n){12,}[A-Za-z0-9+/]{1,76}={0,2}/;
const ENCODED = new RegExp([DATA_URL, LONG_DATA_URL, BARE_BASE64].map(({ source }) => source).join('|'), 'gi');

/** Stores an image of the session, each once. @throws ThroughlineError where it is refused */
export type KeepFile = (bytes: Uint8Array, filename: string) => Promise<Blob>;

/** A piece of an output in words, or an image. */
type Piece = { readonly type: 'text'; readonly text: string } | ToolImage;

/**
 * The one way from what a tool gave back, of whatever kind, to what is stored of it. Nothing of it is believed:
 * texts lose what their reader would not see, JSON is bounded, images are known by their bytes and kept as blobs,
 * `data:` URLs and base64 inside texts become images or a few words, resources are read as they came and never
 * fetched, and kinds that we do not take are named. What the tool calls an error is one.
 * @param toolName names images that have no name
 */
export async function sanitizeToolResult(value: ToolReturn, toolName: string, keep: KeepFile): Promise<ToolOutput> {
  const work = new Sanitizing(toolName, keep);
  return isRichResult(value) ? work.rich(value) : work.plain(value);
}

/**
 * An output that was recorded elsewhere, with its images kept as blobs. One without any stays as it came.
 * @param toolName names images that have no name
 */
export async function adoptToolOutput(output: ToolOutput, toolName: string, keep: KeepFile): Promise<ToolOutput> {
  const work = new Sanitizing(toolName, keep);
  switch (output.type) {
    case 'content': {
      const parts = output.value.map(foreignPart);
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

class Sanitizing {
  readonly #toolName: string;
  readonly #keep: KeepFile;
  /** By the blob: the same image twice is one. */
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
    const said = structured === undefined ? parts : parts.filter((part) => !repeats(part, structured));
    const pieces: Piece[] = [];
    for (const part of said) pieces.push(await this.#piece(part));
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

  /** A text without what cannot be seen; files in it are taken out. */
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

/** Puts external names on one line, for our own sentences. */
function externalName(words: string): string {
  return visibleText(words.slice(0, 500))
    .replaceAll(/[\s[\]]+/g, ' ')
    .trim();
}

function withEnding(name: string, mediaType: string): string {
  return /\.[a-z0-9]{2,5}$/i.test(name) ? name : `${name}.${mediaType.slice('image/'.length).replace('jpeg', 'jpg')}`;
}

/** Letters of both cases and digits mixed as base64 has them; a row of one sign, a word or a hash is none. */
function looksEncoded(found: string): boolean {
  const start = found.slice(0, LONG_CHARS);
  return /[a-z]/.test(start) && /[A-Z]/.test(start) && /\d/.test(start);
}

async function isImage(bytes: Uint8Array): Promise<boolean> {
  try {
    return (await sniffFile(bytes, '')).kind === 'image';
  } catch (error) {
    // Too large, say: then it is refused by its name.
    return error instanceof ThroughlineError && error.code === 'too_large';
  }
}

/** A text that says in JSON what is structured anyway. */
function repeats(part: RichPart, structured: JsonValue): boolean {
  if (part.type !== 'text' || !/^\s*[[{"\d\-tfn]/.test(part.text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(part.text), structured);
  } catch {
    return false;
  }
}

/** The pieces, each image once, with those behind them that were found inside texts. */
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

/** A piece of a recorded output, in the shapes of the AI SDK and of MCP. */
function foreignPart(piece: { readonly type: string; readonly [field: string]: unknown }): RichPart {
  const { type } = piece;
  if (type === 'text' && typeof piece['text'] === 'string') return { type: 'text', text: piece['text'] };
  const own = asToolImage(piece);
  const mediaType = firstText(piece['mediaType'], piece['mimeType'], own?.mediaType) ?? 'application/octet-stream';
  const filename = firstText(piece['filename']);
  const data = encodedData(piece['data']) ?? encodedUrl(piece['url']);
  if (data !== null) return { type: 'image', data, mediaType, ...(filename !== undefined && { filename }) };
  const uri = firstText(piece['url'], fieldOf(piece['data'], 'url'), piece['uri']);
  if (uri !== undefined && !uri.startsWith('data:')) return { type: 'resource', uri, mediaType };
  return { type: 'text', text: JSON.stringify(piece) };
}

function encodedUrl(url: unknown): Buffer | null {
  return typeof url === 'string' && url.startsWith('data:') ? encodedData(url) : null;
}

function encodedData(data: unknown): Buffer | null {
  const encoded = typeof data === 'string' ? data : fieldOf(data, 'data');
  if (typeof encoded !== 'string') return null;
  const head = /^data:[^,]{0,200};base64,/.exec(encoded)?.[0] ?? '';
  return /^(https?:|@)/.test(encoded) ? null : Buffer.from(encoded.slice(head.length), 'base64');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
