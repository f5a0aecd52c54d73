import { linkedPath } from '#server/site/entry-links';
import type { NavigationItem } from '#server/core/site/content';
import type { Design } from '#server/core/site/design/design';
import type { PathMatch } from '#server/site/content-backend';
import type { SiteState } from '#server/site/site-paths';
import { isReadableAddress, POSTS_SEGMENT } from '#server/core/addresses';
import type { ManualRedirect } from '#server/core/site/manual-redirects';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/** Looks up a path, as `ContentBackend.findByPath` does. */
export type FindByPath = (path: string, state: SiteState) => Promise<PathMatch | null>;

/** Why visitors find nothing; `title`: of the draft. */
interface DeadEnd {
  readonly why: 'address' | 'draft' | 'none';
  readonly title: string;
}

/**
 * Why visitors find nothing at an address of the site: it leads to a draft, or to no entry at all. Null: they find
 * something, or the address is on another site.
 */
async function deadEnd(href: string, find: FindByPath): Promise<DeadEnd | null> {
  if (!isReadableAddress(href)) return { why: 'address', title: '' };
  const path = linkedPath(href);
  if (path === null || path === `/${POSTS_SEGMENT}`) return null;
  const shown = await find(path, 'published');
  if (shown && shown.kind !== 'gone') return null;
  const match = await find(path, 'draft');
  return match?.kind === 'entry'
    ? { why: 'draft', title: shortTitle(match.entry.draft.title) }
    : { why: 'none', title: '' };
}

/** Largest number of addresses that are checked in one write, because each check reads the site. */
const MAX_CHECKED = 50;

/** Notes about redirects that lead visitors nowhere; only the first fifty redirects are checked. */
export async function deadRedirects(redirects: readonly ManualRedirect[], find: FindByPath): Promise<ServerText[]> {
  const notes: ServerText[] = [];

  for (const { from, to } of redirects.slice(0, MAX_CHECKED)) {
    const why = await deadEnd(to, find);
    if (why !== null) notes.push(serverText('redirect-to-nowhere', { from, to, ...why }));
  }
  return notes;
}

/** A link of the menu, or of the footer. */
type SiteLink = Omit<NavigationItem, 'children'>;

/** Notes about new links that lead visitors nowhere; only the first fifty new links are checked. */
export async function deadSiteLinks(
  before: readonly SiteLink[],
  after: readonly SiteLink[],
  find: FindByPath,
): Promise<ServerText[]> {
  const known = new Set(before.map(({ href }) => href));
  const notes: ServerText[] = [];
  for (const { label, href } of after.filter((link) => !known.has(link.href)).slice(0, MAX_CHECKED)) {
    const why = await deadEnd(href, find);
    if (why !== null) notes.push(serverText('menu-item-to-nowhere', { label, href, ...why }));
  }
  return notes;
}

/** The links in the footer of a design, in order. */
export function footerLinks(design: Design | null): SiteLink[] {
  return (design?.footer.columns ?? []).flatMap(({ links }) => links);
}

/** The items of a menu and their children as one list, in order. */
export function flatItems(items: readonly NavigationItem[]): NavigationItem[] {
  return items.flatMap((item) => [item, ...flatItems(item.children ?? [])]);
}
