import { percentDecoded } from '#server/core/addresses';
import type { EntryType, Seo } from '#server/core/content';
import { shorten } from '#server/core/short-text';
import { plannedSlug } from '#server/import/decide-entries';
import type { ImportLog } from '#server/import/import-log';
import { lineOf, type SourceDocument, type SourceEntry, wordsOf } from '#server/import/plan';
import type { WxrItem } from '#server/import/read-wxr';
import { type ReusableBlocks, withReusable } from '#server/import/reusable-words';

const MAX_TITLE_CHARS = 200;
const MAX_EXCERPT_CHARS = 500;
const MAX_AUTHOR_CHARS = 120;
const MAX_TAGS = 20;
const MAX_TAG_CHARS = 40;
const NO_TITLE = '(no title)';

/** Data of the rest of the file that reading an item needs. */
export interface WxrSite extends ReusableBlocks {
  /** Address of the site, without a slash at the end. */
  readonly address: string;
  /** Display names by login name. */
  readonly authors: ReadonlyMap<string, string>;
  /** Addresses of attached pictures by their id. */
  readonly pictures: ReadonlyMap<string, string>;
  /** Ids of the pictures that were uploaded to an entry, by its id: what `[gallery]` shows. */
  readonly attached: ReadonlyMap<string, readonly string[]>;
  /** Ids of pages in the file. */
  readonly pages: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The key of an item. */
export function keyOf(id: string): string {
  return `post:${id}`;
}

/** A page or post as it is to become; null where it is not taken. What is lost of it is written into the log. */
export function planEntry(item: WxrItem, type: EntryType, site: WxrSite, log: ImportLog): SourceEntry | null {
  const title = plannedTitle(item, type, log);
  if (item.status === 'trash' || item.status === 'auto-draft') {
    const where = item.status === 'trash' ? 'It was in the trash.' : 'It was never saved.';
    log.left(type, title, where);
    return null;
  }
  tellLosses(item, type, title, log);
  if (item.type !== type)
    log.altered(type, title, `It was a "${item.type}": it is a page here, with the tag "${tagOfType(item)}".`);
  const draft = plannedDocument(item, type, title, site, log);
  const isVisible = isPublic(item, type, title, site, log);
  const isPlanned = item.status === 'future' && !item.hasPassword && item.date !== null && item.date > site.now;
  return {
    key: keyOf(item.id),
    type,
    draft,
    published: isVisible ? draft : null,
    publishedAt: isVisible && item.date !== null ? Math.min(item.date, site.now) : null,
    publishAt: isPlanned ? item.date : null,
    scheduled: null,
    addresses: addressesOf(item, site.address),
    formerPaths: isVisible ? formerPaths(item.link, site.address) : [],
    ...(item.comments.length > 0 && { comments: item.comments }),
  };
}

function plannedTitle({ title, slug }: WxrItem, type: EntryType, log: ImportLog): string {
  const line = lineOf(title, MAX_TITLE_CHARS);
  if (line === '') {
    log.altered(type, slug, `It had no title: it is called "${NO_TITLE}".`);
    return NO_TITLE;
  }
  if (/<\w/.test(title)) log.altered(type, line, 'Its title had markup, which is left out.');
  if (line.endsWith('…') && !title.endsWith('…'))
    log.altered(type, line, `Its title is cut at ${MAX_TITLE_CHARS} characters.`);
  return line;
}

/** Tells whether visitors saw it: only then may they see it here. */
function isPublic(item: WxrItem, type: EntryType, title: string, site: WxrSite, log: ImportLog): boolean {
  const hidden = (reason: string) => {
    log.altered(type, title, reason);
    return false;
  };
  if (item.hasPassword) return hidden('It was behind a password: it is a draft here.');
  switch (item.status) {
    case 'publish':
      return true;
    case 'draft':
      return false;
    case 'pending':
      return hidden('It waited for review: it is a draft here.');
    case 'private':
      return hidden('It was private: it is a draft here.');
    case 'future':
      if (item.date !== null && item.date > site.now) return false;
      return hidden('Its planned time has passed: it is a draft here.');
    default:
      return hidden(`Its status was "${item.status}": it is a draft here.`);
  }
}

function plannedDocument(item: WxrItem, type: EntryType, title: string, site: WxrSite, log: ImportLog): SourceDocument {
  const slug = plannedSlug(item.slug, title, type);
  if (item.slug !== '' && slug !== item.slug)
    log.altered(type, title, 'Its address had letters that addresses cannot have here: it has a new one.');
  const ownTag = item.type === type ? [] : [tagOfType(item)];
  const tags = [...new Set([...ownTag, ...plannedTags(item, type, title, log)])].slice(0, MAX_TAGS);
  const excerpt = wordsOf(item.excerpt).trim();
  if (excerpt.length > MAX_EXCERPT_CHARS)
    log.altered(type, title, `Its excerpt is cut at ${MAX_EXCERPT_CHARS} characters.`);
  const author = lineOf(site.authors.get(item.author) ?? item.author, MAX_AUTHOR_CHARS);
  const parent = item.parent !== '' && item.parent !== '0' ? item.parent : null;
  if (parent !== null && !site.pages.has(parent))
    log.altered(type, title, 'Its parent page is not in the file: it has no parent here.');
  const thumbnail = item.meta.get('_thumbnail_id') ?? '';
  const image = site.pictures.get(thumbnail);
  if (thumbnail !== '' && image === undefined)
    log.altered(type, title, 'Its featured picture is not in the file: it has none here.');
  return {
    title,
    slug,
    ...(excerpt !== '' && { excerpt: shorten(excerpt, MAX_EXCERPT_CHARS) }),
    ...(author !== '' && { author }),
    ...(tags.length > 0 && { tags }),
    ...(image !== undefined && { image }),
    ...(parent !== null && type === 'page' && site.pages.has(parent) && { parent: keyOf(parent) }),
    ...seoOf(item.meta),
    content: { kind: 'markup', markup: withReusable(withGalleryIds(item, site), site) },
  };
}

/** A kind of content of a plugin or theme as a tag: `acme_recipe` is "acme recipe". */
function tagOfType({ type }: WxrItem): string {
  return lineOf(type.replaceAll(/[_-]+/g, ' '), MAX_TAG_CHARS);
}

/** `[gallery]` alone shows all that was uploaded to the entry: here it says which. */
function withGalleryIds({ id, content }: WxrItem, { attached }: WxrSite): string {
  const ids = attached.get(id) ?? [];
  if (ids.length === 0) return content;
  return content.replaceAll(/\[gallery(?=[\s\]])(?![^\][]*\b(?:ids|include)=)/g, `[gallery ids="${ids.join(',')}"`);
}

function plannedTags({ terms }: WxrItem, type: EntryType, title: string, log: ImportLog): string[] {
  const names = new Set<string>();
  for (const { domain, slug, name } of terms) {
    if (domain !== 'category' && domain !== 'post_tag') {
      log.leftWithin(domain, name, `Entries have no ${domain.replaceAll('_', ' ')} here.`);
    } else if (slug === 'uncategorized') {
      log.leftWithin('category', name, 'WordPress uses it for entries without a category.');
    } else {
      const tag = lineOf(name, MAX_TAG_CHARS);
      if (tag !== '') names.add(tag);
    }
  }
  const tags = [...names];
  const tooMany = tags.length - MAX_TAGS;
  if (tooMany > 0)
    log.leftWithin('tag', title, `An entry has at most ${MAX_TAGS} tags here: the others are left out.`, tooMany);
  if (terms.some(({ name }) => lineOf(name, 1_000).length > MAX_TAG_CHARS))
    log.altered(type, title, `A tag of it is cut at ${MAX_TAG_CHARS} characters.`);
  return tags.slice(0, MAX_TAGS);
}

/** A placeholder of such a plugin (`%%title%%`, `%customfield(x)%`); "20% off" has none. */
const PLACEHOLDER = /%[a-z][\w-]*(?:\([^()]*\))?%/i;

/** Search engine data of the usual plugins, but for what is made of placeholders: they mean nothing here. */
function seoOf(meta: ReadonlyMap<string, string>): { seo?: Seo } {
  const first = (names: readonly string[], max: number) => {
    const said = names.map((name) => meta.get(name) ?? '').find((text) => text !== '' && !PLACEHOLDER.test(text));
    return said === undefined ? '' : lineOf(said, max);
  };
  const title = first(['_yoast_wpseo_title', 'rank_math_title', '_aioseo_title'], 200);
  const description = first(['_yoast_wpseo_metadesc', 'rank_math_description', '_aioseo_description'], 500);
  if (title === '' && description === '') return {};
  return { seo: { ...(title !== '' && { title }), ...(description !== '' && { description }) } };
}

const SEO_FIELD = /^(_yoast|rank_math|_aioseo)/;

function tellLosses(item: WxrItem, type: EntryType, title: string, log: ImportLog): void {
  if (item.comments.length > 0)
    log.altered('comment', title, 'Kept with it for an export: visitors see no comments here.', item.comments.length);
  if (item.isSticky) log.altered(type, title, 'It was sticky: here posts are listed by date.');
  const template = item.meta.get('_wp_page_template') ?? '';
  if (template !== '' && template !== 'default')
    log.altered(type, title, 'It had its own template: all pages have the same one here.');
  if ([...item.meta.keys()].some((name) => /^_(elementor|fl_builder|et_pb)/.test(name)))
    log.altered(type, title, 'It was made with a page builder: content that only the page builder stores is missing.');
  for (const name of item.meta.keys()) {
    if (!name.startsWith('_') && !SEO_FIELD.test(name))
      log.leftWithin('custom field', name, 'Entries have no fields of their own here.');
  }
}

function addressesOf({ id, link, guid }: WxrItem, site: string): string[] {
  return [link, guid, `${site}/?p=${id}`, `${site}/?page_id=${id}`].filter(Boolean);
}

/** The path of an address of the site, as visitors asked for it; none where that was not a path. */
function formerPaths(link: string, site: string): string[] {
  if (!URL.canParse(link) || !URL.canParse(site)) return [];
  const { pathname, search, host } = new URL(link);
  const base = new URL(site);
  if (search !== '' || host !== base.host || !pathname.startsWith(base.pathname.replace(/\/$/, ''))) return [];
  const below = pathname.slice(base.pathname.replace(/\/$/, '').length);
  const segments = percentDecoded(below).split('/').filter(Boolean);
  return segments.length === 0 ? [] : [`/${segments.join('/')}`];
}
