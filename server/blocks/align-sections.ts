import { matchInOrder } from '#server/blocks/paired-lists';
import type { KnownSegment, Segment } from '#server/blocks/block-context';

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
