import { planBlockMenu, planMenu } from '#server/import/plan-wxr-menu';
import type { EntryType, SiteSettings } from '#server/core/content';
import { ImportLog } from '#server/import/import-log';
import { type ImportPlan, inOrder, lineOf, type SourcePicture } from '#server/import/plan';
import { keyOf, planEntry, type WxrSite } from '#server/import/plan-wxr-entry';
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
