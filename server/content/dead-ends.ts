import { linkedPath } from '#server/content/entry-links';
import type { NavigationItem } from '#server/core/content';
import type { PathMatch } from '#server/content/content-backend';
import type { SiteState } from '#server/content/site-paths';
import { type LeadsOn, POSTS_SEGMENT } from '#server/core/addresses';

/** Looks up a path, as `ContentBackend.findByPath` does. */
type FindByPath = (path: string, state: SiteState) => Promise<PathMatch | null>;

/** Why visitors find nothing at an address of the site: a draft is there, or nothing. Null: they do, or it is elsewhere. */
async function deadEnd(href: string, find: FindByPath): Promise<string | null> {
  const path = linkedPath(href);
  if (path === null || path === `/${POSTS_SEGMENT}`) return null;
  const shown = await find(path, 'published');
  if (shown && shown.kind !== 'gone') return null;
  const match = await find(path, 'draft');
  return match?.kind === 'entry' ? `"${match.entry.draft.title}" is a draft` : 'there is no such page';
}

const MOST_CHECKED = 50;

/** Says of redirects, the first fifty of them, which lead visitors nowhere. */
export async function deadRedirects(redirects: readonly LeadsOn[], find: FindByPath): Promise<string[]> {
  const notes: string[] = [];
  // Each looks the site over: who pastes a thousand is told of the first.
  for (const { from, to } of redirects.slice(0, MOST_CHECKED)) {
    const why = await deadEnd(to, find);
    if (why !== null) notes.push(`The redirect from ${from} to ${to} leads visitors nowhere: ${why}.`);
  }
  return notes;
}

/** Says of the items that are new in a menu, the first fifty of them, which lead visitors nowhere. */
export async function deadItems(
  before: readonly NavigationItem[],
  after: readonly NavigationItem[],
  find: FindByPath,
): Promise<string[]> {
  const known = new Set(flatItems(before).map(({ href }) => href));
  const notes: string[] = [];
  for (const { label, href } of flatItems(after)
    .filter((item) => !known.has(item.href))
    .slice(0, MOST_CHECKED)) {
    const why = await deadEnd(href, find);
    if (why !== null) notes.push(`${label} (${href}) leads visitors nowhere: ${why}.`);
  }
  return notes;
}

/** The items of a menu with those below them, in their order. */
export function flatItems(items: readonly NavigationItem[]): NavigationItem[] {
  return items.flatMap((item) => [item, ...flatItems(item.children ?? [])]);
}
