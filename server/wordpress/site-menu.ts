import { commitSiteDocument, readNavigation } from '#server/site/embedded/site-settings-writes';
import { navigationFromJson } from '#server/site/site-settings';
import { type AddressBook, readAddressBook } from '#server/wordpress/mirror/address-book';
import type { MenuPlace, RemoteMenuItem } from '#server/wordpress/client/menus';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import { type MenuTarget, readBlockMenu, writeBlockMenu } from '#server/wordpress/blocks/menu/block-menu';
import { allNodes, itemsOf } from '#server/wordpress/blocks/menu/menu-tree';
import { type MenuStep, planClassicMenu, readClassicMenu } from '#server/wordpress/classic-menu';
import {
  type KnownNavigation,
  knownNavigationOf,
  type MirrorTransaction,
  type RemoteAddress,
  type SiteAccess,
} from '#server/wordpress/mirror/mirror';
import type { PushedTarget, TouchedDocument } from '#server/wordpress/mirror/recorded-write';
import type { NavigationItem } from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';
import { toJson } from '#server/core/json';
import { EXTERNAL } from '#server/wordpress/record-external-change';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';

/** Largest number of former states of a menu that are stored for an undo. A choice, not measured. */
const MAX_FORMER = 12;

/** The current menu in WordPress. */
interface PresentMenu {
  readonly remoteId: number;
  readonly known: KnownNavigation;
  readonly items: readonly NavigationItem[];
}

/** Null if the place has no menu. */
async function readMenu(site: SiteAccess, place: MenuPlace, signal?: AbortSignal): Promise<PresentMenu | null> {
  const { kind, remoteId, hidden, location } = place;
  if (remoteId === null) return null;
  const { menus } = site.client;
  if (kind === 'classic') {
    const items = await menus.classic.items(remoteId, signal);
    const known: KnownNavigation = { kind, items, location, hidden, isOurs: false, former: [] };
    return { remoteId, known, items: await readItems(site, known) };
  }
  const remote = await menus.blocks.get(remoteId, signal).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (!remote?.isPublished) return null;
  const known: KnownNavigation = { kind, content: remote.contentRaw, hidden, isOurs: false, former: [] };
  return { remoteId, known, items: await readItems(site, known) };
}

/** The items of a WordPress menu in our form. */
async function readItems(
  { mirror, siteUrl }: SiteAccess,
  known: KnownNavigation,
  newer: readonly RemoteAddress[] = [],
): Promise<NavigationItem[]> {
  const book = await readAddressBook(mirror, siteUrl, newer, 'published');
  return itemsOf(await nodesOf(book, known));
}

async function nodesOf(book: AddressBook, known: KnownNavigation) {
  if (known.kind === 'blocks') return readBlockMenu(known.content, await book.contextFor([], known.content)).nodes;
  return classicNodes(book, known.items);
}

/** Compares the content and the place in WordPress. */
function isSameMenu(a: KnownNavigation | null, b: KnownNavigation): boolean {
  const present = (known: KnownNavigation | null) =>
    known?.kind === 'blocks' ? known.content : JSON.stringify(known?.items);
  return a?.kind === b.kind && present(a) === present(b);
}

/**
 * Takes over the menu that visitors of WordPress see. Returns whether the mirror has changed.
 * @param isFound it is still the same menu: only its content is read
 */
export async function takeOverMenu(site: SiteAccess, signal?: AbortSignal, isFound = false): Promise<boolean> {
  const { mirror, client, now } = site;
  const link = await mirror.link('navigation');
  const known = knownNavigationOf(link);
  const same = isFound && link !== null && known !== null ? placeOf(link.remoteId, known) : null;
  const present =
    (same && (await readMenu(site, same, signal))) ?? (await readMenu(site, await client.menus.find(signal), signal));
  if (present === null) return link !== null && mirror.write((tx) => recordMenu(tx, null, now()));
  const isKnown = link?.remoteId === present.remoteId && isSameMenu(known, present.known);
  if (isKnown && known?.hidden?.text === present.known.hidden?.text) return false;
  const kept = isKnown && known !== null ? { ...known, hidden: present.known.hidden } : present.known;
  return mirror.write((tx) => recordMenu(tx, { ...present, known: kept }, now()));
}

function placeOf(remoteId: number, known: KnownNavigation): MenuPlace {
  const location = known.kind === 'classic' ? known.location : null;
  return { kind: known.kind, remoteId, location, hidden: known.hidden };
}

