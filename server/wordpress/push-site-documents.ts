import { block as blockText, voidBlock } from '#server/blocks/block-markup';
import { cutBlocks, parseBlock, type ParsedBlock } from '#server/blocks/block-scan';
import {
  commitSiteDocument,
  readNavigation,
  readSettings,
  settingsFromJson,
} from '#server/content/embedded/site-document-writes';
import { MAX_NAVIGATION_ITEMS, navigationSchema, changedSettings } from '#server/content/site-settings';
import { readAddressBook } from '#server/wordpress/address-book';
import { htmlFromText, textFromHtml } from '#server/wordpress/client/remote-entry';
import type { RemoteNavigation, RemoteSettings } from '#server/wordpress/client/remote-site-parts';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import {
  knownNavigationOf,
  knownToJson,
  type MirrorTransaction,
  type RemoteAddress,
  type SiteAccess,
  type KnownSettings,
  knownSettingsOf,
} from '#server/wordpress/mirror';
import { EXTERNAL, type PushedTarget, type TouchedDocument } from '#server/wordpress/recorded-write';
import type { NavigationItem, SiteSettings } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import type { BlockContext } from '#server/blocks/block-context';

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
      ...(corrected ? ['WordPress changed the menu.'] : []),
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

type Attributes = Readonly<Record<string, unknown>>;

/** A menu of WordPress as ours. */
export interface ReadMenu {
  readonly items: NavigationItem[];
  /** Blocks that are no items of ours (a list of all pages, a search), as markup: they stay where a menu is written. */
  readonly others: string;
  /** Markup of each item: what nobody has touched is written as it was. */
  readonly markup: ReadonlyMap<string, string>;
}

function keyOf(item: NavigationItem): string {
  return JSON.stringify(item);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? textFromHtml(value).slice(0, 80).trim() : '';
}

/** One of ours, if our rules let it be one. */
function itemOf(block: ParsedBlock, context: BlockContext): NavigationItem | null {
  const { label, url } = (block.attrs ?? {}) as Attributes;
  const isHome = block.blockName === 'core/home-link';
  const isLink = block.blockName === 'core/navigation-link' || block.blockName === 'core/navigation-submenu';
  if (!isHome && !isLink) return null;
  const href = isHome ? '/' : typeof url === 'string' ? context.toLocal(url) : '';
  const item = { label: textOf(label) || (isHome ? 'Home' : href), href };
  const [checked] = navigationSchema.safeParse([item]).data ?? [];
  return checked ?? null;
}

/** Items directly below an item; each is followed by the items below it. */
function itemsBelow(block: ParsedBlock, context: BlockContext): NavigationItem[] {
  return block.innerBlocks.flatMap((inner) => {
    const item = itemOf(inner, context);
    return [...(item === null ? [] : [item]), ...itemsBelow(inner, context)];
  });
}

/** Reads the content of a `wp_navigation`. Never throws. */
export function readMenu(content: string, context: BlockContext): ReadMenu {
  const items: NavigationItem[] = [];
  const others: string[] = [];
  const markup = new Map<string, string>();
  for (const piece of cutBlocks(content)) {
    const raw = piece.raw.trim();
    const block = piece.name === null ? null : parseBlock(raw, piece.name);
    const found = block === null || items.length >= MAX_NAVIGATION_ITEMS ? null : itemOf(block, context);
    if (block === null || found === null) {
      if (raw !== '') others.push(raw);
      continue;
    }
    const children = itemsBelow(block, context).slice(0, MAX_NAVIGATION_ITEMS);
    const item = children.length === 0 ? found : { ...found, children };
    items.push(item);
    markup.set(keyOf(item), raw);
  }
  return { items, others: others.join('\n\n'), markup };
}

function itemText({ label, href, children = [] }: NavigationItem, context: BlockContext, isTop: boolean): string {
  const attributes: Record<string, JsonValue> = {
    label: htmlFromText(label),
    url: context.toRemote(href),
    kind: 'custom',
    ...(isTop && { isTopLevelLink: true }),
  };
  if (children.length === 0) return voidBlock('navigation-link', attributes);
  const inner = children.map((child) => itemText(child, context, false)).join('\n');
  return blockText('navigation-submenu', inner, attributes);
}

/** The content of a `wp_navigation` with these items; those of `known`, and what else is in it, as they are there. */
export function writeMenu(
  items: readonly NavigationItem[],
  known: Pick<ReadMenu, 'others' | 'markup'>,
  context: BlockContext,
): string {
  const links = items.map((item) => known.markup.get(keyOf(item)) ?? itemText(item, context, true));
  // An empty line stands between blocks where WordPress's editor writes them.
  return [...links, ...(known.others === '' ? [] : [known.others])].join('\n\n');
}

