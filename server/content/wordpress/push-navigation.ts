import { commitSiteDocument, readNavigation } from '#server/content/embedded/site-document-writes';
import { navigationSchema } from '#server/content/site-navigation';
import { readAddressBook } from '#server/content/wordpress/address-book';
import type { RemoteNavigation } from '#server/content/wordpress/client/remote-site-parts';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';
import { knownNavigationOf, knownToJson } from '#server/content/wordpress/known-state';
import type { MirrorTransaction, RemoteAddress } from '#server/content/wordpress/mirror';
import { type ReadMenu, readMenu, writeMenu } from '#server/content/wordpress/navigation-blocks';
import type { PushedTarget } from '#server/content/wordpress/pushed-target';
import { EXTERNAL } from '#server/content/wordpress/record-external';
import type { TouchedTarget } from '#server/content/wordpress/recorded-write';
import type { SiteAccess } from '#server/content/wordpress/site-access';
import type { NavigationItem } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

type TouchedDocument = Extract<TouchedTarget, { kind: 'document' }>;

function hrefsOf(items: readonly NavigationItem[]): string[] {
  return items.flatMap(({ href, children = [] }) => [href, ...hrefsOf(children)]);
}

/** The menu that visitors see: the newest that is published. */
export async function shownMenu(
  { navigation }: WordPressClient,
  signal?: AbortSignal,
): Promise<RemoteNavigation | null> {
  return (await navigation.list(signal)).find(({ status }) => status === 'publish') ?? null;
}

/** The content of a menu as ours. */
export async function menuOf({ mirror, siteUrl }: SiteAccess, content: string): Promise<ReadMenu> {
  const book = await readAddressBook(mirror, siteUrl);
  return readMenu(content, await book.contextFor([], content));
}

async function saveMenuLink(tx: MirrorTransaction, { remoteId, contentRaw }: RemoteNavigation, now: number) {
  const known = knownToJson({ content: contentRaw });
  await tx.saveLink({ kind: 'navigation', localId: 'navigation', remoteId, known, seenAt: now });
}

/** Brings our menu to what WordPress has, by one change of the journal; none where it is so already. */
export async function recordMenu(
  tx: MirrorTransaction,
  remote: RemoteNavigation,
  items: readonly NavigationItem[],
  now: number,
): Promise<boolean> {
  await saveMenuLink(tx, remote, now);
  const before = await readNavigation(tx);
  if (JSON.stringify(before) === JSON.stringify(items)) return false;
  await commitSiteDocument(tx, {
    key: 'navigation',
    before: before as unknown as JsonValue,
    after: items as unknown as JsonValue,
    action: 'update',
    summary: `Changed the menu to ${items.length} ${items.length === 1 ? 'item' : 'items'} (in WordPress)`,
    origin: EXTERNAL,
    now,
  });
  return true;
}

/** Writes the menu to WordPress: into the one that visitors see, or into a new one. */
export async function pushNavigation(
  site: SiteAccess,
  target: TouchedDocument,
  newer: readonly RemoteAddress[],
): Promise<PushedTarget> {
  const { mirror, client, siteUrl, now } = site;
  const link = await mirror.link('navigation');
  const known = knownNavigationOf(link);
  const items = navigationSchema.parse(target.after);
  const present = await menuOf(site, known?.content ?? '');
  const book = await readAddressBook(mirror, siteUrl, newer);
  const contentRaw = writeMenu(items, present, await book.contextFor(hrefsOf(items), ''));
  const isNew = link === null;
  const made = isNew
    ? await client.navigation.create({ title: 'Menu', status: 'publish', contentRaw })
    : await client.navigation.update(link.remoteId, { contentRaw });
  const corrected = made.contentRaw !== contentRaw;
  const read = corrected ? await menuOf(site, made.contentRaw) : { items };
  return {
    addresses: [{ kind: 'navigation', localId: 'navigation', remoteId: made.remoteId, address: null }],
    corrected,
    notes: [
      ...(present.others === '' ? [] : ['The menu in WordPress also holds blocks that are not links; they stay.']),
      ...(corrected ? ['WordPress did not keep the menu as it was sent.'] : []),
    ],
    async settle(tx) {
      await recordMenu(tx, made, read.items, now());
    },
    async putBack() {
      if (isNew) return client.navigation.remove(made.remoteId);
      await client.navigation.update(made.remoteId, { contentRaw: known?.content ?? '' });
    },
  };
}