/** Updates our menu to that of WordPress, with one change in the journal; none if they are equal. */
async function recordMenu(tx: MirrorTransaction, menu: PresentMenu | null, now: number): Promise<boolean> {
  const items = menu?.items ?? [];
  if (menu === null) await tx.removeLink('navigation');
  else {
    const { remoteId, known } = menu;
    await tx.saveLink({ kind: 'navigation', localId: 'navigation', remoteId, known: toJson(known), seenAt: now });
  }
  const before = await readNavigation(tx);
  if (JSON.stringify(before) === JSON.stringify(items)) return false;
  await commitSiteDocument(tx, {
    key: 'navigation',
    before: toJson(before),
    after: toJson(items),
    action: 'update',
    summary: serverText('journal-wordpress-menu', { count: items.length }),
    origin: EXTERNAL,
    now,
  });
  return true;
}

/** A menu that was written, and how to restore its former state. */
interface WrittenMenu {
  readonly remoteId: number;
  /** Null: it was removed. */
  readonly known: KnownNavigation | null;
  readonly notes: readonly ServerText[];
  readonly isWritten: boolean;
  putBack(): Promise<void>;
}

/** Writes the menu to WordPress: into the one that visitors see, or into a new one where the theme shows it. */
export async function pushMenu(
  site: SiteAccess,
  target: TouchedDocument,
  newer: readonly RemoteAddress[],
): Promise<PushedTarget> {
  const { mirror, client, siteUrl, now } = site;
  const link = await mirror.link('navigation');
  const known = knownNavigationOf(link);
  const items = navigationFromJson(target.after ?? []);
  const place = link !== null && known !== null ? placeOf(link.remoteId, known) : await client.menus.find();
  const book = await readAddressBook(mirror, siteUrl, newer, 'published');
  const work: MenuWork = { client, book, place, items, targetOf: await targetsOf(book, items), before: target.before };
  const made =
    items.length === 0 && place.remoteId !== null && known?.isOurs
      ? await removeMenu(work, place.remoteId, known)
      : place.kind === 'classic'
        ? await writeClassic(work, known?.kind === 'classic' ? known : null)
        : await writeBlocks(work, known?.kind === 'blocks' ? known : null);
  const read = made.known === null ? [] : itemsOf(await nodesOf(book, made.known));
  const corrected =
    JSON.stringify(addressesOf(read, await targetsOf(book, read))) !==
    JSON.stringify(addressesOf(items, work.targetOf));
  return {
    addresses: made.isWritten
      ? [{ kind: 'navigation', localId: 'navigation', remoteId: made.remoteId, address: null }]
      : [],
    corrected,
    notes: [
      ...(place.hidden === null ? [] : [serverText('wordpress-menu-hidden', { reason: place.hidden })]),
      ...made.notes,
      ...(corrected ? [serverText('wordpress-menu-changed')] : []),
    ],
    async settle(tx) {
      const { remoteId, known: latter } = made;
      await recordMenu(tx, latter && { remoteId, known: latter, items: corrected ? read : items }, now());
    },
    putBack: () => made.putBack(),
  };
}

interface MenuWork {
  readonly client: WordPressClient;
  readonly book: AddressBook;
  readonly place: MenuPlace;
  readonly items: readonly NavigationItem[];
  readonly targetOf: (href: string) => MenuTarget;
  readonly before: TouchedDocument['before'];
}

async function targetsOf(book: AddressBook, items: readonly NavigationItem[]): Promise<(href: string) => MenuTarget> {
  const targets = new Map<string, MenuTarget>();
  for (const { href } of allNodes(items)) targets.set(href, await book.targetOf(href));
  return (href) => targets.get(href) ?? { url: href };
}

/** The menu as visitors see it, because one of our addresses can be written in several ways. */
function addressesOf(items: readonly NavigationItem[], targetOf: (href: string) => MenuTarget): unknown[] {
  return items.map(({ label, href, children = [] }) => [label, targetOf(href).url, addressesOf(children, targetOf)]);
}

async function writeBlocks(
  { client, book, place, items, targetOf, before }: MenuWork,
  known: Extract<KnownNavigation, { kind: 'blocks' }> | null,
): Promise<WrittenMenu> {
  const { blocks } = client.menus;
  const content = known?.content ?? '';
  const present = readBlockMenu(content, await book.contextFor([], content));
  const wanted = (await formerContent(book, known?.former ?? [], items)) ?? writeBlockMenu(present, items, targetOf);
  const notes = present.hasOthers ? [serverText('wordpress-menu-other-blocks')] : [];
  const { remoteId } = place;
  if (remoteId !== null && known !== null && wanted === content) {
    return { remoteId, known, notes, isWritten: false, putBack: () => Promise.resolve() };
  }
  const made = remoteId === null ? await blocks.create(wanted) : await blocks.update(remoteId, wanted);
  const former = [{ items: JSON.stringify(before ?? []), content }, ...(known?.former ?? [])].slice(0, MAX_FORMER);
  return {
    remoteId: made.remoteId,
    known: {
      kind: 'blocks',
      content: made.contentRaw,
      hidden: place.hidden,
      isOurs: remoteId === null || (known?.isOurs ?? false),
      former: remoteId === null ? [] : former,
    },
    notes,
    isWritten: true,
    async putBack() {
      if (remoteId === null) await blocks.remove(made.remoteId);
      else await blocks.update(remoteId, content);
    },
  };
}

