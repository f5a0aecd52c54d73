import type { EntryItem } from '#server/core/site/site-lists';

/** True for a page itself and all pages below it. */
export function isBelow(id: string | undefined, above: string, entries: readonly EntryItem[]): boolean {
  const seen = new Set<string>();
  for (let at = id; at !== undefined && !seen.has(at); at = entries.find((each) => each.id === at)?.parent) {
    if (at === above) return true;
    seen.add(at);
  }
  return false;
}
