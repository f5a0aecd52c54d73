import type { ContentTransaction } from '#server/site/embedded/content-store';
import { placeReader } from '#server/site/embedded/entry-paths';
import { readNavigation } from '#server/site/embedded/site-settings-writes';
import { linkedPath, linksOf } from '#server/site/entry-links';
import { pathOfPlace } from '#server/site/site-paths';
import { knownEntryOf, knownSettingsOf, type RemoteAddress, type SiteAccess } from '#server/wordpress/mirror/mirror';
import type { EntryDocument, NavigationItem } from '#server/core/site/content';
import { toJson } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/** A path at which visitors found an entry until a write. */
export interface AbandonedPath {
  readonly path: string;
  readonly id: string;
}

/** Largest number of old addresses of one write that are tried like a visitor would; the others are not reported. */
const MAX_TRIED = 5;
const MAX_NAMED = 3;

/**
 * Updates the items of our menu that led to these paths, so that they lead to the current addresses of their entries.
 * The journal does not record this, because the menu counts as unchanged.
 * @returns notes for the writer
 */
export async function followInMenu(
  tx: ContentTransaction,
  abandoned: readonly AbandonedPath[],
  now: number,
): Promise<ServerText[]> {
  if (abandoned.length === 0) return [];
  const reader = placeReader(tx);
  const moved = new Map<string, string>();
  for (const { path, id } of abandoned) {
    const place = await tx.place(id);
    // Content that visitors no longer see has no new address.
    if (place !== null && place.publishedSlug !== null) moved.set(path, await pathOfPlace(reader, place, 'published'));
  }
  const notes: ServerText[] = [];
  const led = (item: NavigationItem): NavigationItem => {
    const path = linkedPath(item.href)?.replace(/(?<=.)\/$/, '') ?? '';
    const to = moved.get(path) ?? moved.get(path.toLowerCase());
    const href = to === undefined ? item.href : to + /[?#].*$|$/.exec(item.href)![0];
    if (href !== item.href) notes.push(serverText('wordpress-menu-item-follows', { label: item.label, href }));
    return { ...item, href, ...(item.children && { children: item.children.map(led) }) };
  };
  const items = (await readNavigation(tx)).map(led);
  const document = await tx.siteDocument('navigation');
  if (notes.length === 0 || document === null) return [];
  await tx.saveSiteDocument('navigation', { value: toJson(items), revision: document.revision + 1 }, now);
  return notes;
}

/** An address in WordPress that was tried before the write, so that its fate can be reported. */
export interface OldAddress extends AbandonedPath {
  readonly address: string;
}

/** The addresses in WordPress of entries that are about to move. Call it before the write. */
export async function oldAddresses({ mirror }: SiteAccess, abandoned: readonly AbandonedPath[]): Promise<OldAddress[]> {
  const found: OldAddress[] = [];
  const frontPage = knownSettingsOf(await mirror.link('settings'))?.frontPage;
  for (const each of abandoned.slice(0, MAX_TRIED)) {
    // Regardless of its slug, the front page is at the root.
    if ((await mirror.link(each.id))?.remoteId === frontPage) continue;
    const address = knownEntryOf(await mirror.link(each.id))?.address ?? '';
    if (address !== '' && !address.includes('?')) found.push({ ...each, address });
  }
  return found;
}

/**
 * Reports for old addresses if WordPress redirects visitors from them and, if not, which entries still link to them.
 */
export async function oldAddressNotes(site: SiteAccess, old: readonly OldAddress[]): Promise<ServerText[]> {
  const notes: ServerText[] = [];
  for (const { path, id, address } of old) {
    const entry = await site.mirror.entry(id);
    if (entry === null || entry.published === null || entry.deletedAt !== null) continue;
    const isThere = await site.client.isThere(address).catch(() => null);
    if (isThere === null) continue;
    const place = { address, title: shortTitle(entry.published.title) };
    if (isThere) notes.push(serverText('wordpress-old-address-led', place));
    else {
      const titles = await titlesLinkingTo(site, path, id);
      notes.push(serverText('wordpress-old-address-lost', { ...place, titles, count: titles.length }));
    }
  }
  return notes;
}

/** Titles of other entries whose published text links to a path. */
async function titlesLinkingTo({ mirror }: SiteAccess, path: string, id: string): Promise<ServerText[]> {
  const isLinking = (document: EntryDocument) =>
    linksOf(document).some(({ href }) => linkedPath(href)?.replace(/(?<=.)\/$/, '') === path);
  const titles = (await mirror.entries())
    .filter((entry) => entry.id !== id && entry.published !== null && isLinking(entry.published))
    .map(({ draft }) => serverText('quoted', { text: shortTitle(draft.title) }));
  const rest = titles.length - MAX_NAMED;
  return rest > 0 ? [...titles.slice(0, MAX_NAMED), serverText('list-more', { count: rest })] : titles;
}

/**
 * When a page's address in WordPress changes from `former` to `latter`, the addresses of the pages below it change too:
 * returns those pages with their new addresses.
 */
export async function addressesBelow({ mirror }: SiteAccess, former: string, latter: string): Promise<RemoteAddress[]> {
  if (former === latter || [former, latter].some((address) => address === '' || address.includes('?'))) return [];
  return (await mirror.addresses()).flatMap((row) =>
    row.kind === 'page' && row.address !== null && row.address !== former && row.address.startsWith(former)
      ? [{ ...row, address: latter + row.address.slice(former.length) }]
      : [],
  );
}
