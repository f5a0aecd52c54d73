import { cutBlocks } from '#server/wordpress/blocks/source/block-scan';
import { coreOf } from '#server/wordpress/blocks/invisible-content';
import { meaningOf } from '#server/wordpress/blocks/markup-meaning';
import { type ClassicContext, cutClassic } from '#server/wordpress/blocks/classic-pieces';
import { matchInOrder } from '#server/wordpress/blocks/paired-lists';
import { ParseBudget } from '#server/wordpress/blocks/read-piece';
import { readSegments, type KnownSegment, type Segment } from '#server/wordpress/blocks/read-segments';
import { MAX_SECTIONS } from '#server/site/entry-document';

/** Places in a content at which a section can begin or end. */
function boundariesOf(raw: string): number[] {
  const boundaries = [0];
  let at = 0;
  for (const piece of cutBlocks(raw)) {
    const classic = piece.name === null && piece.raw.trim() !== '' ? cutClassic(piece.raw) : null;
    let inside = at;
    for (const { raw: part } of classic ?? []) boundaries.push((inside += part.length));
    boundaries.push((at += piece.raw.length));
  }
  return boundaries;
}

/** A range of a content: offsets. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** Key of a section's markup: without invisible markup at its ends, and equal for markup with the same meaning. */
function coreMeaning(raw: string): string {
  return meaningOf(coreOf(raw)).text;
}

/** Places of unchanged known sections, in the order of the content. */
function placesOf(known: readonly KnownSegment[], raw: string): Place[] {
  const boundaries = boundariesOf(raw);
  const isEdge = ({ start, end }: Place) => {
    const before = boundaries.findLast((boundary) => boundary <= start) ?? 0;
    const after = boundaries.find((boundary) => boundary >= end) ?? raw.length;
    return (raw.slice(before, start) + raw.slice(end, after)).trim() === '';
  };
  const places: Place[] = [];
  const { text, placeIn } = meaningOf(raw);
  const cores = known.map((segment) => coreMeaning(segment.raw)).filter((core) => core !== '');
  for (const core of cores.toSorted((a, b) => b.length - a.length)) {
    for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, at + 1)) {
      const place = { start: placeIn(at), end: placeIn(at + core.length) };
      if (places.some((other) => other.start < place.end && place.start < other.end) || !isEdge(place)) continue;
      places.push(place);
      break;
    }
  }
  return places.toSorted((a, b) => a.start - b.start);
}

/**
 * The content as sections, cut where the known sections that still exist begin and end: two consecutive texts, for
 * example, remain two.
 * @returns null if there would be more sections than an entry may have
 */
function cutAsKnown(known: readonly KnownSegment[], raw: string, context: ClassicContext): Segment[] | null {
  const reading = new ParseBudget();
  const segments: Segment[] = [];
  let lead = '';
  const add = (segment: Segment) => {
    segments.push({ ...segment, raw: lead + segment.raw });
    lead = '';
  };
  const addBetween = (between: string) => {
    const last = segments.at(-1);
    if (coreOf(between) !== '') readSegments(between, context, reading).forEach(add);
    else if (last === undefined) lead += between;
    else segments[segments.length - 1] = { ...last, raw: last.raw + between };
  };
  const byCore = new Map(known.map((segment) => [coreMeaning(segment.raw), segment]));
  let done = 0;
  for (const { start, end } of placesOf(known, raw)) {
    addBetween(raw.slice(done, start));
    const core = raw.slice(start, end);
    const { type, fields } = byCore.get(meaningOf(core).text)!;
    add({ raw: core, type, fields });
    done = end;
  }
  addBetween(raw.slice(done));
  const isWhole = segments.length <= MAX_SECTIONS && lead === '';
  return isWhole ? segments : null;
}

/**
 * The sections of a content that may have been edited in its CMS. A section that is recognized keeps its id; one with
 * unchanged markup also keeps its type and fields.
 * @param known the sections of the content before, in order
 * @param newId creates the id of a new section
 */
export function readKnown(
  known: readonly KnownSegment[],
  raw: string,
  context: ClassicContext,
  newId: () => string,
): KnownSegment[] {
  const segments = (known.length === 0 ? null : cutAsKnown(known, raw, context)) ?? readSegments(raw, context);
  return alignSections(known, segments, newId).map(({ sectionId, raw: own, type, fields }) => {
    const core = coreMeaning(own);
    const same = known.find((segment) => segment.sectionId === sectionId && coreMeaning(segment.raw) === core);
    // The same markup remains exactly the section from which it was generated.
    return { sectionId, raw: own, type: same?.type ?? type, fields: same?.fields ?? fields };
  });
}

/** Name of a section for matching: its heading or similar. */
function nameOf({ type, fields }: Segment): string {
  const { heading, src, quote } = fields;
  return JSON.stringify([type, heading ?? src ?? quote ?? '']);
}

/** Keys to recognize a section, the most reliable first. */
const keys: readonly ((segment: Segment) => string)[] = [({ raw }) => coreMeaning(raw), nameOf, ({ type }) => type];

/**
 * For each segment, the index of the matching known segment, searched in order between the matches that are already
 * certain.
 */
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

/** Sections that were moved past others: the same markup at another position. */
function moved(known: readonly KnownSegment[], segments: readonly Segment[], inPlace: ReadonlyMap<number, number>) {
  const taken = new Set(inPlace.values());
  const left = new Map<string, number[]>();
  for (const [index, { raw }] of known.entries()) {
    if (!taken.has(index)) left.set(coreMeaning(raw), [...(left.get(coreMeaning(raw)) ?? []), index]);
  }
  return segments.flatMap(({ raw }, index) => {
    const at = inPlace.has(index) ? undefined : left.get(coreMeaning(raw))?.shift();
    return at === undefined ? [] : [[index, at] as const];
  });
}

/**
 * The segments of a content that was edited in its CMS, each with the id of its former section: matched by the same
 * markup first, at any position, then by the same name at the same position, then by the same type there. New segments
 * get `newId()`.
 */
export function alignSections(
  known: readonly KnownSegment[],
  segments: readonly Segment[],
  newId: () => string,
): KnownSegment[] {
  const same = matchInOrder(
    known.map(({ raw }) => coreMeaning(raw)),
    segments.map(({ raw }) => coreMeaning(raw)),
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
