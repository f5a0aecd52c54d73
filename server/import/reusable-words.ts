import type { Element } from 'hast';
import { delimitersOf } from '#server/blocks/block-scan';
import { insideOf } from '#server/blocks/patch-markup';
import { SourceEdits } from '#server/blocks/source-edits';
import { blocksIn, type Range, rangeOf } from '#server/blocks/source-places';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '#server/core/json';
import { elementsWithin } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

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
  const tree = parseHtmlWithinLimits(content, true);
  if (tree === null) return content;
  const elements = elementsWithin(tree);
  const edits = new SourceEdits(content);
  for (const { start, inside } of blocksIn(content)) {
    const { metadata } = attributesOf(content.slice(start, inside.start));
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    const values = typeof name === 'string' ? own[name] : undefined;
    if (isJsonObject(values))
      setOwn(
        edits,
        elements.filter((element) => isWithin(inside, rangeOf(element))),
        values,
      );
  }
  return edits.applied() ?? content;
}

function isWithin(outer: Range, inner: Range | null): boolean {
  return inner !== null && inner.start >= outer.start && inner.end <= outer.end;
}

/** Words of paragraphs and headings, words and addresses of buttons, and pictures with their descriptions. */
function setOwn(edits: SourceEdits, elements: readonly Element[], values: JsonObject): void {
  const { content: words = values['text'], url, alt } = values;
  const set = (element: Element, name: 'href' | 'src' | 'alt', value: JsonValue | undefined) => {
    if (typeof value === 'string') edits.setAttribute(element, name, name, value);
  };
  const image = elements.find(({ tagName }) => tagName === 'img');
  if (image !== undefined) {
    set(image, 'src', url);
    set(image, 'alt', alt);
    return;
  }
  const worded = elements.find(({ tagName }) => /^(?:p|h[1-6]|a)$/.test(tagName));
  if (worded === undefined) return;
  const inside = insideOf(worded);
  if (typeof words === 'string' && inside !== null) edits.replace(inside, words);
  if (worded.tagName === 'a') set(worded, 'href', url);
}
