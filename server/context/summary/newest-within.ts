/** The newest items (the last ones) that fit a budget together, in order. */
export function newestWithin<T>(items: readonly T[], budget: number, costOf: (item: T) => number): T[] {
  let left = budget;
  let first = items.length;
  for (const item of items.toReversed()) {
    left -= costOf(item);
    if (left < 0) break;
    first -= 1;
  }
  return items.slice(first);
}
