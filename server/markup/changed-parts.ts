import { diffArrays } from 'diff';

/**
 * Maximum number of insertions and deletions to search for, because the time of the search is quadratic in their number.
 */
const MAX_EDITS = 1_000;

/** A run of items that both lists contain, or only one of them. For an item in both, the later version. */
export interface ListPart<T> {
  readonly kind: 'same' | 'added' | 'removed';
  readonly items: readonly T[];
}

/**
 * The differences between two lists, in order. The common beginning and end are always found; with more than 1,000
 * differences between them, everything in between counts as replaced.
 */
export function changedParts<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (one: T, other: T) => boolean = (one, other) => one === other,
): ListPart<T>[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start]!, after[start]!)) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(before.at(-1 - end)!, after.at(-1 - end)!)) end += 1;
  const parts: ListPart<T>[] = [
    { kind: 'same', items: after.slice(0, start) },
    ...middleParts(before.slice(start, before.length - end), after.slice(start, after.length - end), isSame),
    { kind: 'same', items: after.slice(after.length - end) },
  ];
  return parts.filter(({ items }) => items.length > 0);
}

function middleParts<T>(before: T[], after: T[], isSame: (one: T, other: T) => boolean): ListPart<T>[] {
  const parts = diffArrays(before, after, { comparator: isSame, maxEditLength: MAX_EDITS });
  if (!parts) {
    return [
      { kind: 'removed', items: before },
      { kind: 'added', items: after },
    ];
  }
  return parts.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    items: value,
  }));
}
