import type { EntryType, SiteSettings } from '#server/core/content';
import { plainContext } from '#server/blocks/block-context';
import { type BlockMenu, readBlockMenu } from '#server/blocks/block-menu';
import { ImportLog } from '#server/import/import-log';
import {
  type ImportPlan,
  inOrder,
  lineOf,
  menuSize,
  type SourceMenuItem,
  type SourcePicture,
} from '#server/import/plan';
import { keyOf, planEntry, type WxrSite } from '#server/import/plan-wxr-entry';
import { MAX_NAVIGATION_ITEMS, MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { childrenOf, readItem, readWxr, textOf, type WxrItem, type XmlNode } from '#server/import/read-wxr';

const PICTURE = /\.(png|jpe?g|gif|webp|avif)(?:[?#]|$)/i;

/**
 * Reads a WXR file (WordPress's export) as a plan.
 * @param now epoch milliseconds: posts that are planned for a later time stay planned
 * @throws InvalidInputError where it is not such a file, with the line where it is not XML
 */
export async function planWxr(text: string, now: number): Promise<ImportPlan> {
  const items: WxrItem[] = [];
  const { channel } = await readWxr(text, (node) => items.push(readItem(node)));
  const log = new ImportLog();
  // The look back keeps it from trying each slash of a row that stands in the middle.
  const address = (textOf(channel, 'wp:base_blog_url') || textOf(channel, 'link')).replace(/(?<!\/)\/+$/, '');
  const unique = withoutRepeats(items, log);
  const ofType = (type: string) => unique.filter((item) => item.type === type);
  const pictures = planPictures(ofType('attachment'), log);
  const shownTypes = new Set(unique.filter((item) => isShown(item, address)).map(({ type }) => type));
  /** Kinds of content of plugins and themes that visitors have pages of. */
  const isCustom = ({ type }: WxrItem) => !KNOWN.has(type) && shownTypes.has(type);
  const pages = unique.filter((item) => item.type === 'page' || isCustom(item));
  const reusable = ofType('wp_block');
  const site: WxrSite = {
    address,
    authors: authorsOf(channel),
    pictures: new Map(pictures.map(({ number, addresses: [first = ''] }) => [String(number), first])),
    attached: attachedTo(ofType('attachment'), pictures),
    pages: new Set(pages.filter(({ status }) => status !== 'trash').map(({ id }) => id)),
    reusable: new Map(reusable.map(({ id, content }) => [id, content])),
    shownBlocks: new Set(),
    now,
  };
  const entries = unique.flatMap((item) => {
    const type = isEntry(item.type) ? item.type : isCustom(item) ? 'page' : null;
    return type === null ? [] : (planEntry(item, type, site, log) ?? []);
  });
  for (const { id, title } of reusable)
    log.left('reusable block', title, site.shownBlocks.has(id) ? WORDS_ARE_TAKEN : 'No page or post shows it.');
  const titles = new Map(entries.map(({ key, draft }) => [key.slice(keyOf('').length), draft.title]));
  const links = items.filter(({ type }) => type === 'nav_menu_item');
  const menu = planBlockMenu(ofType('wp_navigation'), titles, log, planMenu(links, titles, log));
  if (ofType('page').length > 0)
    log.altered('settings', 'home page', 'The file does not name a home page: the home page here stays the same.');
  tellOthers(
    unique.filter((item) => !isCustom(item)),
    log,
  );
  tellTerms(channel, items, log);
  return {
    format: 'wxr',
    source: `wxr:${address || textOf(channel, 'title')}`,
    base: address || null,
    entries: inOrder(entries, log),
    pictures,
    menu,
    settings: settingsOf(channel),
    standing: null,
    log,
  };
}

function isEntry(type: string): type is EntryType {
  return type === 'page' || type === 'post';
}

function authorsOf(channel: XmlNode): Map<string, string> {
  return new Map(
    childrenOf(channel, 'wp:author').map((author) => [
      textOf(author, 'wp:author_login'),
      textOf(author, 'wp:author_display_name') || textOf(author, 'wp:author_login'),
    ]),
  );
}

function settingsOf(channel: XmlNode): Partial<SiteSettings> {
  const siteName = lineOf(textOf(channel, 'title'), 120);
  const tagline = lineOf(textOf(channel, 'description'), 300);
  return { ...(siteName !== '' && { siteName }), ...(tagline !== '' && { tagline }) };
}

/** Items of menus have ids that menus share; of all else, an id is one thing. */
function withoutRepeats(items: readonly WxrItem[], log: ImportLog): WxrItem[] {
  const seen = new Set<string>();
  return items.filter(({ type, id, title }) => {
    if (type === 'nav_menu_item') return false;
    if (!seen.has(id) && id !== '') {
      seen.add(id);
      return true;
    }
    log.left(type === 'attachment' ? 'picture' : type, title, id === '' ? 'It has no id.' : 'It is in the file twice.');
    return false;
  });
}

function planPictures(items: readonly WxrItem[], log: ImportLog): SourcePicture[] {
  return items.flatMap((item) => {
    const address = item.fileAddress || item.guid;
    if (!PICTURE.test(address)) {
      log.left('file', item.title, 'The media library takes pictures only: links to it still lead to where it is.');
      return [];
    }
    const caption = lineOf(item.excerpt, 300);
    return {
      key: keyOf(item.id),
      address,
      addresses: [address, item.link, item.guid].filter(Boolean),
      filename: address.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '',
      alt: lineOf(item.meta.get('_wp_attachment_image_alt') ?? '', 300),
      tags: [],
      number: Number(item.id),
      ...(caption !== '' && { caption }),
    };
  });
}

/** Ids of pictures by that of the entry they were uploaded to, in its order. */
function attachedTo(items: readonly WxrItem[], pictures: readonly SourcePicture[]): Map<string, string[]> {
  const taken = new Set(pictures.map(({ key }) => key));
  const attached = new Map<string, string[]>();
  for (const { id, parent } of items.filter((item) => taken.has(keyOf(item.id))).toSorted((a, b) => a.order - b.order))
    attached.set(parent, [...(attached.get(parent) ?? []), id]);
  return attached;
}

const WORDS_ARE_TAKEN = 'Its words are in the pages and posts that show it.';
const KNOWN = new Set(['page', 'post', 'attachment', 'nav_menu_item', 'wp_block', 'wp_navigation']);
/** Kinds of what WordPress and plugins keep for themselves, with addresses that nobody visits. */
const INTERNAL =
  /^(?:$|wp_|acf-|elementor_|oembed|custom_css|customize_|revision|shop_order|shop_coupon|product_variation|.*-form$)/;

/** Tells whether visitors could have found an item at an address of its own. */
function isShown({ type, link, status }: WxrItem, address: string): boolean {
  if (INTERNAL.test(type) || status !== 'publish' || !URL.canParse(link)) return false;
  const { pathname, search } = new URL(link);
  return search === '' && pathname !== '/' && link.startsWith(address);
}

function tellOthers(items: readonly WxrItem[], log: ImportLog): void {
  for (const { type, title } of items) {
    if (!KNOWN.has(type)) log.left(type || 'item', title, 'Visitors had no page of it: only what has one is imported.');
  }
}

/** Reports categories, tags and other terms that no entry has, and their parts that are lost. */
function tellTerms(channel: XmlNode, items: readonly WxrItem[], log: ImportLog): void {
  const used = new Set(items.flatMap(({ terms }) => terms.map(({ domain, slug }) => `${domain} ${slug}`)));
  const tell = (kind: string, domain: string, slug: string, name: string) => {
    if (!used.has(`${domain} ${slug}`)) log.leftWithin(kind, name || slug, 'No entry of the file has it.');
  };
  for (const term of childrenOf(channel, 'wp:category')) {
    const name = textOf(term, 'wp:cat_name');
    tell('category', 'category', textOf(term, 'wp:category_nicename'), name);
    if (textOf(term, 'wp:category_parent') !== '')
      log.altered('category', name, 'Categories become tags here, and tags have no parent.');
    if (textOf(term, 'wp:category_description') !== '')
      log.altered('category', name, 'Categories become tags here, and tags have no description.');
  }
  for (const term of childrenOf(channel, 'wp:tag')) {
    const name = textOf(term, 'wp:tag_name');
    tell('tag', 'post_tag', textOf(term, 'wp:tag_slug'), name);
    if (textOf(term, 'wp:tag_description') !== '') log.altered('tag', name, 'Tags have no description here.');
  }
}

const MAX_LABEL_CHARS = 80;
/** Levels that are read of a menu. */
const MAX_LEVELS = 50;
const KIND = 'menu';

/** Names of main menus; the file does not say which menu a site shows at its top. */
const MAIN = /\b(main|primary|header|top|haupt|principal)/i;

/** Titles of the imported entries, by their id. */
type Titles = ReadonlyMap<string, string>;

interface RawMenu {
  readonly name: string;
  readonly items: WxrItem[];
}

type PlannedMenu = { readonly name: string; readonly items: readonly SourceMenuItem[] };

/** The one menu that a site has here, of all that a file has; what is left of them is written into the log. */
function planMenu(items: readonly WxrItem[], titles: Titles, log: ImportLog): PlannedMenu | null {
  const menus = menusOf(items, log);
  const chosen = menus.find(({ name }) => MAIN.test(name)) ?? menus[0];
  if (chosen === undefined) return null;
  for (const { name, items: others } of menus.filter((menu) => menu !== chosen))
    log.left(KIND, name, `A site has one menu here: "${chosen.name}" is taken.`, others.length);
  return { name: chosen.name, items: planItems(chosen, titles, log) };
}

/** A menu of a block theme, where there is one with items: a site has it instead of the others. */
function planBlockMenu(
  items: readonly WxrItem[],
  titles: Titles,
  log: ImportLog,
  classic: PlannedMenu | null,
): PlannedMenu | null {
  const planned = items
    .filter(({ status }) => status === 'publish')
    .map(({ title, content }) => ({ name: title, menu: readBlockMenu(content, plainContext) }));
  const menus = planned.filter(({ menu }) => menu.nodes.length > 0);
  const chosen = menus.find(({ name }) => MAIN.test(name)) ?? menus.at(-1);
  for (const { title } of items.filter((item) => item.title !== chosen?.name))
    log.left(
      KIND,
      title,
      chosen === undefined ? 'It has no items.' : `A site has one menu here: "${chosen.name}" is taken.`,
    );
  if (chosen === undefined) return classic;
  if (chosen.menu.hasOthers) log.altered(KIND, chosen.name, 'It also had blocks that are no links: they are left out.');
  if (classic !== null)
    log.left(KIND, classic.name, `A site has one menu here: "${chosen.name}" is taken.`, menuSize(classic.items));
  return { name: chosen.name, items: withinLevels(blockItems(chosen.menu.nodes, titles), 1, log) };
}

function blockItems(nodes: BlockMenu['nodes'], titles: Titles): SourceMenuItem[] {
  return nodes.map(({ label, href, source: { attributes }, children }) => {
    const id = typeof attributes['id'] === 'number' ? String(attributes['id']) : '';
    const isEntryOfFile = attributes['kind'] !== 'taxonomy' && titles.has(id);
    return {
      label,
      target: isEntryOfFile ? { entry: keyOf(id) } : { href },
      children: blockItems(children, titles),
    };
  });
}

function menusOf(items: readonly WxrItem[], log: ImportLog): RawMenu[] {
  const menus = new Map<string, RawMenu>();
  for (const item of items) {
    const term = item.terms.find(({ domain }) => domain === 'nav_menu');
    if (term === undefined) {
      log.left(KIND, item.title, 'It is in no menu.');
      continue;
    }
    const menu = menus.get(term.slug) ?? { name: term.name || term.slug, items: [] };
    menu.items.push(item);
    menus.set(term.slug, menu);
  }
  return [...menus.values()];
}

function planItems({ items }: RawMenu, titles: Titles, log: ImportLog): SourceMenuItem[] {
  const ids = new Set(items.map(({ id }) => id));
  const parentOf = (item: WxrItem) => {
    const parent = item.meta.get('_menu_item_menu_item_parent') ?? '0';
    return ids.has(parent) && parent !== item.id ? parent : '0';
  };
  const byParent = Map.groupBy(
    items.toSorted((a, b) => a.order - b.order),
    parentOf,
  );
  const seen = new Set<WxrItem>();
  const below = (parent: string, level: number): SourceMenuItem[] =>
    (byParent.get(parent) ?? [])
      .filter((item) => level < MAX_LEVELS && !seen.has(item))
      .flatMap((item) => {
        seen.add(item);
        const children = below(item.id, level + 1);
        const target = targetOf(item, titles);
        if (target === null) {
          log.left(KIND, nameOf(item, titles), 'It leads to something that is not imported.');
          return children;
        }
        const label = lineOf(nameOf(item, titles), MAX_LABEL_CHARS) || '…';
        return [{ label, target, children }];
      });
  const top = below('0', 0);
  for (const item of items.filter((each) => !seen.has(each)))
    log.left(KIND, nameOf(item, titles), 'It is below itself, or too deep.');
  return withinLevels(top, 1, log);
}

function withinLevels(items: readonly SourceMenuItem[], level: number, log: ImportLog): SourceMenuItem[] {
  const isLast = level === MAX_NAVIGATION_LEVELS;
  const below = ({ children }: SourceMenuItem) => withinLevels(children, level + 1, log);
  return limited(isLast ? flat(items, log) : items.map((item) => ({ ...item, children: below(item) })), log);
}

/** Moves what is deeper than the last level up to it. */
function flat(items: readonly SourceMenuItem[], log: ImportLog): SourceMenuItem[] {
  return items.flatMap((item) => {
    if (item.children.length > 0)
      log.altered(
        KIND,
        item.label,
        `A menu has ${MAX_NAVIGATION_LEVELS} levels here: deeper items moved up to the last.`,
        item.children.length,
      );
    return [{ ...item, children: [] }, ...flat(item.children, log)];
  });
}

function limited(items: readonly SourceMenuItem[], log: ImportLog): SourceMenuItem[] {
  const over = items.slice(MAX_NAVIGATION_ITEMS);
  for (const item of over)
    log.left(KIND, item.label, `A menu has at most ${MAX_NAVIGATION_ITEMS} items on a level here.`, menuSize([item]));
  return items.slice(0, MAX_NAVIGATION_ITEMS);
}

function nameOf(item: WxrItem, titles: Titles): string {
  return item.title || (titles.get(item.meta.get('_menu_item_object_id') ?? '') ?? item.slug);
}

function targetOf({ meta }: WxrItem, titles: Titles): SourceMenuItem['target'] | null {
  const id = meta.get('_menu_item_object_id') ?? '';
  if (meta.get('_menu_item_type') === 'post_type') return titles.has(id) ? { entry: keyOf(id) } : null;
  const href = meta.get('_menu_item_url') ?? '';
  return meta.get('_menu_item_type') === 'custom' && href !== '' ? { href } : null;
}