/** Removes a menu that we created, so that an undo leaves none. */
async function removeMenu(work: MenuWork, remoteId: number, known: KnownNavigation): Promise<WrittenMenu> {
  const { menus } = work.client;
  await (known.kind === 'classic' ? menus.classic : menus.blocks).remove(remoteId);
  const putBack = async () => {
    const gone = { ...work, place: { ...work.place, remoteId: null } };
    const items = itemsOf(await nodesOf(work.book, known));
    const again = { ...gone, items, targetOf: await targetsOf(work.book, items) };
    await (known.kind === 'classic' ? writeClassic(again, null) : writeBlocks(again, null));
  };
  return { remoteId, known: null, notes: [], isWritten: true, putBack };
}

/** The content that the menu had with these items, so that an undo restores it byte for byte. */
async function formerContent(
  book: AddressBook,
  former: readonly { readonly items: string; readonly content: string }[],
  items: readonly NavigationItem[],
): Promise<string | null> {
  const wanted = JSON.stringify(items);
  for (const { items: was, content } of former) {
    if (was !== wanted) continue;
    // The targets may have other addresses since then.
    const read = itemsOf(readBlockMenu(content, await book.contextFor([], content)).nodes);
    if (JSON.stringify(read) === wanted) return content;
  }
  return null;
}

async function writeClassic(
  { client, book, place, items, targetOf, before }: MenuWork,
  known: Extract<KnownNavigation, { kind: 'classic' }> | null,
): Promise<WrittenMenu> {
  const { classic } = client.menus;
  const all = known?.items ?? [];
  const formerMenus = known?.former ?? [];
  const wanted = JSON.stringify(items);
  const once = formerMenus.find((menu) => menu.items === wanted)?.menu ?? [];
  const former = formerMenus.flatMap(({ menu }) => menu);
  const steps = planClassicMenu(await classicNodes(book, all), items, all, { former, once }, targetOf);
  const isNew = place.remoteId === null;
  const menuId = place.remoteId ?? (await classic.create(place.location));
  const putBack = async () => {
    if (isNew) return classic.remove(menuId);
    const present = await classic.items(menuId);
    const was = itemsOf(await classicNodes(book, all));
    const nodes = await classicNodes(book, present);
    const back = planClassicMenu(nodes, was, present, { former: all, once: all }, await targetsOf(book, was));
    await takeSteps(client, menuId, back);
  };
  try {
    await takeSteps(client, menuId, steps);
  } catch (error) {
    // If restoring fails, the next check finds the difference and takes it over as a change by another author.
    await putBack().catch(() => undefined);
    throw error;
  }
  return {
    remoteId: menuId,
    known: {
      kind: 'classic',
      items: await classic.items(menuId),
      location: place.location,
      hidden: place.hidden,
      isOurs: isNew || (known?.isOurs ?? false),
      former: isNew ? [] : [{ items: JSON.stringify(before ?? []), menu: all }, ...formerMenus].slice(0, MAX_FORMER),
    },
    notes: all.some(({ isShown }) => !isShown) ? [serverText('wordpress-menu-unpublished')] : [],
    isWritten: isNew || steps.length > 0,
    putBack,
  };
}

async function classicNodes(book: AddressBook, items: readonly RemoteMenuItem[]) {
  return readClassicMenu(items, await book.contextFor([], items.map(({ url }) => url).join(' ')));
}

async function takeSteps({ menus }: WordPressClient, menuId: number, steps: readonly MenuStep[]): Promise<void> {
  const made = new Map<string, number>();
  const parentOf = (parent: number | string) => (typeof parent === 'number' ? parent : (made.get(parent) ?? 0));
  for (const step of steps) {
    if (step.op === 'remove') await menus.classic.removeItem(step.id);
    else if (step.op === 'update') {
      const parent = step.parent === undefined ? {} : { parent: parentOf(step.parent) };
      await menus.classic.updateItem(step.id, { ...step.fields, ...parent });
    } else {
      const fields = { ...step.fields, parent: parentOf(step.parent) };
      made.set(step.key, await menus.classic.createItem(menuId, fields));
    }
  }
}
