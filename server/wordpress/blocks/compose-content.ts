import { serverText } from '#server/core/messages/server-text';
import { group } from '#server/wordpress/blocks/block-markup';
import { asClassic, cutBlocks, hasBlocks, isOpenAtEnd } from '#server/wordpress/blocks/source/block-scan';
import { editSection, groupIn } from '#server/wordpress/blocks/edit-section';
import { editText, type Writing } from '#server/wordpress/blocks/edit-text';
import { framedMarkup, withFormerMarkup } from '#server/wordpress/blocks/invisible-content';
import { matchInOrder } from '#server/wordpress/blocks/paired-lists';
import {
  type ReadSegment,
  readSegments,
  residueOf,
  contentOf,
  type KnownSegment,
} from '#server/wordpress/blocks/read-segments';
import { classesFor, writeSection } from '#server/wordpress/blocks/section-blocks';
import { textBlocks } from '#server/wordpress/blocks/text-blocks';
import type { Section } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { sameJson } from '#server/core/json';
import type { SectionFields } from '#server/core/site/section-fields';
import type { BlockContext } from '#server/wordpress/blocks/block-context';

type TextFields = SectionFields<'text'>;

/** Content to send to the site, and the segments that it consists of. */
export interface ComposedContent {
  readonly raw: string;
  readonly known: KnownSegment[];
}

/** Markup that a section had when it last had these fields; undefined: unknown. */
export type FormerMarkup = (section: Section) => string | undefined;

/** A part of the content that is being composed. */
interface Part {
  /** Null: markup between removed sections, which is kept. */
  readonly section: Section | null;
  readonly raw: string;
  /** Index in the known content, if the part is still at the same place; undefined: it is new, or somewhere else. */
  readonly place?: number;
  /** True if it did not exist before. */
  readonly isNew?: boolean;
}

/** True if two consecutive pieces of content are read differently than each alone, for example as one section. */
function isReadTogether(first: string, second: string, context: BlockContext): boolean {
  const count = (raw: string) => readSegments(raw, context).length;
  const [end, start] = [edge(first, -EDGE_BLOCKS), edge(second, 0, EDGE_BLOCKS)];
  return count(`${end}\n\n${start}`) !== count(end) + count(start);
}

/** Number of blocks, and pieces between them, that determine how a content begins or ends. */
const EDGE_BLOCKS = 6;

function edge(raw: string, from: number, to?: number): string {
  return cutBlocks(raw)
    .slice(from, to)
    .map((piece) => piece.raw)
    .join('');
}

/** A section's markup in a group, which separates it from its neighbours. */
function inSeparateGroup(section: Section, raw: string, { context, isClassic, written }: Writing): string {
  const mark = classesFor(section);
  if (section.type === 'quote' && !isClassic) return group(mark, [raw.trim()]);
  if (section.type !== 'text') return written(writeSection(section, context));
  // In content without blocks, empty lines do not separate paragraphs inside an element.
  const blocks = isClassic ? textBlocks(section.fields as TextFields, context) : [raw.trim()];
  return written(group(mark, blocks));
}

/** True if blocks are read as one text section; blocks that show nothing become part of the one before. */
function isReadAsText(raw: string, heading: string | undefined, context: BlockContext): boolean {
  const [segment, ...others] = readSegments(raw, context);
  return others.length === 0 && segment?.parts !== undefined && segment.fields['heading'] === heading;
}

/** Reads the markup of a known section again, to find the invisible markup at its ends. */
function readAgain({ raw, type, fields }: KnownSegment, context: BlockContext): ReadSegment {
  const [segment, ...others] = readSegments(raw, context);
  const isOne = segment !== undefined && others.length === 0;
  return isOne ? segment : { raw, type, fields, lead: '', tail: '' };
}

function coreOf({ raw, lead, tail }: ReadSegment): string {
  return raw.slice(lead.length, raw.length - tail.length);
}

