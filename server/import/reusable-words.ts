import { delimitersOf } from '#server/blocks/block-scan';
import { SourceEdits } from '#server/blocks/source-edits';
import { blocksIn, type SourceBlock } from '#server/blocks/source-places';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '#server/core/json';
import { escapeAttribute } from '#server/markup/html-tree';

/* Reusable blocks (patterns that stay in step): an import has their words wherever they are shown. */

/** The reusable blocks of a file. */
export interface ReusableBlocks {
  /** Their content, by their ids. */
  readonly reusable: ReadonlyMap<string, string>;
  /** Ids of those that an entry shows; grows. */
  readonly shownBlocks: Set<string>;
}

/** Characters that reusable blocks may bring into one entry: a small file could hold blocks that show each other again and again. */
const MAX_CHARS = 2_000_000;

/** The words of reusable blocks where they are shown, with those that a place has of its own. */
export function withReusable(
  markup: string,
  blocks: ReusableBlocks,
  within: ReadonlySet<string> = new Set(),
  room = { left: MAX_CHARS },
): string {
  let text = '';
  let done = 0;
  for (const { kind, name, start, end } of delimitersOf(markup)) {
    if (kind !== 'void' || name !== 'core/block') continue;
    const { ref, content: own } = attributesOf(markup.slice(start, end));
    const id = typeof ref === 'number' ? String(ref) : '';
    const content = blocks.reusable.get(id);
    // One that holds itself is shown without that, as WordPress does.
    if (content === undefined || within.has(id) || room.left < content.length) continue;
    room.left -= content.length;
    blocks.shownBlocks.add(id);
    const words = isJsonObject(own) ? withOwn(content, own) : content;
    text += markup.slice(done, start) + withReusable(words, blocks, new Set([...within, id]), room);
    done = end;
  }
  return text + markup.slice(done);
}

function attributesOf(opener: string): JsonObject {
  const value = parseJson(opener.slice(opener.indexOf('{'), opener.lastIndexOf('}') + 1)) as JsonValue | undefined;
  return isJsonObject(value) ? value : {};
}

/** The content with what a place says instead of some of its blocks, which have names for that. */
function withOwn(content: string, own: JsonObject): string {
  const edits = new SourceEdits(content);
  for (const block of blocksIn(content)) {
    const { metadata } = attributesOf(content.slice(block.start, block.inside.start));
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    const values = typeof name === 'string' ? own[name] : undefined;
    if (isJsonObject(values)) setOwn(edits, block, values);
  }
  return edits.applied() ?? content;
}

const OPENING = /<(p|h[1-6]|a)\b[^<>]*>/;
const IMAGE = /<img\b[^<>]*>/;

/** Words of paragraphs and headings, words and addresses of buttons, and pictures with their descriptions. */
function setOwn(edits: SourceEdits, { inside: { start, end } }: SourceBlock, values: JsonObject): void {
  const html = edits.raw.slice(start, end);
  const { content: words = values['text'], url, alt } = values;
  const opening = OPENING.exec(html);
  const close = html.lastIndexOf(`</${opening?.[1]}>`);
  const image = IMAGE.exec(html);
  if (image === null && opening !== null && close > opening.index) {
    const [tag, kind] = opening;
    const inner = typeof words === 'string' ? words : html.slice(opening.index + tag.length, close);
    const own = kind === 'a' ? withAttribute(tag, 'href', url) : tag;
    edits.replace({ start: start + opening.index, end: start + close }, own + inner);
  }
  if (image === null) return;
  const tag = withAttribute(withAttribute(image[0], 'src', url), 'alt', alt);
  edits.replace({ start: start + image.index, end: start + image.index + image[0].length }, tag);
}

/** A tag with this value of an attribute. */
function withAttribute(tag: string, name: string, value: JsonValue | undefined): string {
  if (typeof value !== 'string') return tag;
  const written = ` ${name}="${escapeAttribute(value)}"`;
  const former = new RegExp(`\\s${name}="[^"]*"`);
  return former.test(tag) ? tag.replace(former, () => written) : tag.replace(/\s*\/?>$/, (end) => written + end);
}
