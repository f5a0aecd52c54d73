import type { Element } from 'hast';
import { delimitersOf } from '#server/wordpress/blocks/source/block-scan';
import { insideOf } from '#server/wordpress/blocks/patch-markup';
import { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import { blocksIn, type Range, rangeOf } from '#server/wordpress/blocks/source/source-places';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '#server/core/json';
import { elementsWithin } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/* Reusable blocks (synced patterns): an import copies their text to every place that shows them. */

/** The reusable blocks of a file. */
export interface ReusableBlocks {
  /** Their content, by block id. */
  readonly reusable: ReadonlyMap<string, string>;
  /** Ids of the blocks that entries show; grows. */
  readonly shownBlocks: Set<string>;
}

/**
 * Maximum characters that reusable blocks may add to one entry: a small file could contain blocks that include each
 * other repeatedly. A choice, not measured.
 */
const MAX_CHARS = 2_000_000;

/**
 * Replaces each reference to a reusable block by the markup of the block, with the overrides of that reference.
 * @param within ids of the blocks that contain `markup`
 * @param budget characters that may still be added to the entry
 */
export function inlineReusableBlocks(
  markup: string,
  blocks: ReusableBlocks,
  within: ReadonlySet<string> = new Set(),
  budget = { remaining: MAX_CHARS },
): string {
  let text = '';
  let done = 0;
  for (const { kind, name, start, end } of delimitersOf(markup)) {
    if (kind !== 'void' || name !== 'core/block') continue;
    const { ref, content: overrides } = attributesOf(markup.slice(start, end));
    const id = typeof ref === 'number' ? String(ref) : '';
    const content = blocks.reusable.get(id);
    // A block that contains itself is shown without the inner copy, as in WordPress.
    if (content === undefined || within.has(id) || budget.remaining < content.length) continue;
    budget.remaining -= content.length;
    blocks.shownBlocks.add(id);
    const overridden = isJsonObject(overrides) ? withOverrides(content, overrides) : content;
    text += markup.slice(done, start) + inlineReusableBlocks(overridden, blocks, new Set([...within, id]), budget);
    done = end;
  }
  return text + markup.slice(done);
}

function attributesOf(opener: string): JsonObject {
  const value = parseJson(opener.slice(opener.indexOf('{'), opener.lastIndexOf('}') + 1)) as JsonValue | undefined;
  return isJsonObject(value) ? value : {};
}

/** The content with the overrides that a place has for some of its named blocks. */
function withOverrides(content: string, overrides: JsonObject): string {
  const tree = parseHtmlWithinLimits(content, true);
  if (tree === null) return content;
  const elements = elementsWithin(tree);
  const edits = new SourceEdits(content);
  for (const { start, inside } of blocksIn(content)) {
    const { metadata } = attributesOf(content.slice(start, inside.start));
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    const values = typeof name === 'string' ? overrides[name] : undefined;
    if (isJsonObject(values))
      applyOverrides(
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

/**
 * Overrides the text of paragraphs and headings, the text and address of buttons, and pictures with their alternative
 * texts.
 */
function applyOverrides(edits: SourceEdits, elements: readonly Element[], values: JsonObject): void {
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
