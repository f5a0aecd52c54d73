import { percentDecoded } from '#server/core/addresses';
import type { EntryType, Seo } from '#server/core/site/content';
import { shorten } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import type { ImportLog, Reason } from '#server/import-export/plan/import-log';
import type { SourceDocument, SourceEntry } from '#server/import-export/plan/import-plan';
import type { WxrItem } from '#server/import-export/plan/read-wxr';
import { prepareMarkup } from '#server/import-export/plan/prepare-markup';
import { type ReusableBlocks, inlineReusableBlocks } from '#server/import-export/plan/reusable-blocks';
import { plainLine, plainText } from '#server/import-export/plan/plain-text';
import { plannedSlug } from '#server/import-export/plan/planned-slug';

/*
 * The limits of fields are those of `core/site/document-fields`: longer values are cut here instead of refused there.
 */
const MAX_TITLE_CHARS = 200;
const MAX_EXCERPT_CHARS = 500;
const MAX_AUTHOR_CHARS = 120;
const MAX_TAGS = 20;
const MAX_TAG_CHARS = 40;
const NO_TITLE = '(no title)';

/** Data from the rest of the file that is needed to read an item. */
export interface WxrSite extends ReusableBlocks {
  /** Address of the site, without a trailing slash. */
  readonly address: string;
  /** Display names by login name. */
  readonly authors: ReadonlyMap<string, string>;
  /** Addresses of attached pictures by picture id. */
  readonly pictures: ReadonlyMap<string, string>;
  /** Ids of the pictures that were uploaded to an entry, by entry id: the pictures that `[gallery]` shows. */
  readonly attached: ReadonlyMap<string, readonly string[]>;
  /** Ids of pages in the file. */
  readonly pages: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * `key` in the import plan of the WXR item with a WordPress id; posts, pages and attachments share one number range.
 */
export function keyOf(id: string): string {
  return `post:${id}`;
}

/**
 * Converts a WXR item to a page or post of the plan; null if it is not imported. What is skipped or altered is added to
 * the log.
 * @param type the type here: items of custom post types become pages
 */
export function planEntry(item: WxrItem, type: EntryType, site: WxrSite, log: ImportLog): SourceEntry | null {
  const title = plannedTitle(item, type, log);
  if (item.status === 'trash' || item.status === 'auto-draft') {
    const where = item.status === 'trash' ? serverText('import-in-trash') : serverText('import-never-saved');
    log.addSkipped(type, title, where);
    return null;
  }
  reportLosses(item, type, title, log);
  if (item.type !== type)
    log.addAltered(type, title, serverText('import-type', { type: item.type, tag: tagOfType(item) }));
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
  const line = plainLine(title, MAX_TITLE_CHARS);
  if (line === '') {
    log.addAltered(type, slug, serverText('import-no-title', { title: NO_TITLE }));
    return NO_TITLE;
  }
  if (/<\w/.test(title)) log.addAltered(type, line, 'Its title had markup, which is left out.');
  if (line.endsWith('…') && !title.endsWith('…'))
    log.addAltered(type, line, serverText('import-long-title', { count: MAX_TITLE_CHARS }));
  return line;
}

/** True if visitors could see the item: only then may they see it here. */
function isPublic(item: WxrItem, type: EntryType, title: string, site: WxrSite, log: ImportLog): boolean {
  const hidden = (reason: Reason) => {
    log.addAltered(type, title, reason);
    return false;
  };
  if (item.hasPassword) return hidden(serverText('import-password'));
  switch (item.status) {
    case 'publish':
      return true;
    case 'draft':
      return false;
    case 'pending':
      return hidden(serverText('import-in-review'));
    case 'private':
      return hidden(serverText('import-private'));
    case 'future':
      if (item.date !== null && item.date > site.now) return false;
      return hidden(serverText('import-late-draft'));
    default:
      return hidden(serverText('import-status', { status: item.status }));
  }
}

function plannedDocument(item: WxrItem, type: EntryType, title: string, site: WxrSite, log: ImportLog): SourceDocument {
  const slug = plannedSlug(item.slug, title, type);
  if (item.slug !== '' && slug !== item.slug) log.addAltered(type, title, serverText('import-address-letters'));
  const ownTag = item.type === type ? [] : [tagOfType(item)];
  const tags = [...new Set([...ownTag, ...plannedTags(item, type, title, log)])].slice(0, MAX_TAGS);
  const excerpt = plainText(item.excerpt).trim();
  if (excerpt.length > MAX_EXCERPT_CHARS)
    log.addAltered(type, title, serverText('import-long-excerpt', { count: MAX_EXCERPT_CHARS }));
  const author = plainLine(site.authors.get(item.author) ?? item.author, MAX_AUTHOR_CHARS);
  const parent = item.parent !== '' && item.parent !== '0' ? item.parent : null;
  if (parent !== null && !site.pages.has(parent)) log.addAltered(type, title, serverText('import-parent-missing'));
  const thumbnail = item.meta.get('_thumbnail_id') ?? '';
  const image = site.pictures.get(thumbnail);
  if (thumbnail !== '' && image === undefined) log.addAltered(type, title, serverText('import-featured-picture'));
  return {
    title,
    slug,
    ...(excerpt !== '' && { excerpt: shorten(excerpt, MAX_EXCERPT_CHARS) }),
    ...(author !== '' && { author }),
    ...(tags.length > 0 && { tags }),
    ...(image !== undefined && { image }),
    ...(parent !== null && type === 'page' && site.pages.has(parent) && { parent: keyOf(parent) }),
    ...seoOf(item.meta),
    content: { kind: 'markup', markup: markupOf(item, type, title, site, log) },
  };
}

function markupOf(item: WxrItem, type: EntryType, title: string, site: WxrSite, log: ImportLog): string {
  const source = { link: item.link, footnotes: item.meta.get('footnotes') ?? '' };
  const { markup, remarks } = prepareMarkup(inlineReusableBlocks(withGalleryIds(item, site), site), source);
  for (const remark of remarks) log.addAltered(type, title, remark);
  return markup;
}

/** A custom post type of a plugin or theme as a tag: `acme_recipe` is "acme recipe". */
function tagOfType({ type }: WxrItem): string {
  return plainLine(type.replaceAll(/[_-]+/g, ' '), MAX_TAG_CHARS);
}

/** `[gallery]` without ids shows everything that was uploaded to the entry: adds the ids. */
function withGalleryIds({ id, content }: WxrItem, { attached }: WxrSite): string {
  const ids = attached.get(id) ?? [];
  if (ids.length === 0) return content;
  return content.replaceAll(/\[gallery(?=[\s\]])(?![^\][]*\b(?:ids|include)=)/g, `[gallery ids="${ids.join(',')}"`);
}

function plannedTags({ terms }: WxrItem, type: EntryType, title: string, log: ImportLog): string[] {
  const names = new Set<string>();
  for (const { domain, slug, name } of terms) {
    if (domain !== 'category' && domain !== 'post_tag') {
      log.addSkippedPart(domain, name, serverText('import-no-terms', { group: domain.replaceAll('_', ' ') }));
    } else if (slug === 'uncategorized') {
      log.addSkippedPart('category', name, serverText('import-default-category'));
    } else {
      const tag = plainLine(name, MAX_TAG_CHARS);
      if (tag !== '') names.add(tag);
    }
  }
  const tags = [...names];
  const tooMany = tags.length - MAX_TAGS;
  if (tooMany > 0) log.addSkippedPart('tag', title, serverText('import-many-tags', { count: MAX_TAGS }), tooMany);
  if (terms.some(({ name }) => plainLine(name, 1_000).length > MAX_TAG_CHARS))
    log.addAltered(type, title, serverText('import-long-tag', { count: MAX_TAG_CHARS }));
  return tags.slice(0, MAX_TAGS);
}

/** A placeholder of an SEO plugin (`%%title%%`, `%customfield(x)%`); "20% off" contains none. */
const PLACEHOLDER = /%[a-z][\w-]*(?:\([^()]*\))?%/i;

/** SEO data of the common plugins, except values with placeholders, which mean nothing here. */
function seoOf(meta: ReadonlyMap<string, string>): { seo?: Seo } {
  const first = (names: readonly string[], max: number) => {
    const value = names.map((name) => meta.get(name) ?? '').find((text) => text !== '' && !PLACEHOLDER.test(text));
    return value === undefined ? '' : plainLine(value, max);
  };
  const title = first(['_yoast_wpseo_title', 'rank_math_title', '_aioseo_title'], 200);
  const description = first(['_yoast_wpseo_metadesc', 'rank_math_description', '_aioseo_description'], 500);
  if (title === '' && description === '') return {};
  return { seo: { ...(title !== '' && { title }), ...(description !== '' && { description }) } };
}

const SEO_FIELD = /^(_yoast|rank_math|_aioseo)/;

function reportLosses(item: WxrItem, type: EntryType, title: string, log: ImportLog): void {
  if (item.comments.length > 0) log.addAltered('comment', title, serverText('import-comments'), item.comments.length);
  if (item.isSticky) log.addAltered(type, title, serverText('import-sticky'));
  const template = item.meta.get('_wp_page_template') ?? '';
  if (template !== '' && template !== 'default') log.addAltered(type, title, serverText('import-template'));
  if ([...item.meta.keys()].some((name) => /^_(elementor|fl_builder|et_pb)/.test(name)))
    log.addAltered(type, title, serverText('import-page-builder'));
  for (const name of item.meta.keys()) {
    if (!name.startsWith('_') && name !== 'footnotes' && !SEO_FIELD.test(name))
      log.addSkippedPart('custom field', name, serverText('import-no-own-fields'));
  }
}

/** Addresses of an item in the forms that content may use. */
export function addressesOf({ id, link, guid }: WxrItem, site: string): string[] {
  return [link, guid, `${site}/?p=${id}`, `${site}/?page_id=${id}`].filter(Boolean);
}

/**
 * The path of an address as visitors requested it, relative to the site; empty for an address with a query, of another
 * host, or of the home page.
 */
function formerPaths(link: string, site: string): string[] {
  if (!URL.canParse(link) || !URL.canParse(site)) return [];
  const { pathname, search, host } = new URL(link);
  const base = new URL(site);
  if (search !== '' || host !== base.host || !pathname.startsWith(base.pathname.replace(/\/$/, ''))) return [];
  const below = pathname.slice(base.pathname.replace(/\/$/, '').length);
  const segments = percentDecoded(below).split('/').filter(Boolean);
  return segments.length === 0 ? [] : [`/${segments.join('/')}`];
}
