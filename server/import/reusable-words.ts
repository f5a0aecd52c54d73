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

/** Reusable blocks within reusable blocks; WordPress itself warns of those that hold themselves. */
const MAX_WITHIN = 5;

/** The words of reusable blocks where they are shown, with those that a place has of its own. */
export function withReusable(markup: string, blocks: ReusableBlocks, level = 0): string {
  if (level === MAX_WITHIN) return markup;
  let text = '';
  let done = 0;
  for (const { kind, name, start, end } of delimitersOf(markup)) {
    if (kind !== 'void' || name !== 'core/block') continue;
    const { ref, content: own } = attributesOf(markup.slice(start, end));
    const id = typeof ref === 'number' ? String(ref) : '';
    const content = blocks.reusable.get(id);
    if (content === undefined) continue;
    blocks.shownBlocks.add(id);
    const words = isJsonObject(own) ? withOwn(content, own) : content;
    text += markup.slice(done, start) + withReusable(words, blocks, level + 1);
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

/** Texts of paragraphs, headings and buttons, and pictures: all that WordPress lets a place have of its own. */
function setOwn(edits: SourceEdits, { inside: { start, end } }: SourceBlock, values: JsonObject): void {
  const html = edits.raw.slice(start, end);
  const { content: words = values['text'], url, alt } = values;
  const opening = OPENING.exec(html);
  const close = html.lastIndexOf(`</${opening?.[1]}>`);
  if (typeof words === 'string' && opening !== null && close > opening.index)
    edits.replace({ start: start + opening.index + opening[0].length, end: start + close }, words);
  const image = IMAGE.exec(html);
  if (image === null) return;
  const tag = withAttribute(withAttribute(image[0], 'src', url), 'alt', alt);
  edits.replace({ start: start + image.index, end: start + image.index + image[0].length }, tag);
}

/** A tag with another value of an attribute that it has. */
function withAttribute(tag: string, name: string, value: JsonValue | undefined): string {
  if (typeof value !== 'string') return tag;
  return tag.replace(new RegExp(`\\s${name}="[^"]*"`), () => ` ${name}="${escapeAttribute(value)}"`);
}
