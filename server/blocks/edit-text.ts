import type { Element, RootContent } from 'hast';
import type { RootContent as MarkdownNode } from 'mdast';
import type { BlockContext } from '#server/blocks/block-context';
import { headingBlock } from '#server/blocks/block-markup';
import { isPreformatted, isVerse } from '#server/blocks/block-reader';
import { hasBlocks, withoutDelimiters } from '#server/blocks/block-scan';
import { cutClassic } from '#server/blocks/classic-pieces';
import { comparable, plainMarkupRules, shownNodes, textMarkupRules } from '#server/blocks/markup-rules';
import { htmlToMarkdown, markdownToBlocks, markdownToHtml, readMarkdown } from '#server/blocks/from-markdown';
import { alikeInOrder, matchInOrder } from '#server/blocks/paired-lists';
import { insideOf, MarkupPatch } from '#server/blocks/patch-markup';
import { patchWords, softBreak } from '#server/blocks/patch-words';
import { type ReadSegment, residueOf, type TextPart } from '#server/blocks/read-segments';
import { SourceEdits } from '#server/blocks/source-edits';
import type { SectionFields } from '#server/core/section-fields';
import { likeness } from '#server/markup/changed-parts';
import { escapeText, isElement, mapElements, wordsOf } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

type TextFields = SectionFields<'text'>;

/** Writing rules for a content kind. */
export interface Writing {
  readonly context: BlockContext;
  readonly isClassic: boolean;
  /** Makes of a new block what the content needs. */
  readonly written: (raw: string) => string;
}

/** A block of a content; `part` is its place in what was there, undefined where it is new. */
interface Emitted {
  readonly raw: string;
  readonly part?: number;
}

interface MarkdownBlock {
  readonly text: string;
  readonly offset: number;
  readonly type: MarkdownNode['type'];
}

/** The blocks of a markdown text; null where some depend on others far away (link definitions). */
function blocksOf(markdown: string): MarkdownBlock[] | null {
  const nodes = readMarkdown(markdown).children;
  if (nodes.some(({ type }) => type === 'definition' || type === 'footnoteDefinition')) return null;
  return nodes.map(({ position, type }) => {
    const offset = position?.start.offset ?? 0;
    return { text: markdown.slice(offset, position?.end.offset), offset, type };
  });
}

/** Index of the part that begins at a new block, for parts that are wholly there still; -1 for a part's further blocks. */
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
 * Parts that only change their place: for the index of the block that each begins at now, its index. Only where one part
 * and one place say it; -1 for a part's further blocks.
 */
function movedParts(
  parts: readonly TextPart[],
  before: readonly string[],
  after: readonly string[],
  kept: ReadonlyMap<number, number>,
): Map<number, number> {
  const stay = new Set(kept.values());
  const saying = new Map<string, number[]>();
  let first = 0;
  for (const [index, { nodes, isHeading }] of parts.entries()) {
    const key = JSON.stringify(before.slice(first, first + nodes.length));
    first += nodes.length;
    if (!isHeading && nodes.length > 0 && !stay.has(index)) saying.set(key, [...(saying.get(key) ?? []), index]);
  }
  const moved = new Map<number, number>();
  for (const [key, [index, ...others]] of saying) {
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

/** Blocks in a row, an empty line before those that had none. */
function joined(blocks: readonly Emitted[]): string {
  return blocks
    .map(({ raw, part }, index) => {
      const next = blocks[index + 1];
      const isOldPair = part !== undefined && next?.part === part + 1;
      return next === undefined || isOldPair || raw.endsWith('\n') ? raw : `${raw}\n\n`;
    })
    .join('');
}

/** Headings of markdown begin two levels below the page's own; its tables have an empty head where there is none. */
function asInSource(element: Element): RootContent[] {
  const level = /^h([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) return [{ ...element, tagName: `h${Math.min(Number(level) + 2, 6)}` }];
  return element.tagName === 'thead' && wordsOf(element).trim() === '' ? [] : [element];
}

/** Cells of markdown have no line breaks, and its code no marks: what has them stays as it is. */
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

/** Tells whether markup is read as this markdown. */
function isReadAs(raw: string, markdown: string, context: BlockContext): boolean {
  const pieces = hasBlocks(raw) ? [withoutDelimiters(raw)] : (cutClassic(raw) ?? []).map(({ html }) => html);
  const tree = parseHtmlWithinLimits(pieces.join(''));
  const flow = tree === null ? null : htmlToMarkdown(tree, context);
  // Line breaks at the end of code are not read.
  const shown = (text: string) =>
    comparable(markdownToHtml(text).children).replaceAll(/(?<!\n)\n+<\/code><\/pre>/g, '</pre>');
  return flow !== null && shown(flow.markdown) === shown(markdown);
}

/** A block that says what this markdown says, in its own tags; null where its tags cannot say it. */
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
  return patched !== null && isReadAs(patched, markdown, context) ? patched : null;
}

/** The heading with other words, in its own tags. */
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
 * A text section that was changed, as markup: each of its blocks whose markdown is as it was keeps its bytes, and one that
 * says something else keeps its tags, and with them what markdown cannot say (colours, alignment). Null where the blocks
 * of what was there cannot be told apart.
 * @param segment what was there, as it is read
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
    const gone = parts
      .slice(from, to)
      .flatMap((part, n) => part.nodes.map(({ type }, step) => ({ part, type, step, index: from + n })))
      .filter(({ index }) => !movedAway.has(index));
    const come = after
      .slice(first, end)
      .map((block, n) => ({ ...block, index: first + n }))
      .filter(({ index }) => !moved.has(index));
    const textOf = (raw: string) => raw.replaceAll(/<[^<>]*>/g, ' ');
    const pairs = alikeInOrder(gone, come, {
      mayPair: (old, latter) => old.type === latter.type,
      likeness: (old, latter) => likeness(textOf(old.part.raw), latter.text),
    });
    const placeOf = (old: (typeof gone)[number]) => pairs.find(([one]) => one === old)?.[1]?.index;
    /** The new blocks that a part has become, all of them in a row. */
    const becomes = ({ nodes }: TextPart, index: number): number | undefined => {
      const own = gone.filter((old) => old.index === index);
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
      const anew = () => {
        const blocks = part.nodes.flatMap((_, step) => written(start + step));
        return blocks.map(({ raw }) => raw).join('\n\n') + endOf(part.raw);
      };
      const raw = patchedBlock(part.raw, markdown, writing) ?? anew();
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
  const raw = joined([...heading, ...dropped.map((silence) => ({ raw: silence })), ...body]);
  // What ends it now may have been parted from the next block before.
  if (moved.size > 0) return raw.trimEnd() + endOf(segment.raw);
  return endOf(raw) === '' ? raw + endOf(segment.raw) : raw;
}
