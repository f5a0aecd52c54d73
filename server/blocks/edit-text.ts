import { headingBlock } from '#server/blocks/block-markup';
import { markdownToBlocks } from '#server/blocks/markdown-to-blocks';
import { readSegments, type TextPart } from '#server/blocks/read-segments';
import { changedParts } from '#server/markup/changed-parts';
import type { SectionFields } from '#server/core/section-fields';
import type { BlockContext, KnownSegment } from '#server/blocks/block-context';
import { escapeText } from '#server/markup/html-tree';
import { readMarkdown } from '#server/blocks/markdown-to-html';

type TextFields = SectionFields<'text'>;

/** A block of a content; `part` is its place in what was there, undefined where it is new. */
interface Emitted {
  readonly raw: string;
  readonly part?: number;
}

interface MarkdownBlock {
  readonly text: string;
  readonly offset: number;
}

/** The blocks of a markdown text; null where some depend on others far away (link definitions). */
function blocksOf(markdown: string): MarkdownBlock[] | null {
  const nodes = readMarkdown(markdown).children;
  if (nodes.some(({ type }) => type === 'definition' || type === 'footnoteDefinition')) return null;
  return nodes.map(({ position }) => {
    const offset = position?.start.offset ?? 0;
    return { text: markdown.slice(offset, position?.end.offset), offset };
  });
}

/** For the first new block of each part that is wholly there still, the part's index; for its further ones -1. */
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

/**
 * A text section that was changed, as markup: each of its blocks whose markdown is as it was keeps its bytes, and with
 * them what markdown cannot say (colours, alignment). Null where the blocks of `former` cannot be told apart. `written`
 * makes of a new block what the content needs.
 */
export function editText(
  former: KnownSegment,
  fields: TextFields,
  context: BlockContext,
  written: (raw: string) => string,
): string | null {
  const [segment, ...others] = readSegments(former.raw, context);
  const parts = others.length === 0 ? segment?.parts : undefined;
  const { heading: formerHeading, body: formerBody } = former.fields as TextFields;
  const before = blocksOf(formerBody);
  const after = blocksOf(fields.body);
  if (parts === undefined || before === null || after === null) return null;
  if (parts.reduce((count, { nodes }) => count + nodes.length, 0) !== before.length) return null;
  const texts = (blocks: readonly MarkdownBlock[]) => blocks.map(({ text }) => text);
  const kept = keptParts(parts, matchInOrder(texts(before), texts(after)));
  const fresh = markdownToBlocks(fields.body, context);
  const body = after.flatMap(({ offset }, index): Emitted[] => {
    const part = kept.get(index);
    if (part === -1) return [];
    if (part !== undefined) return [{ raw: parts[part]?.raw ?? '', part }];
    const end = after[index + 1]?.offset ?? fields.body.length;
    return fresh.filter((one) => one.offset >= offset && one.offset < end).map(({ raw }) => ({ raw: written(raw) }));
  });
  const [first] = parts;
  const isHeadingKept = first?.isHeading === true && fields.heading === formerHeading;
  const heading: Emitted[] = isHeadingKept
    ? [{ raw: first.raw, part: 0 }]
    : fields.heading === undefined
      ? []
      : [{ raw: written(headingBlock(escapeText(fields.heading), 2)) }];
  return joined([...heading, ...body]);
}

/** Equal items that are in both lists in the same order: for each index of `after`, its index in `before`. */
export function matchInOrder(before: readonly string[], after: readonly string[]): Map<number, number> {
  const matches = new Map<number, number>();
  let [was, is] = [0, 0];
  for (const { kind, items } of changedParts(before, after)) {
    if (kind === 'same') for (const step of items.keys()) matches.set(is + step, was + step);
    if (kind !== 'added') was += items.length;
    if (kind !== 'removed') is += items.length;
  }
  return matches;
}
