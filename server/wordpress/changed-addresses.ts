import { quotedTitle } from '#server/content/change-summary';
import type { ContentTransaction } from '#server/content/embedded/content-store';
import { placeReader } from '#server/content/embedded/entry-paths';
import { readNavigation } from '#server/content/embedded/site-document-writes';
import { linkedPath, linksOf } from '#server/content/entry-links';
import { pathOfPlace } from '#server/content/site-paths';
import { knownEntryOf, knownSettingsOf, type RemoteAddress, type SiteAccess } from '#server/wordpress/mirror';
import type { EntryDocument, NavigationItem } from '#server/core/content';
import { toJson } from '#server/core/json';

/** A path at which visitors found an entry until a write. */
export interface AbandonedPath {
  readonly path: string;
  readonly id: string;
}

/** Old addresses of one write that are tried as a visitor would; the others are not told of. */
const MAX_TRIED = 5;
const MAX_NAMED = 3;

/**
 * Leads the items of our menu that led to these paths to where their entries are now. It is still the same menu: the
 * journal does not have it.
 * @returns what is to be told
 */
export async function followInMenu(
  tx: ContentTransaction,
  abandoned: readonly AbandonedPath[],
  now: number,
): Promise<string[]> {
  if (abandoned.length === 0) return [];
  const reader = placeReader(tx);
  const moved = new Map<string, string>();
  for (const { path, id } of abandoned) {
    const place = await tx.place(id);
    // What visitors do not see any more has no new address.
    if (place !== null && place.publishedSlug !== null) moved.set(path, await pathOfPlace(reader, place, 'published'));
  }
  const notes: string[] = [];
  const led = (item: NavigationItem): NavigationItem => {
    const path = linkedPath(item.href)?.replace(/(?<=.)\/$/, '') ?? '';
    const to = moved.get(path) ?? moved.get(path.toLowerCase());
    const href = to === undefined ? item.href : to + /[?#].*$|$/.exec(item.href)![0];
    if (href !== item.href) notes.push(`The menu item "${item.label}" leads to ${href} now.`);
    return { ...item, href, ...(item.children && { children: item.children.map(led) }) };
  };
  const items = (await readNavigation(tx)).map(led);
  const document = await tx.siteDocument('navigation');
  if (notes.length === 0 || document === null) return [];
  await tx.saveSiteDocument('navigation', { value: toJson(items), revision: document.revision + 1 }, now);
  return notes;
}

/** An address in WordPress that was tried before it is told what becomes of it. */
export interface OldAddress extends AbandonedPath {
  readonly address: string;
}

/** The addresses in WordPress of what is about to move. Asked before the write. */
export async function oldAddresses({ mirror }: SiteAccess, abandoned: readonly AbandonedPath[]): Promise<OldAddress[]> {
  const found: OldAddress[] = [];
  const frontPage = knownSettingsOf(await mirror.link('settings'))?.frontPage;
  for (const each of abandoned.slice(0, MAX_TRIED)) {
    // Whatever its slug, it is at the root.
    if ((await mirror.link(each.id))?.remoteId === frontPage) continue;
    const address = knownEntryOf(await mirror.link(each.id))?.address ?? '';
    if (address !== '' && !address.includes('?')) found.push({ ...each, address });
  }
  return found;
}

/** Says of old addresses whether WordPress leads visitors on from there and, where it does not, who still links there. */
export async function oldAddressNotes(site: SiteAccess, old: readonly OldAddress[]): Promise<string[]> {
  const notes: string[] = [];
  for (const { path, id, address } of old) {
    const entry = await site.mirror.entry(id);
    if (entry === null || entry.published === null || entry.deletedAt !== null) continue;
    const isThere = await site.client.isThere(address).catch(() => null);
    if (isThere === null) continue;
    const title = quotedTitle(entry.published.title);
    if (isThere) notes.push(`WordPress leads visitors on from ${path}, the old address of ${title}.`);
    else {
      const linking = await titlesLinkingTo(site, path, id);
      const links = linking.length === 0 ? '' : ` Links there that lead nowhere now: in ${linking.join(', ')}.`;
      notes.push(
        `Visitors who come to ${path}, the old address of ${title}, find nothing: WordPress leads on from old addresses of posts only. A redirect plugin can do it.${links}`,
      );
    }
  }
  return notes;
}

/** Titles of other entries whose published text links to a path. */
async function titlesLinkingTo({ mirror }: SiteAccess, path: string, id: string): Promise<string[]> {
  const isLinking = (document: EntryDocument) =>
    linksOf(document).some(({ href }) => linkedPath(href)?.replace(/(?<=.)\/$/, '') === path);
  const titles = (await mirror.entries())
    .filter((entry) => entry.id !== id && entry.published !== null && isLinking(entry.published))
    .map(({ draft }) => quotedTitle(draft.title));
  const rest = titles.length - MAX_NAMED;
  return rest > 0 ? [...titles.slice(0, MAX_NAMED), `${rest} more`] : titles;
}

/** The pages below one whose address in WordPress has changed: theirs begin with it. */
export async function addressesBelow({ mirror }: SiteAccess, former: string, latter: string): Promise<RemoteAddress[]> {
  if (former === latter || [former, latter].some((address) => address === '' || address.includes('?'))) return [];
  return (await mirror.addresses()).flatMap((row) =>
    row.kind === 'page' && row.address !== null && row.address !== former && row.address.startsWith(former)
      ? [{ ...row, address: latter + row.address.slice(former.length) }]
      : [],
  );
}