const KEPT_HERE: Readonly<Partial<Record<keyof SiteSettings, string>>> = {
  contactEmail: 'the contact address',
  footerText: 'the footer',
  accentColor: 'the accent colour',
  icon: 'the icon',
  redirects: 'addresses that lead on',
};

export function knownOfSettings({ title, description, showOnFront, pageOnFront }: RemoteSettings): KnownSettings {
  return { title, description, frontPage: showOnFront === 'page' ? (pageOnFront ?? 0) : 0 };
}

/** Our settings after WordPress's have changed; `homeSlug` is the slug of its front page in the mirror. */
function absorbedSettings(ours: SiteSettings, known: KnownSettings, homeSlug: string | null): SiteSettings {
  return {
    ...ours,
    siteName: known.title.trim().slice(0, 120) || ours.siteName,
    tagline: known.description.trim().slice(0, 300),
    ...(homeSlug !== null && { homeSlug }),
  };
}

/** Brings our settings to what WordPress has, by one change of the journal; none where they are so already. */
export async function recordSettings(tx: MirrorTransaction, known: KnownSettings, now: number): Promise<boolean> {
  const page = known.frontPage === 0 ? null : await tx.linkByRemote('page', known.frontPage);
  const home = page === null ? null : await tx.entry(page.localId);
  const homeSlug = home === null ? null : (home.published ?? home.draft).slug;
  const before = await readSettings(tx);
  const after = absorbedSettings(before, known, homeSlug);
  await tx.saveLink({ kind: 'settings', localId: 'settings', remoteId: 0, known: knownToJson(known), seenAt: now });
  const changed = changedSettings(before, after);
  if (changed.length === 0) return false;
  await commitSiteDocument(tx, {
    key: 'settings',
    before,
    after,
    action: 'update',
    summary: 'Changed the site settings in WordPress',
    origin: EXTERNAL,
    now,
  });
  return true;
}

/** The changed settings that WordPress has a place for. */
async function fieldsFor(
  { mirror }: SiteAccess,
  before: SiteSettings,
  after: SiteSettings,
): Promise<{ fields: Partial<RemoteSettings>; isHomeUnknown: boolean }> {
  const changed = new Set(changedSettings(before, after));
  const home = changed.has('homeSlug') ? await mirror.entryBySlug('page', after.homeSlug) : null;
  const link = home === null ? null : await mirror.link(home.id);
  return {
    isHomeUnknown: changed.has('homeSlug') && link === null,
    fields: {
      ...(changed.has('siteName') && { title: after.siteName }),
      ...(changed.has('tagline') && { description: after.tagline }),
      ...(link !== null && { showOnFront: 'page', pageOnFront: link.remoteId }),
    },
  };
}

/** Former settings of WordPress, to write them again. */
function formerFields({ title, description, frontPage }: KnownSettings): Partial<RemoteSettings> {
  const front =
    frontPage === 0
      ? ({ showOnFront: 'posts', pageOnFront: null } as const)
      : ({ showOnFront: 'page', pageOnFront: frontPage } as const);
  return { title, description, ...front };
}

/** Writes settings to WordPress. */
export async function pushSettings(site: SiteAccess, target: TouchedDocument): Promise<PushedTarget> {
  const { mirror, client, now } = site;
  const known = knownSettingsOf(await mirror.link('settings'));
  const [before, after] = [settingsFromJson(target.before ?? {}), settingsFromJson(target.after)];
  const { fields, isHomeUnknown } = await fieldsFor(site, before, after);
  const made = Object.keys(fields).length === 0 ? null : knownOfSettings(await client.settings.update(fields));
  const kept = changedSettings(before, after).flatMap((name) => KEPT_HERE[name] ?? []);
  const corrected = made !== null && changedSettings(after, absorbedSettings(after, made, null)).length > 0;
  return {
    addresses: made === null ? [] : [{ kind: 'settings', localId: 'settings', remoteId: 0, address: null }],
    corrected,
    notes: [
      ...(kept.length === 0 ? [] : [`WordPress has no place for ${kept.join(', ')}: only kept here.`]),
      ...(isHomeUnknown ? [`WordPress's front page stays as it is: there is no page "${after.homeSlug}".`] : []),
      ...(corrected ? ['WordPress changed the settings.'] : []),
    ],
    async settle(tx) {
      if (made !== null) await recordSettings(tx, made, now());
    },
    async putBack() {
      if (made !== null && known !== null) await client.settings.update(formerFields(known));
    },
  };
}
