import { changedParts } from '#server/markup/changed-parts';

/** Share of the words that two texts have in common in the same order: 0 (none) to 1 (all); 1 for two texts without words. */
export function wordSimilarity(one: string, other: string): number {
  const [from = [], to = []] = [one, other].map((text) => text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
  if (from.length + to.length === 0) return 1;
  const kept = changedParts(from, to).reduce((sum, { kind, items }) => sum + (kind === 'same' ? items.length : 0), 0);
  return (2 * kept) / (from.length + to.length);
}
