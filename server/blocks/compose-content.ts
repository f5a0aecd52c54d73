import { group } from '#server/blocks/block-markup';
import { asClassic, cutBlocks, hasBlocks, isOpenAtEnd } from '#server/blocks/block-scan';
import { editSection, groupIn } from '#server/blocks/edit-section';
import { editText, type Writing } from '#server/blocks/edit-text';
import { matchInOrder } from '#server/blocks/paired-lists';
import { type ReadSegment, readSegments, residueOf, contentOf, type KnownSegment } from '#server/blocks/read-segments';
import { textBlocks, writeSection } from '#server/blocks/section-blocks';
import type { Section } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { sameJson } from '#server/core/json';
import type { SectionFields } from '#server/core/section-fields';
import type { BlockContext } from '#server/blocks/block-context';

type TextFields = SectionFields<'text'>;

/** Content to send to the site, and what it is made of. */
export interface ComposedContent {
  readonly raw: string;
  readonly known: KnownSegment[];
}

/** Markup that a section had before; undefined: none is known. */
export type FormerMarkup = (section: Section) => string | undefined;

/** A part of the content that is composed. */
interface Part {
  /** Null: what stood between sections that are gone, and stays. */
  readonly section: Section | null;
  readonly raw: string;
  /** Place among what was known, where it stands as it stood there; undefined: it is new, or somewhere else. */
  readonly place?: number;
  /** True if it was not there before. */
  readonly isNew?: boolean;
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

/** A section's markup in a group, which separates it from its neighbours. */
function apart(section: Section, raw: string, { context, isClassic, written }: Writing): string {
  const mark = `throughline-${section.type}`;
  if (section.type === 'quote' && !isClassic) return group(mark, [raw.trim()]);
  if (section.type !== 'text') return written(writeSection(section, context));
  // In content without blocks, empty lines part no paragraphs inside of an element.
  const blocks = isClassic ? textBlocks(section.fields as TextFields, context) : [raw.trim()];
  return written(group(mark, blocks));
}

/** Tells whether blocks are read as one text section; blocks that show nothing become part of the one before. */
function isReadAsText(raw: string, heading: string | undefined, context: BlockContext): boolean {
  const [segment, ...others] = readSegments(raw, context);
  return others.length === 0 && segment?.parts !== undefined && segment.fields['heading'] === heading;
}

/** A known section as it is read again: with the silence around it told apart. */
function readAgain({ raw, type, fields }: KnownSegment, context: BlockContext): ReadSegment {
  const [segment, ...others] = readSegments(raw, context);
  const isOne = segment !== undefined && others.length === 0;
  return isOne ? segment : { raw, type, fields, lead: '', tail: '' };
}

function coreOf({ raw, lead, tail }: ReadSegment): string {
  return raw.slice(lead.length, raw.length - tail.length);
}

/** A text that we had put into a group, edited block by block inside of it; null where it holds more than one text. */
function editedInGroup(segment: ReadSegment, was: TextFields, fields: TextFields, writing: Writing): string | null {
  const core = coreOf(segment);
  const outer = groupIn(core);
  if (outer === null) return null;
  const { opening, closing } = outer;
  const [inner, ...others] = readSegments(core.slice(opening.length, core.length - closing.length), writing.context);
  const raw = inner === undefined || others.length > 0 ? null : editText(inner, was, fields, writing);
  if (raw === null) return null;
  const whole = segment.lead + opening + raw + closing + segment.tail;
  const [read, ...more] = readSegments(whole, writing.context);
  const isOne = read?.type === 'text' && more.length === 0 && read.fields['heading'] === fields.heading;
  return isOne ? whole : null;
}

function editedText(section: Section, former: KnownSegment, segment: ReadSegment, writing: Writing): string {
  const [was, fields] = [former.fields, section.fields] as [TextFields, TextFields];
  const isText = former.type === 'text';
  const inGroup = isText && segment.parts === undefined ? editedInGroup(segment, was, fields, writing) : null;
  if (inGroup !== null) return inGroup;
  const raw = (isText ? editText(segment, was, fields, writing) : null) ?? writtenAnew(section, writing);
  return isReadAsText(raw, fields.heading, writing.context) ? raw : apart(section, raw, writing);
}

function writtenAnew(section: Section, writing: Writing): string {
  const raw = writing.written(writeSection(section, writing.context));
  if (section.type !== 'text') return raw;
  const { heading } = section.fields as TextFields;
  return isReadAsText(raw, heading, writing.context) ? raw : apart(section, raw, writing);
}

/** A known section that says something else now, with the silence around it. */
function edited(section: Section, former: KnownSegment, writing: Writing): string {
  if (former.type !== section.type) return writtenAnew(section, writing);
  const segment = readAgain(former, writing.context);
  if (section.type === 'text') return editedText(section, former, segment, writing);
  const before: Section = { id: section.id, type: former.type, fields: former.fields };
  return segment.lead + editSection(coreOf(segment), before, section, writing) + segment.tail;
}

/** The places of known sections that stay where they are, in this order of sections. */
function stayingPlaces(sections: readonly Section[], known: readonly KnownSegment[]): Set<number> {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
  const before = known.map(({ sectionId }) => ({ id: sectionId }));
  return new Set(matchInOrder(ids(before), ids(sections)).values());
}

interface Composition extends Writing {
  readonly known: readonly KnownSegment[];
  readonly former: FormerMarkup;
}

function isSame(section: Section, former: KnownSegment): boolean {
  return former.type === section.type && sameJson(former.fields, section.fields);
}

/** What stands behind broken markup would become a part of it. */
function brokenBefore({ id }: Section): InvalidInputError {
  return new InvalidInputError(
    `Not done: the last part of this content (section ${id}) has broken markup in WordPress: a block in it never closes, or closes once too often. What is put behind it would become a part of it. Put it before that part, or repair it in WordPress's editor.`,
  );
}

/** One section in its markup. */
function partOf(section: Section, isLast: boolean, staying: ReadonlySet<number>, composition: Composition): Part {
  const { known, former, context } = composition;
  const place = known.findIndex(({ sectionId }) => sectionId === section.id);
  const present = known[place];
  const isStaying = staying.has(place);
  const mayStay = (raw: string) => isLast || !isOpenAtEnd(raw);
  if (present !== undefined && !mayStay(present.raw)) throw brokenBefore(section);
  if (present !== undefined && isSame(section, present)) {
    return isStaying ? { section, raw: present.raw, place } : { section, raw: coreOf(readAgain(present, context)) };
  }
  const kept = former(section);
  if (kept !== undefined && mayStay(kept)) return { section, raw: kept, ...(isStaying && { place }) };
  if (present === undefined && kept !== undefined) throw brokenBefore(section);
  if (present === undefined) return { section, raw: writtenAnew(section, composition), isNew: true };
  const raw = edited(section, present, composition);
  return isStaying ? { section, raw, place } : { section, raw: raw.trim() };
}

/** All parts in their order: a section that is new or was moved stands right before the next one that stays. */
function partsOf(sections: readonly Section[], composition: Composition): Part[] {
  const { known, context } = composition;
  const staying = stayingPlaces(sections, known);
  const residue = (from: number, to: number): Part[] =>
    known
      .slice(from, to)
      .flatMap((segment) => residueOf(readAgain(segment, context)).map((raw) => ({ section: null, raw })));
  const parts: Part[] = [];
  let waiting: Part[] = [];
  let done = 0;
  for (const [index, section] of sections.entries()) {
    const part = partOf(section, index === sections.length - 1, staying, composition);
    const place = known.findIndex(({ sectionId }) => sectionId === section.id);
    if (!staying.has(place)) {
      waiting.push(part);
      continue;
    }
    parts.push(...residue(done, place), ...waiting, part);
    waiting = [];
    done = place + 1;
  }
  return [...parts, ...residue(done, known.length), ...waiting];
}

/**
 * Joins what did not stand together by an empty line: it belongs to what is new, so that what was there is as it was
 * once that is gone again. What is between sections becomes a part of the one before.
 */
function separated(parts: readonly Part[]): KnownSegment[] {
  const raws = parts.map(({ raw }) => raw);
  for (const [index, next] of parts.entries()) {
    const part = parts[index - 1];
    if (part === undefined || (part.place !== undefined && next.place === part.place + 1)) continue;
    if (raws[index - 1]!.endsWith('\n') || raws[index]!.startsWith('\n')) continue;
    if (part.place !== undefined && next.place === undefined) raws[index] = `\n\n${raws[index]}`;
    else raws[index - 1] += '\n\n';
  }
  const segments: KnownSegment[] = [];
  let lead = '';
  for (const [index, { section }] of parts.entries()) {
    const last = segments.at(-1);
    if (section !== null) {
      const { id: sectionId, type, fields } = section;
      segments.push({ sectionId, type, fields, raw: lead + raws[index]! });
      lead = '';
    } else if (last === undefined) lead += raws[index];
    else segments[segments.length - 1] = { ...last, raw: last.raw + raws[index]! };
  }
  return segments;
}

/** A new section that would be read as one with a neighbour gets a group of its own; what was there stays as it is. */
function keptApart(parts: readonly Part[], composition: Composition): Part[] {
  const { context } = composition;
  const result: Part[] = [];
  for (const [index, part] of parts.entries()) {
    const { section, raw, isNew = false } = part;
    const previous = result.findLast((one) => one.section !== null);
    const next = parts.slice(index + 1).find((one) => one.section !== null);
    const isJoined =
      (previous !== undefined && growsTogether(previous.raw, raw, context)) ||
      (next !== undefined && next.isNew !== true && growsTogether(raw, next.raw, context));
    result.push(isNew && section !== null && isJoined ? { ...part, raw: apart(section, raw, composition) } : part);
  }
  return result;
}

function compositionOf(
  sections: readonly Section[],
  known: readonly KnownSegment[],
  context: BlockContext,
  former: FormerMarkup,
): Composition {
  const isClassic = known.length > 0 && !known.some(({ raw }) => hasBlocks(raw));
  if (!isClassic) return { known, context, former, isClassic, written: (raw) => raw };
  const needsBlocks = sections.some(({ type }) => type === 'posts-list');
  if (!needsBlocks) return { known, context, former, isClassic, written: asClassic };
  return { known: [], context, former: () => undefined, isClassic: false, written: (raw) => raw };
}

/**
 * The sections as block markup. Those whose fields are as known are written byte for byte as they were; of others only
 * the words and attributes that say something else now are changed, and new ones are written anew. What shows nothing
 * (spacers, the end of a teaser) stays where it is. The `raw` of `known`, joined, is `raw`. Content without blocks stays
 * without them, except that a list of posts makes all of it blocks: WordPress knows it in no other way.
 * @param former markup of sections that were otherwise before
 * @throws InvalidInputError where a section could only be written anew, and would lose something by it; and where
 * something would stand behind broken markup
 */
export function composeContent(
  sections: readonly Section[],
  known: readonly KnownSegment[],
  context: BlockContext,
  former: FormerMarkup = () => undefined,
): ComposedContent {
  const composition = compositionOf(sections, known, context, former);
  const segments = separated(keptApart(partsOf(sections, composition), composition));
  return { raw: contentOf(segments), known: segments };
}
