import { isDeepStrictEqual } from 'node:util';
import { group } from '#server/blocks/block-markup';
import { asClassic, cutBlocks, hasBlocks, isOpenAtEnd } from '#server/blocks/block-scan';
import { editText, matchInOrder } from '#server/blocks/edit-text';
import { readSegments } from '#server/blocks/read-segments';
import { textBlocks, writeSection } from '#server/blocks/section-blocks';
import type { Section } from '#server/core/content';
import type { SectionFields } from '#server/core/section-fields';
import type { BlockContext, KnownSegment, Segment } from '#server/blocks/block-context';

/** Content to send to the site, and what it is made of. */
export interface ComposedContent {
  readonly raw: string;
  readonly known: KnownSegment[];
}

/** A section in its markup; `place` is where it stood, undefined where it is written anew. */
interface Composed extends KnownSegment {
  readonly place?: number;
}

function isSame(section: Section, former: KnownSegment): boolean {
  return former.type === section.type && isDeepStrictEqual(former.fields, section.fields);
}

/** Tells whether two pieces of content in a row are read differently than each alone, as one section for example. */
function growsTogether(first: string, second: string, context: BlockContext): boolean {
  const count = (raw: string) => readSegments(raw, context).length;
  const [end, start] = [edge(first, -EDGE_BLOCKS), edge(second, 0, EDGE_BLOCKS)];
  return count(`${end}\n\n${start}`) !== count(end) + count(start);
}

/** Number of blocks, and pieces between them, that show how a content begins or ends. */
const EDGE_BLOCKS = 6;

function edge(raw: string, from: number, to?: number): string {
  return cutBlocks(raw)
    .slice(from, to)
    .map((piece) => piece.raw)
    .join('');
}

/** Everything that decides how a section is written. */
interface Composition {
  readonly known: readonly KnownSegment[];
  readonly context: BlockContext;
  readonly isClassic: boolean;
  /**
   * Converts new markup: in content without blocks, WordPress makes paragraphs of empty lines as long as it has no
   * blocks.
   */
  readonly written: (raw: string) => string;
}

/** A section's markup in a group, which separates it from its neighbours. */
function apart(section: Section, raw: string, { context, isClassic, written }: Composition): string {
  const mark = `throughline-${section.type}`;
  if (section.type === 'quote' && !isClassic) return group(mark, [raw.trim()]);
  if (section.type !== 'text') return written(writeSection(section, context));
  // In content without blocks, empty lines part no paragraphs inside of an element.
  const blocks = isClassic ? textBlocks(section.fields as SectionFields<'text'>, context) : [raw.trim()];
  return written(group(mark, blocks));
}

/** Tells whether blocks are read as one text section; blocks that show nothing become part of the one before. */
function isReadAsText(raw: string, heading: string | undefined, context: BlockContext): boolean {
  const [segment, ...others] = readSegments(raw, context);
  return others.length === 0 && segment?.parts !== undefined && segment.fields['heading'] === heading;
}

function writtenAnew(section: Section, former: KnownSegment | undefined, composition: Composition): string {
  const { context, written } = composition;
  if (section.type !== 'text') return written(writeSection(section, context));
  const fields = section.fields as SectionFields<'text'>;
  const edited = former?.type === 'text' ? editText(former, fields, context, written) : null;
  const raw = edited ?? written(writeSection(section, context));
  return isReadAsText(raw, fields.heading, context) ? raw : apart(section, raw, composition);
}

function composedSection(
  section: Section,
  previous: Composed | undefined,
  isLast: boolean,
  composition: Composition,
): Composed {
  const { known, context } = composition;
  const { id, type, fields } = section;
  const place = known.findIndex(({ sectionId }) => sectionId === id);
  const former = known[place];
  const isKept = former !== undefined && isSame(section, former) && (isLast || !isOpenAtEnd(former.raw));
  const base = { sectionId: id, type, fields };
  if (isKept && (previous === undefined || previous.place === place - 1)) return { ...base, raw: former.raw, place };
  const raw = isKept ? former.raw : writtenAnew(section, former, composition);
  const isJoined = previous !== undefined && growsTogether(previous.raw, raw, context);
  if (isJoined) return { ...base, raw: apart(section, raw, composition) };
  return { ...base, raw, ...(isKept && { place }) };
}

/**
 * An empty line between what did not stand together: it belongs to what is new, so that what was there is as it was once
 * that is gone again.
 */