/** Edits a text section that is inside a separating group, block by block. Null if the group contains more than one text. */
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
  if (was.layout !== fields.layout) {
    // Its neighbours were written for a text in a group.
    const raw = writing.written(writeSection(section, writing.context));
    return segment.lead + (fields.layout === undefined ? inSeparateGroup(section, raw, writing) : raw) + segment.tail;
  }
  const isText = former.type === 'text';
  const inGroup = isText && segment.parts === undefined ? editedInGroup(segment, was, fields, writing) : null;
  if (inGroup !== null) return inGroup;
  const raw = isText ? editText(segment, was, fields, writing) : null;
  if (raw === null) return segment.lead + writeNew(section, writing) + segment.tail;
  if (isReadAsText(raw, fields.heading, writing.context)) return raw;
  const { lead, core, tail } = framedMarkup(raw);
  return lead + inSeparateGroup(section, core, writing) + tail;
}

function writeNew(section: Section, writing: Writing): string {
  const raw = writing.written(writeSection(section, writing.context));
  if (section.type !== 'text') return raw;
  const { heading, layout } = section.fields as TextFields;
  if (layout !== undefined) return raw;
  return isReadAsText(raw, heading, writing.context) ? raw : inSeparateGroup(section, raw, writing);
}

/** A known section with changed content, and the invisible markup around it. */
function editKnownSection(section: Section, former: KnownSegment, writing: Writing): string {
  const segment = readAgain(former, writing.context);
  if (former.type !== section.type) return segment.lead + writeNew(section, writing) + segment.tail;
  if (section.type === 'text') return editedText(section, former, segment, writing);
  const before: Section = { id: section.id, type: former.type, fields: former.fields };
  return segment.lead + editSection(coreOf(segment), before, section, writing) + segment.tail;
}

/** The indexes of known sections that keep their places in this order of sections. */
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

/** Markup after broken markup would become a part of it. */
function brokenBefore({ id }: Section): InvalidInputError {
  return new InvalidInputError(serverText('wordpress-broken-part', { id }));
}

/** The markup of one section. */
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
  if (kept !== undefined && mayStay(kept)) {
    if (present === undefined || !isStaying) return { section, raw: framedMarkup(kept).core };
    return { section, raw: withFormerMarkup(present.raw, kept), place };
  }
  if (present === undefined && kept !== undefined) throw brokenBefore(section);
  if (present === undefined) return { section, raw: writeNew(section, composition), isNew: true };
  const raw = editKnownSection(section, present, composition);
  return isStaying ? { section, raw, place } : { section, raw: raw.trim() };
}

/** All parts in order: a new or moved section comes directly before the next one that keeps its place. */
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
 * Joins parts that were not adjacent with an empty line. The line belongs to the new part, so that the old markup is
 * unchanged once the new part is removed again. Markup between sections becomes a part of the one before.
 */
function joinParts(parts: readonly Part[]): KnownSegment[] {
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

/**
 * Puts a new section that would be read as one with a neighbour into a separate group; existing markup does not change.
 */
function separateNewSections(parts: readonly Part[], composition: Composition): Part[] {
  const { context } = composition;
  const result: Part[] = [];
  for (const [index, part] of parts.entries()) {
    const { section, raw, isNew = false } = part;
    const previous = result.findLast((one) => one.section !== null);
    const next = parts.slice(index + 1).find((one) => one.section !== null);
    const isJoined =
      (previous !== undefined && isReadTogether(previous.raw, raw, context)) ||
      (next !== undefined && next.isNew !== true && isReadTogether(raw, next.raw, context));
    result.push(
      isNew && section !== null && isJoined ? { ...part, raw: inSeparateGroup(section, raw, composition) } : part,
    );
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
 * The sections as block markup. Sections with unchanged fields keep their markup byte for byte; in others only the
 * changed words and attributes are rewritten, and new sections are generated. Markup that shows nothing (spacers, the
 * end of a teaser) keeps its place. The `raw` of `known`, joined, is `raw`. Content without blocks remains without
 * them, except that a list of posts turns all of it into blocks, because WordPress supports it in no other form.
 * @param former markup of sections that were different before
 * @throws InvalidInputError if a section could only be regenerated and would lose something, and if a section would be
 * placed after broken markup
 */
export function composeContent(
  sections: readonly Section[],
  known: readonly KnownSegment[],
  context: BlockContext,
  former: FormerMarkup = () => undefined,
): ComposedContent {
  const composition = compositionOf(sections, known, context, former);
  const segments = joinParts(separateNewSections(partsOf(sections, composition), composition));
  return { raw: contentOf(segments), known: segments };
}
