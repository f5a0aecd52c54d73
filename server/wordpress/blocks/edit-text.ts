import type { Element, RootContent } from 'hast';
import type { RootContent as MarkdownNode } from 'mdast';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { headingBlock } from '#server/wordpress/blocks/block-markup';
import { isPreformatted, isVerse } from '#server/wordpress/blocks/block-reader';
import { hasBlocks, withoutDelimiters } from '#server/wordpress/blocks/source/block-scan';
import { cutClassic } from '#server/wordpress/blocks/classic-pieces';
import { comparable, plainMarkupRules, shownNodes, textMarkupRules } from '#server/wordpress/blocks/markup-rules';
import { htmlToMarkdown, markdownToBlocks, markdownToHtml } from '#server/wordpress/blocks/from-markdown';
import { alikeInOrder, matchInOrder } from '#server/wordpress/blocks/paired-lists';
import { insideOf, MarkupPatch } from '#server/wordpress/blocks/patch-markup';
import { patchWords, softBreak } from '#server/wordpress/blocks/patch-words';
import { type ReadSegment, residueOf, type TextPart } from '#server/wordpress/blocks/read-segments';
import { SourceEdits } from '#server/wordpress/blocks/source/source-edits';
import type { SectionFields } from '#server/core/site/section-fields';
import { isElement, mapElements, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { readMarkdown } from '#server/markup/read-markdown';
import { escapeText } from '#server/markup/write-html';
import { wordSimilarity } from '#server/markup/word-similarity';

type TextFields = SectionFields<'text'>;

/** How new markup is written: in blocks, or for content without blocks. */
export interface Writing {
  readonly context: BlockContext;
  /** True for content without blocks. */
  readonly isClassic: boolean;
  /** Adapts a new block to the kind of content. */
  readonly written: (raw: string) => string;
}

/** A block of a content; `part` is the index of its former part, undefined if it is new. */
interface Emitted {
  readonly raw: string;
  readonly part?: number;
}

interface MarkdownBlock {
  readonly text: string;
  readonly offset: number;
  readonly type: MarkdownNode['type'];
}

/** The blocks of a Markdown text; null if some depend on distant ones (link definitions). */
function blocksOf(markdown: string): MarkdownBlock[] | null {
  const nodes = readMarkdown(markdown).children;
  if (nodes.some(({ type }) => type === 'definition' || type === 'footnoteDefinition')) return null;
  return nodes.map(({ position, type }) => {
    const offset = position?.start.offset ?? 0;
    return { text: markdown.slice(offset, position?.end.offset), offset, type };
  });
}

/** For each new block that begins a fully retained part, the index of the part; -1 for a part's further blocks. */
function keptParts(parts: readonly TextPart[], matches: ReadonlyMap<number, number>): Map<number, number> {
  const afterOf = new Map([...matches].map(([after, before]) => [before, after]));
  const kept = new Map<number, number>();
  let before = 0;
  for (const [index, { nodes }] of parts.entries()) {
    const first = afterOf.get(before);
    const places = nodes.map((_, step) => afterOf.get(before + step));
    const isWhole = first !== undefined && places.every((place, step) => place === first + step);
    if (isWhole && nodes.length > 0) places.forEach((place, step) => kept.set(place ?? 0, step === 0 ? index : -1));
    before += nodes.length;
  }
  return kept;
}

/**
 * Parts that only change their place: maps the index of the block at which each now begins to the index of the part.
 * Only for unambiguous matches; -1 for a part's further blocks.
 */
function movedParts(
  parts: readonly TextPart[],
  before: readonly string[],
  after: readonly string[],
  kept: ReadonlyMap<number, number>,
): Map<number, number> {
  const stay = new Set(kept.values());
  const byContent = new Map<string, number[]>();
  let first = 0;
  for (const [index, { nodes, isHeading }] of parts.entries()) {
    const key = JSON.stringify(before.slice(first, first + nodes.length));
    first += nodes.length;
    if (!isHeading && nodes.length > 0 && !stay.has(index)) byContent.set(key, [...(byContent.get(key) ?? []), index]);
  }
  const moved = new Map<number, number>();
  for (const [key, [index, ...others]] of byContent) {
    const { length } = parts[index!]!.nodes;
    const isFree = (place: number) => Array.from({ length }, (_, step) => place + step).every((at) => !kept.has(at));
    const places = [...after.keys()].filter(
      (place) => isFree(place) && JSON.stringify(after.slice(place, place + length)) === key,
    );
    const [place] = places;
    if (others.length > 0 || places.length !== 1 || place === undefined) continue;
    for (let step = 0; step < length; step += 1) moved.set(place + step, step === 0 ? index! : -1);
  }
  return moved;
}

function around({ lead, raw, tail }: TextPart, changed = raw): string {
  return lead + changed + tail;
}

/** White space at the end of a text. */
function endOf(raw: string): string {
  return raw.slice(raw.trimEnd().length);
}

/** Consecutive blocks, with an empty line before those that had none. */
function joined(blocks: readonly Emitted[]): string {
  return blocks
    .map(({ raw, part }, index) => {
      const next = blocks[index + 1];
      const isOldPair = part !== undefined && next?.part === part + 1;
      return next === undefined || isOldPair || raw.endsWith('\n') ? raw : `${raw}\n\n`;
    })
    .join('');
}

/** In Markdown, headings begin two levels below the page's own, and a table without a head gets an empty one. */
function asInSource(element: Element): RootContent[] {
  const level = /^h([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) return [{ ...element, tagName: `h${Math.min(Number(level) + 2, 6)}` }];
  return element.tagName === 'thead' && wordsOf(element).trim() === '' ? [] : [element];
}

/** In Markdown, cells have no line breaks and code has no marks; elements that have them are not changed. */
function asInMarkdown(element: Element): RootContent[] {
  const within = (change: (child: Element) => readonly RootContent[]) => [
    { ...element, children: mapElements(element.children, change) as Element['children'] },
  ];
  if (isElement(element, 'td', 'th')) return within((child) => [child.tagName === 'br' ? softBreak(child) : child]);
  if (!isPreformatted(element)) return [element];
  return within((child) => {
    if (child.tagName === 'code') return child.children;
    return [child.tagName === 'br' ? child : { ...child, tagName: 'span' }];
  });
}

/** True if markup is read as this Markdown. */
function isReadAs(raw: string, markdown: string, context: BlockContext): boolean {
  const pieces = hasBlocks(raw) ? [withoutDelimiters(raw)] : (cutClassic(raw) ?? []).map(({ html }) => html);
  const tree = parseHtmlWithinLimits(pieces.join(''));
  const flow = tree === null ? null : htmlToMarkdown(tree, context);
  // Line breaks at the end of code are ignored in reading.
  const shown = (text: string) =>
    comparable(markdownToHtml(text).children).replaceAll(/(?<!\n)\n+<\/code><\/pre>/g, '</pre>');
  return flow !== null && shown(flow.markdown) === shown(markdown);
}

/** Number of header cells in the body of tables. */
function headersInBody(raw: string): number {
  return raw.replaceAll(/<thead\b.*?<\/thead>/gs, '').match(/<th[\s>]/g)?.length ?? 0;
}

/** False if a patch has emptied the head or the body of a table, or moved header cells into the body. */
function hasWholeTables(raw: string, before: string): boolean {
  return !/<(thead|tbody|tfoot)>\s*<\/\1>/.test(raw) && headersInBody(raw) <= headersInBody(before);
}

/** A table with the rows of this Markdown in its existing tags, beside its existing caption; null for another block. */
function refilledTable(raw: string, markdown: string, context: BlockContext): string | null {
  const [fresh] = markdownToBlocks(markdown, context);
  const rows = /<table>(.*)<\/table>/s.exec(fresh?.raw ?? '')?.[1];
  if (rows === undefined || raw.split('<table').length !== 2) return null;
  const refilled = raw.replace(
    /(<table\b[^>]*>).*(<\/table>)/s,
    (_, open: string, close: string) => open + rows + close,
  );
  return isReadAs(refilled, markdown, context) ? refilled : null;
}

/** A block with the content of this Markdown, in its existing tags; null if its tags cannot represent it. */
function patchedBlock(raw: string, markdown: string, { context }: Writing): string | null {
  const from = shownNodes(raw, context);
  if (from === null) return null;
  const isBare = !hasBlocks(raw) && !from.some((node) => isElement(node, 'ul', 'ol', 'table', 'blockquote', 'pre'));
  const isOfLines = isBare || from.some((node) => isElement(node) && isVerse(node));
  const rules = textMarkupRules(context, isOfLines ? '\n' : '<br>');
  const to = mapElements(mapElements(markdownToHtml(markdown).children, asInSource), asInMarkdown);
  const edits = new SourceEdits(raw);
  const patch = new MarkupPatch(edits, rules);
  const isPatched = patch.patch(mapElements(from, asInMarkdown), to, { start: 0, end: raw.length });
  const patched = isPatched ? edits.applied() : null;
  if (patched !== null && hasWholeTables(patched, raw) && isReadAs(patched, markdown, context)) return patched;
  return refilledTable(raw, markdown, context);
}

/** The heading with other text, in its existing tags. */
function patchedHeading(raw: string, words: string, { context }: Writing): string | null {
  const heading = shownNodes(raw, context)?.find((node): node is Element => isElement(node));
  const inside = heading === undefined ? null : insideOf(heading);
  if (heading === undefined || inside === null) return null;
  const edits = new SourceEdits(raw);
  const to: RootContent[] = [{ type: 'text', value: words }];
  return patchWords(heading.children, to, inside, edits, plainMarkupRules(context, ' ')) ? edits.applied() : null;
}

function headingOf(first: TextPart | undefined, words: string | undefined, was: string | undefined, writing: Writing) {
  if (words === undefined) return [];
  const fresh = writing.written(headingBlock(escapeText(words), 2));
  if (first?.isHeading !== true) return [{ raw: fresh }];
  const raw = words === was ? first.raw : (patchedHeading(first.raw, words, writing) ?? fresh);
  return [{ raw: around(first, raw), part: 0 }];
}

/**
 * The markup of a changed text section: each block with unchanged Markdown keeps its bytes, and a changed one keeps its
 * tags, and with them what Markdown cannot express (colours, alignment). Null if the former blocks cannot be
 * distinguished.
 * @param segment the former section as read
 */
export function editText(
  segment: ReadSegment,
  former: TextFields,
  fields: TextFields,
  writing: Writing,
): string | null {
  const { parts } = segment;
  const [before, after] = [blocksOf(former.body), blocksOf(fields.body)];
  if (parts === undefined || before === null || after === null) return null;
  if (parts.reduce((count, { nodes }) => count + nodes.length, 0) !== before.length) return null;
  const texts = (blocks: readonly MarkdownBlock[]) => blocks.map(({ text }) => text);
  const kept = keptParts(parts, matchInOrder(texts(before), texts(after)));
  const moved = movedParts(parts, texts(before), texts(after), kept);
  const movedAway = new Set(moved.values());
  const fresh = markdownToBlocks(fields.body, writing.context);
  const written = (index: number): Emitted[] => {
    const place = moved.get(index);
    if (place !== undefined) return place < 0 ? [] : [{ raw: parts[place]!.raw.trim() }];
    const end = after[index + 1]?.offset ?? fields.body.length;
    const own = fresh.filter(({ offset }) => offset >= after[index]!.offset && offset < end);
    return own.map(({ raw }) => ({ raw: writing.written(raw) }));
  };
  const between = (from: number, to: number, first: number, end: number): Emitted[] => {
    const removed = parts
      .slice(from, to)
      .flatMap((part, n) => part.nodes.map(({ type }, step) => ({ part, type, step, index: from + n })))
      .filter(({ index }) => !movedAway.has(index));
    const added = after
      .slice(first, end)
      .map((block, n) => ({ ...block, index: first + n }))
      .filter(({ index }) => !moved.has(index));
    const textOf = (raw: string) => raw.replaceAll(/<[^<>]*>/g, ' ');
    const pairs = alikeInOrder(removed, added, {
      mayPair: (old, latter) => old.type === latter.type,
      similarity: (old, latter) => wordSimilarity(textOf(old.part.raw), latter.text),
    });
    const placeOf = (old: (typeof removed)[number]) => pairs.find(([one]) => one === old)?.[1]?.index;
    /** The index of the new blocks that a part has become, which are consecutive. */
    const becomes = ({ nodes }: TextPart, index: number): number | undefined => {
      const own = removed.filter((old) => old.index === index);
      const start = own[0] === undefined ? undefined : placeOf(own[0]);
      return start !== undefined && nodes.every((_, step) => placeOf(own[step]!) === start + step) ? start : undefined;
    };
    const emitted: Emitted[] = [];
    let next = first;
    const fill = (until: number) => {
      for (; next < until; next += 1) emitted.push(...written(next));
    };
    for (const [n, part] of parts.slice(from, to).entries()) {
      if (part.isHeading) continue;
      const start = becomes(part, from + n);
      if (start === undefined) {
        emitted.push(...residueOf(part).map((raw) => ({ raw })));
        continue;
      }
      fill(start);
      next = start + part.nodes.length;
      const last = after[next - 1]!;
      const markdown = fields.body.slice(after[start]!.offset, last.offset + last.text.length);
      const regenerated = () => {
        const blocks = part.nodes.flatMap((_, step) => written(start + step));
        return blocks.map(({ raw }) => raw).join('\n\n') + endOf(part.raw);
      };
      const raw = patchedBlock(part.raw, markdown, writing) ?? regenerated();
      emitted.push({ raw: around(part, raw), part: from + n });
    }
    fill(end);
    return emitted;
  };
  const body: Emitted[] = [];
  let [part, block] = [0, 0];
  for (let index = 0; index <= after.length; index += 1) {
    const place = index === after.length ? parts.length : kept.get(index);
    if (place === undefined || place === -1) continue;
    body.push(...between(part, place, block, index));
    const same = parts[place];
    if (same !== undefined) body.push({ raw: around(same), part: place });
    part = place + 1;
    block = index + (same === undefined ? 0 : same.nodes.length);
  }
  const heading = headingOf(parts[0], fields.heading, former.heading, writing);
  const dropped = heading.length === 0 && parts[0]?.isHeading === true ? residueOf(parts[0]) : [];
  const raw = joined([...heading, ...dropped.map((invisible) => ({ raw: invisible })), ...body]);
  // The new end may previously have been separated from the next block.
  return raw.trimEnd() + endOf(segment.raw);
}
