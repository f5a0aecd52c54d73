import { cutBlocks } from '#server/blocks/block-scan';
import { coreOf } from '#server/blocks/invisible-content';
import { type ClassicContext, cutClassic } from '#server/blocks/classic-pieces';
import { matchInOrder } from '#server/blocks/paired-lists';
import { Reading } from '#server/blocks/read-piece';
import { readSegments, type KnownSegment, type Segment } from '#server/blocks/read-segments';
import { MAX_SECTIONS } from '#server/content/entry-document';

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

interface Place {
  readonly start: number;
  readonly end: number;
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
  const cores = known.map((segment) => coreOf(segment.raw)).filter((core) => core !== '');
  for (const core of cores.toSorted((a, b) => b.length - a.length)) {
    for (let start = raw.indexOf(core); start >= 0; start = raw.indexOf(core, start + 1)) {
      const place = { start, end: start + core.length };
      if (places.some((other) => other.start < place.end && place.start < other.end) || !isEdge(place)) continue;
      places.push(place);
      break;
    }
  }
  return places.toSorted((a, b) => a.start - b.start);
}

/**
 * The content as sections, cut where the known ones that are still there begin and end: two texts in a row, for example,
 * stay two. @returns null where that are too many
 */
function cutAsKnown(known: readonly KnownSegment[], raw: string, context: ClassicContext): Segment[] | null {
  const reading = new Reading();
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
  const byCore = new Map(known.map((segment) => [coreOf(segment.raw), segment]));
  let done = 0;
  for (const { start, end } of placesOf(known, raw)) {
    addBetween(raw.slice(done, start));
    const core = raw.slice(start, end);
    const { type, fields } = byCore.get(core)!;
    add({ raw: core, type, fields });
    done = end;
  }
  addBetween(raw.slice(done));
  const isWhole = segments.length <= MAX_SECTIONS && lead === '';
  return isWhole ? segments : null;
}

/** Sections of a content that somebody may have changed in its CMS, each as the known one that it is. */
export function readKnown(
  known: readonly KnownSegment[],
  raw: string,
  context: ClassicContext,
  newId: () => string,
): KnownSegment[] {
  const segments = (known.length === 0 ? null : cutAsKnown(known, raw, context)) ?? readSegments(raw, context);
  return alignSections(known, segments, newId).map(({ sectionId, raw: own, type, fields }) => {
    const same = known.find((segment) => segment.sectionId === sectionId && coreOf(segment.raw) === coreOf(own));
    // The same markup stays the section that it was made of, to the letter.
    return { sectionId, raw: own, type: same?.type ?? type, fields: same?.fields ?? fields };
  });
}

/** Name of a section for matching: its heading or similar. */
function nameOf({ type, fields }: Segment): string {
  const { heading, src, quote } = fields;
  return JSON.stringify([type, heading ?? src ?? quote ?? '']);
}

/** Keys to recognize a section, the surest first. */
const keys: readonly ((segment: Segment) => string)[] = [({ raw }) => coreOf(raw), nameOf, ({ type }) => type];

/** Index of the known segment that each segment is, found in order between those that are certain already. */
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
    if (!taken.has(index)) left.set(coreOf(raw), [...(left.get(coreOf(raw)) ?? []), index]);
  }
  return segments.flatMap(({ raw }, index) => {
    const at = inPlace.has(index) ? undefined : left.get(coreOf(raw))?.shift();
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
    known.map(({ raw }) => coreOf(raw)),
    segments.map(({ raw }) => coreOf(raw)),
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
