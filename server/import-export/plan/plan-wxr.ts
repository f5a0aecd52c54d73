import { type MenuTarget, planBlockMenu, planMenu } from '#server/import-export/plan/plan-wxr-menu';
import { POSTS_SEGMENT } from '#server/core/addresses';
import { createYielder } from '#server/core/async';
import type { EntryType, SiteSettings } from '#server/core/site/content';
import { serverText } from '#server/core/messages/server-text';
import { ImportLog } from '#server/import-export/plan/import-log';
import type { ImportPlan, SourceEntry, SourcePicture } from '#server/import-export/plan/import-plan';
import { addressesOf, keyOf, planEntry, type WxrSite } from '#server/import-export/plan/plan-wxr-entry';
import { childrenOf, readItem, readWxr, textOf, type WxrItem, type XmlNode } from '#server/import-export/plan/read-wxr';
import { extractDataPictures } from '#server/import-export/plan/data-pictures';
import { languageTag } from '#server/site/site-settings';
import { plainLine } from '#server/import-export/plan/plain-text';
import { sortByParent } from '#server/import-export/plan/sort-entries';
import { stateHash } from '#server/import-export/plan/state-hash';

const PICTURE = /\.(png|jpe?g|gif|webp|avif)(?:[?#]|$)/i;

/**
 * Parses a WXR file (WordPress's export) as a plan.
 * @param now epoch milliseconds: posts scheduled for a later time stay scheduled
 * @throws InvalidInputError if it is not such a file; with the line if it is not XML
 */
export async function planWxr(text: string, now: number): Promise<ImportPlan> {
  const items: WxrItem[] = [];
  const log = new ImportLog();
  const { text: xml, pictures: data } = extractDataPictures(text);
  const { channel } = await readWxr(
    xml,
    (node) => items.push(readItem(node)),
    (title, line) => log.addSkipped('item', title || `line ${line}`, serverText('import-too-large')),
  );
  // The lookbehind avoids a search from each slash of a run in the middle of the address.
  const address = (textOf(channel, 'wp:base_blog_url') || textOf(channel, 'link')).replace(/(?<!\/)\/+$/, '');
  const unique = withoutRepeats(items, log);
  const ofType = (type: string) => unique.filter((item) => item.type === type);
  const pictures = planPictures(ofType('attachment'), log);
  const shownTypes = new Set(unique.filter((item) => isShown(item, address)).map(({ type }) => type));
  /** Custom post types of plugins and themes that visitors have pages of. */
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
  // WordPress's page for posts is an empty page. Imported, it would be shown instead of the list of posts.
  const hasPosts = unique.some(({ type }) => type === 'post');
  const emptyPostsPages = hasPosts ? unique.filter((item) => isAtPostsPath(item) && isEmpty(item)) : [];
  for (const { title } of emptyPostsPages)
    log.addSkipped('page', title, serverText('import-posts-page', { path: `/${POSTS_SEGMENT}` }));
  const entries: SourceEntry[] = [];
  const yieldIfDue = createYielder();
  for (const item of unique) {
    const type = isEntry(item.type) ? item.type : isCustom(item) ? 'page' : null;
    if (type === null || emptyPostsPages.includes(item)) continue;
    if (item.type === 'page' && hasPosts) reportBlogPage(item, log);
    const planned = planEntry(item, type, site, log);
    if (planned !== null) entries.push(planned);
    await yieldIfDue();
  }
  for (const { id, title } of reusable)
    log.addSkipped(
      'reusable block',
      title,
      site.shownBlocks.has(id) ? BLOCK_TEXT_IS_INLINED : serverText('import-block-not-shown'),
    );
  const titles = new Map<string, MenuTarget>([
    ...entries.map(({ key, draft }) => [key.slice(keyOf('').length), { title: draft.title }] as const),
    ...emptyPostsPages.map(({ id, title }) => [id, { title, href: POSTS_PATH }] as const),
  ]);
  const links = items.filter(({ type }) => type === 'nav_menu_item');
  const menu = planBlockMenu(ofType('wp_navigation'), titles, log, planMenu(links, titles, log));
  if (ofType('page').length > 0) log.addAltered('settings', 'home page', serverText('import-no-home-page'));
  reportOtherTypes(
    unique.filter((item) => !isCustom(item)),
    log,
  );
  reportTerms(channel, items, log);
  return {
    format: 'wxr',
    source: `wxr:${address || textOf(channel, 'title')}`,
    base: address || null,
    entries: sortByParent(entries, log),
    pictures: [...pictures, ...dataPictures(entries, data)],
    places: [
      ...(address === '' ? [] : [{ addresses: [`${address}/`], path: '/' }]),
      ...emptyPostsPages.map((item) => ({ addresses: addressesOf(item, address), path: POSTS_PATH })),
    ],
    menu,
    settings: settingsOf(channel),
    standing: null,
    design: null,
    log,
  };
}

const POSTS_PATH = `/${POSTS_SEGMENT}`;

/** Markup that shows nothing: delimiters of blocks, empty paragraphs, spaces that do not break. */
const SHOWS_NOTHING = /<!--[^]*?-->|<\/?(?:p|div|br)\b[^<>]*>|&nbsp;|&#160;/gi;

/** True for a page without words and pictures of its own. A reusable block has words. */
const isEmpty = ({ content }: WxrItem) =>
  !content.includes('<!-- wp:block ') && content.replaceAll(SHOWS_NOTHING, '').trim() === '';

function isAtPostsPath({ type, slug, parent, status }: WxrItem): boolean {
  return type === 'page' && slug === POSTS_SEGMENT && (parent === '' || parent === '0') && status !== 'trash';
}

/** Reports a page of a site with posts that is empty, or at the address of the list of posts. */
function reportBlogPage(item: WxrItem, log: ImportLog): void {
  if (isAtPostsPath(item))
    log.addAltered('page', item.title, serverText('import-posts-page-shown', { path: POSTS_PATH }));
  else if (isEmpty(item) && item.status === 'publish')
    log.addAltered('page', item.title, serverText('import-posts-page-empty', { path: POSTS_PATH }));
}

/** Pictures whose bytes are in the texts of entries. */
function dataPictures(entries: readonly SourceEntry[], data: ReadonlyMap<string, string>): SourcePicture[] {
  const texts = entries.map(({ draft: { content } }) => (content.kind === 'markup' ? content.markup : '')).join('\n');
  return [...data]
    .filter(([address]) => texts.includes(address))
    .map(([address, bytes]) => ({
      key: `data:${stateHash(bytes)}`,
      address: null,
      bytes,
      addresses: [address],
      filename: `picture-${address.split('/').at(-1) ?? ''}`,
      alt: '',
      tags: [],
    }));
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
  const siteName = plainLine(textOf(channel, 'title'), 120);
  const tagline = plainLine(textOf(channel, 'description'), 300);
  const language = languageTag(textOf(channel, 'language').trim());
  return {
    ...(siteName !== '' && { siteName }),
    ...(tagline !== '' && { tagline }),
    ...(language !== null && { language }),
  };
}

/** Removes repeated items by id. Items of several menus may share an id; for everything else, an id is unique. */
function withoutRepeats(items: readonly WxrItem[], log: ImportLog): WxrItem[] {
  const seen = new Set<string>();
  return items.filter(({ type, id, title }) => {
    if (type === 'nav_menu_item') return false;
    if (!seen.has(id) && id !== '') {
      seen.add(id);
      return true;
    }
    log.addSkipped(
      type === 'attachment' ? 'picture' : type,
      title,
      id === '' ? serverText('import-no-id') : serverText('import-twice'),
    );
    return false;
  });
}

function planPictures(items: readonly WxrItem[], log: ImportLog): SourcePicture[] {
  return items.flatMap((item) => {
    const address = item.fileAddress || item.guid;
    if (!PICTURE.test(address)) {
      log.addSkipped('file', item.title, serverText('import-not-a-picture'));
      return [];
    }
    const caption = plainLine(item.excerpt, 300);
    return {
      key: keyOf(item.id),
      address,
      addresses: [address, item.link, item.guid].filter(Boolean),
      filename: address.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '',
      alt: plainLine(item.meta.get('_wp_attachment_image_alt') ?? '', 300),
      tags: [],
      number: Number(item.id),
      ...(caption !== '' && { caption }),
    };
  });
}

/** Ids of pictures by the id of the entry to which they were uploaded, in the entry's order. */
function attachedTo(items: readonly WxrItem[], pictures: readonly SourcePicture[]): Map<string, string[]> {
  const taken = new Set(pictures.map(({ key }) => key));
  const attached = new Map<string, string[]>();
  for (const { id, parent } of items.filter((item) => taken.has(keyOf(item.id))).toSorted((a, b) => a.order - b.order))
    attached.set(parent, [...(attached.get(parent) ?? []), id]);
  return attached;
}

const BLOCK_TEXT_IS_INLINED = serverText('import-block-inlined');
/** Post types that have a reader of their own. */
const KNOWN = new Set(['page', 'post', 'attachment', 'nav_menu_item', 'wp_block', 'wp_navigation']);
/** Internal post types of WordPress and plugins, whose addresses visitors do not use. */
const INTERNAL =
  /^(?:$|wp_|acf-|elementor_|oembed|custom_css|customize_|revision|shop_order|shop_coupon|product_variation|.*-form$)/;

/** True if visitors could have found an item at an address. */
function isShown({ type, link, status }: WxrItem, address: string): boolean {
  if (INTERNAL.test(type) || status !== 'publish' || !URL.canParse(link)) return false;
  const { pathname, search } = new URL(link);
  return search === '' && pathname !== '/' && link.startsWith(address);
}

function reportOtherTypes(items: readonly WxrItem[], log: ImportLog): void {
  for (const { type, title } of items) {
    if (!KNOWN.has(type)) log.addSkipped(type || 'item', title, serverText('import-no-page'));
  }
}

/** Reports categories, tags and other terms that no entry has, and their properties that are lost. */
function reportTerms(channel: XmlNode, items: readonly WxrItem[], log: ImportLog): void {
  const used = new Set(items.flatMap(({ terms }) => terms.map(({ domain, slug }) => `${domain} ${slug}`)));
  const reportUnused = (kind: string, domain: string, slug: string, name: string) => {
    if (!used.has(`${domain} ${slug}`)) log.addSkippedPart(kind, name || slug, serverText('import-term-unused'));
  };
  for (const term of childrenOf(channel, 'wp:category')) {
    const name = textOf(term, 'wp:cat_name');
    reportUnused('category', 'category', textOf(term, 'wp:category_nicename'), name);
    if (textOf(term, 'wp:category_parent') !== '')
      log.addAltered('category', name, serverText('import-category-parent'));
    if (textOf(term, 'wp:category_description') !== '')
      log.addAltered('category', name, serverText('import-category-description'));
  }
  for (const term of childrenOf(channel, 'wp:tag')) {
    const name = textOf(term, 'wp:tag_name');
    reportUnused('tag', 'post_tag', textOf(term, 'wp:tag_slug'), name);
    if (textOf(term, 'wp:tag_description') !== '') log.addAltered('tag', name, serverText('import-tag-description'));
  }
}
