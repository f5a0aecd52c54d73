import { changedParts } from '#server/markup/changed-parts';

/** An item of one list and its counterpart in the other; null: it is in only one of them. */
export type Pair<A, B = A> = readonly [A | null, B | null];

/** Comparison of two items. */
export interface Comparison<A, B = A> {
  /** True if the items are equal. */
  isSame(one: A, other: B): boolean;
  /** True if one item may be the changed form of the other. */
  mayPair(one: A, other: B): boolean;
  /** Share that is equal, from 0 to 1. */
  similarity(one: A, other: B): number;
}

/** Items with at least this similarity count as the same item, changed. */
const ALIKE = 0.3;

/** Largest number of comparisons for two lists; longer lists are paired only if as many items were added as removed. */
const MAX_COMPARISONS = 2_500;

/** Pairs of two lists in order: equal items, and the most similar ones among the others. */
export function pairedLists<A, B>(from: readonly A[], to: readonly B[], comparison: Comparison<A, B>): Pair<A, B>[] {
  const pairs: Pair<A, B>[] = [];
  let [gone, come]: [A[], B[]] = [[], []];
  let [was, is] = [0, 0];
  const isSame = (one: A | B, other: A | B) => comparison.isSame(one as A, other as B);
  const settle = () => {
    pairs.push(...alikeInOrder(gone, come, comparison));
    [gone, come] = [[], []];
  };
  for (const { kind, items } of changedParts<A | B>(from, to, isSame)) {
    if (kind === 'same') settle();
    for (let n = 0; n < items.length; n += 1) {
      if (kind === 'same') pairs.push([from[was + n]!, to[is + n]!]);
      if (kind === 'removed') gone.push(from[was + n]!);
      if (kind === 'added') come.push(to[is + n]!);
    }
    if (kind !== 'added') was += items.length;
    if (kind !== 'removed') is += items.length;
  }
  settle();
  return pairs;
}

/** The items of a list in the order of another list with the same items; null if the items differ. */
export function inOrderOf<A, B>(from: readonly A[], to: readonly B[], isSame: Comparison<A, B>['isSame']): A[] | null {
  const left = [...from];
  const found = to.flatMap((item) => {
    const at = left.findIndex((one) => isSame(one, item));
    return at < 0 ? [] : left.splice(at, 1);
  });
  return left.length === 0 && found.length === to.length ? found : null;
}

/** Pairs of unequal items, each with the most similar one. */
export function alikeInOrder<A, B>(
  from: readonly A[],
  to: readonly B[],
  { mayPair, similarity }: Pick<Comparison<A, B>, 'mayPair' | 'similarity'>,
): Pair<A, B>[] {
  const isTooMuch = from.length * to.length > MAX_COMPARISONS;
  const isSure = from.length === to.length && from.every((item, n) => mayPair(item, to[n]!));
  const like = (a: number, b: number) => {
    if (!mayPair(from[a]!, to[b]!)) return 0;
    if (isTooMuch) return isSure && a === b ? 1 : 0;
    const found = similarity(from[a]!, to[b]!);
    // If as many items were added as removed, each added one is the changed form of a removed one.
    return isSure && a === b ? found + ALIKE : found >= ALIKE ? found : 0;
  };
  const likes = from.map((_, a) => to.map((__, b) => like(a, b)));
  const best = Array.from({ length: from.length + 1 }, () => Array.from({ length: to.length + 1 }, () => 0));
  for (let a = from.length - 1; a >= 0; a -= 1) {
    for (let b = to.length - 1; b >= 0; b -= 1) {
      const paired = likes[a]![b]! > 0 ? likes[a]![b]! + best[a + 1]![b + 1]! : 0;
      best[a]![b] = Math.max(paired, best[a + 1]![b]!, best[a]![b + 1]!);
    }
  }
  const pairs: Pair<A, B>[] = [];
  let [a, b] = [0, 0];
  while (a < from.length && b < to.length) {
    const isPaired = likes[a]![b]! > 0 && best[a]![b] === likes[a]![b]! + best[a + 1]![b + 1]!;
    if (isPaired) pairs.push([from[a++]!, to[b++]!]);
    else if (best[a]![b] === best[a + 1]![b]) pairs.push([from[a++]!, null]);
    else pairs.push([null, to[b++]!]);
  }
  return [
    ...pairs,
    ...from.slice(a).map((item) => [item, null] as const),
    ...to.slice(b).map((item) => [null, item] as const),
  ];
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