function separated(sections: readonly Composed[]): KnownSegment[] {
  const raws = sections.map(({ raw }) => raw);
  for (const [index, next] of sections.entries()) {
    const section = sections[index - 1];
    if (section === undefined || (section.place !== undefined && next.place === section.place + 1)) continue;
    if (raws[index - 1]!.endsWith('\n') || raws[index]!.startsWith('\n')) continue;
    if (section.place !== undefined && next.place === undefined) raws[index] = `\n\n${raws[index]}`;
    else raws[index - 1] += '\n\n';
  }
  return sections.map(({ place: _place, ...segment }, index) => ({ ...segment, raw: raws[index]! }));
}

function compositionOf(
  sections: readonly Section[],
  known: readonly KnownSegment[],
  context: BlockContext,
): Composition {
  const isClassic = known.length > 0 && !known.some(({ raw }) => hasBlocks(raw));
  if (!isClassic) return { known, context, isClassic, written: (raw) => raw };
  const needsBlocks = sections.some(({ type }) => type === 'posts-list');
  if (needsBlocks) return { known: [], context, isClassic: false, written: (raw) => raw };
  return { known, context, isClassic, written: asClassic };
}

/**
 * The sections as block markup. Those whose fields are as known are written byte for byte as they were, and so are the
 * unchanged blocks of a `text` section; others are written anew. The `raw` of `known`, joined, is `raw`. Content without
 * blocks stays without them, except that a list of posts makes all of it blocks: WordPress knows it in no other way.
 */
export function composeContent(
  sections: readonly Section[],
  known: readonly KnownSegment[],
  context: BlockContext,
): ComposedContent {
  const composition = compositionOf(sections, known, context);
  const composed: Composed[] = [];
  for (const [index, section] of sections.entries()) {
    composed.push(composedSection(section, composed.at(-1), index === sections.length - 1, composition));
  }
  const segments = separated(composed);
  return { raw: segments.map(({ raw }) => raw).join(''), known: segments };
}

/** Name of a section for matching: its heading or similar. */
function nameOf({ type, fields }: Segment): string {
  const { heading, src, quote } = fields;
  return JSON.stringify([type, heading ?? src ?? quote ?? '']);
}

/** How a section is recognized, the surest first. */
const keys: readonly ((segment: Segment) => string)[] = [({ raw }) => raw.trim(), nameOf, ({ type }) => type];

/** For each segment the known one that it is, found in order between those that are certain already. */
function align(known: readonly KnownSegment[], segments: readonly Segment[]): Map<number, number> {
  const certain = new Map<number, number>();
  for (const key of keys) {
    let [fromKnown, from] = [0, 0];
    const ends = [...certain].toSorted(([a], [b]) => a - b);
    for (const [to, toKnown] of [...ends, [segments.length, known.length] as const]) {
      const found = matchInOrder(known.slice(fromKnown, toKnown).map(key), segments.slice(from, to).map(key));
      for (const [index, at] of found) certain.set(from + index, fromKnown + at);
      [from, fromKnown] = [to + 1, toKnown + 1];
    }
  }
  return certain;
}

/** Sections that were moved past others: the same markup at another place. */
function moved(known: readonly KnownSegment[], segments: readonly Segment[], inPlace: ReadonlyMap<number, number>) {
  const taken = new Set(inPlace.values());
  const left = new Map<string, number[]>();
  for (const [index, { raw }] of known.entries()) {
    if (!taken.has(index)) left.set(raw.trim(), [...(left.get(raw.trim()) ?? []), index]);
  }
  return segments.flatMap(({ raw }, index) => {
    const at = inPlace.has(index) ? undefined : left.get(raw.trim())?.shift();
    return at === undefined ? [] : [[index, at] as const];
  });
}

/**
 * The segments of a content that somebody changed in its CMS, each with the id of the section that it was: the same
 * markup first, wherever it stands now, then what is called the same at the same place, then the same type there. What
 * is new gets `newId()`.
 */
export function alignSections(
  known: readonly KnownSegment[],
  segments: readonly Segment[],
  newId: () => string,
): KnownSegment[] {
  const same = matchInOrder(
    known.map(({ raw }) => raw.trim()),
    segments.map(({ raw }) => raw.trim()),
  );
  const movedAway = new Map(moved(known, segments, same));
  const goneFrom = new Set(movedAway.values());
  const stayed = known.filter((_, index) => !goneFrom.has(index));
  const rest = segments.map((segment, index) => ({ segment, index })).filter(({ index }) => !movedAway.has(index));
  const aligned = align(
    stayed,
    rest.map(({ segment }) => segment),
  );
  const idOf = new Map(rest.map(({ index }, at) => [index, stayed[aligned.get(at) ?? -1]?.sectionId]));
  return segments.map((segment, index) => {
    const movedFrom = known[movedAway.get(index) ?? -1]?.sectionId;
    return { ...segment, sectionId: movedFrom ?? idOf.get(index) ?? newId() };
  });
}
