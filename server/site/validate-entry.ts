import type { Entry, EntryDocument, Section, ValidationIssue } from '#server/core/site/content';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { removedElements } from '#server/markup/removed-elements';
import { sectionsBeyondLimit } from '#server/markup/entry-markup-limit';
import { markdownHtml } from '#server/markup/markdown-html';
import { isEmptySection } from '#server/site/section-types';
import { createLocator, type Locator, type SiteAddresses } from '#server/site/site-paths';
import { isReadableAddress, POSTS_SEGMENT } from '#server/core/addresses';
import { shorten, shortTitle } from '#server/core/text/short-text';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { type EntryLink, linkedAsset, linkedPath, linksOf } from '#server/site/entry-links';
import { literalMarkup } from '#server/site/text/literal-markup';

/* Checks an entry before it is published: dead links, texts that cannot be shown, addresses that are in use. */

/** What the checks need to know about the site. */
export interface CheckedSite extends SiteAddresses {
  /** True if a picture of its library still exists. */
  hasAsset(id: string): Promise<boolean>;
  /** True if a picture that is not in the library exists at an address; undefined: unknown. */
  readonly hasPicture?: ((path: string) => Promise<boolean>) | undefined;
  /** True if the sections of a page can be linked to by their ids. */
  readonly hasAnchors: boolean;
  /** True where this server renders the site, and removes some elements from HTML. */
  readonly cleansHtml: boolean;
}

function issue(path: string, { text: message, ...reason }: ServerText, severity: 'warning' | 'error' = 'warning') {
  return { path, message, reason, severity };
}

async function targetProblem(address: string, path: string, locate: Locator): Promise<ServerText | null> {
  const published = await locate(path, 'published');
  if (published?.kind === 'entry' || path === `/${POSTS_SEGMENT}`) return null;
  if (published?.kind === 'redirect')
    return published.id === null ? null : serverText('link-old', { address, to: published.to });
  return serverText((await locate(path, 'draft')) === null ? 'link-nowhere' : 'link-not-published', { address });
}

/** True for a picture of this site whose address leads to no picture. */
async function isMissing(href: string, { hasPicture }: CheckedSite): Promise<boolean> {
  if (!href.startsWith('/') || href.startsWith('//') || hasPicture === undefined) return false;
  return !(await hasPicture(href.split(/[?#]/, 1)[0] ?? ''));
}

/** Anchors that every page has, and those that browsers and footnotes create themselves. */
const COMMON_ANCHOR = /^(?:|top|content|:~:.*|user-content-.*)$/i;

/**
 * Explains that a link to a place on a page leads to no section there; null if it does lead to one.
 * @param path of the page; null: the link names none, so it is on this page, or leads elsewhere
 */
async function anchorProblem(
  href: string,
  path: string | null,
  entry: Entry,
  { entries }: CheckedSite,
  locate: Locator,
): Promise<ServerText | null> {
  const [place = '', anchor = ''] = href.split(/#(.*)/s);
  if (COMMON_ANCHOR.test(anchor) || (path === null && place !== '')) return null;
  const found = path === null ? null : await locate(path, 'published');
  const target = path === null ? entry : entries.find(({ id }) => found?.kind === 'entry' && id === found.id);
  if (target === undefined) return null;
  // The targets of links from this page to itself are published together with it.
  const isOwn = target.id === entry.id;
  const has = (document: EntryDocument | null) =>
    document?.sections.some(({ id }) => id === anchor || id === anchor.replace(/-\d+$/, '')) === true;
  if (has(isOwn ? entry.draft : target.published)) return null;
  return serverText(has(target.draft) ? 'link-section-not-published' : 'link-section-missing', { address: href });
}

/** Message that a link or picture with an invalid address is not shown to visitors. */
export function unreadable({ kind, href }: Pick<EntryLink, 'kind' | 'href'>): ServerText {
  return serverText('link-invalid', { address: shorten(href, 200), isPicture: kind === 'image' });
}

async function linkIssues(
  link: EntryLink,
  entry: Entry,
  site: CheckedSite,
  locate: Locator,
): Promise<ValidationIssue[]> {
  if (!isReadableAddress(link.href)) return [issue(link.path, unreadable(link))];
  const { href: address } = link;
  const issues: ValidationIssue[] = [];
  const asset = linkedAsset(link.href);
  if (asset !== null && !(await site.hasAsset(asset))) {
    issues.push(issue(link.path, serverText('picture-removed', { address })));
  }
  if (asset === null && link.kind === 'image' && (await isMissing(link.href, site))) {
    issues.push(issue(link.path, serverText('picture-missing', { address })));
  }
  const path = link.kind === 'link' ? linkedPath(link.href) : null;
  const problem = path === null ? null : await targetProblem(address, path, locate);
  if (problem !== null) issues.push(issue(link.path, problem));
  else if (link.kind === 'link' && site.hasAnchors) {
    const lost = await anchorProblem(link.href, path, entry, site, locate);
    if (lost !== null) issues.push(issue(link.path, lost));
  }
  if (link.alt?.trim() === '') issues.push(issue(link.path, serverText('picture-undescribed', { address })));
  return issues;
}

/** A text that is shown as plain text: it was stored before limits existed, or came from elsewhere. */
function exceedsLimits({ type, fields }: Section): boolean {
  if (type === 'text' && typeof fields['body'] === 'string') return markdownHtml(fields['body']) === null;
  return type === 'html' && typeof fields['html'] === 'string' && parseHtmlWithinLimits(fields['html']) === null;
}

/** Message that visitors see Markdown source. */
export function literalMarkupNote(markup: string): ServerText {
  return serverText('entry-literal-markup', { markup: shorten(markup, 80) });
}

/** Says that visitors do not see some elements of an HTML section; null where nothing is removed. */
export function removedMarkup({ type, fields }: Section): ServerText | null {
  const names = type === 'html' && typeof fields['html'] === 'string' ? removedElements(fields['html']) : [];
  if (names.length === 0) return null;
  return serverText('entry-removed-html', { elements: names.map((name) => `<${name}>`).join(', ') });
}

function removedIssues({ sections }: EntryDocument): ValidationIssue[] {
  return sections.flatMap((section, index) => {
    const message = removedMarkup(section);
    return message === null ? [] : [issue(`sections[${index}].fields.html`, message)];
  });
}

function textIssues(document: EntryDocument): ValidationIssue[] {
  const { excerpt, seo, sections } = document;
  const beyond = sectionsBeyondLimit(sections);
  const isUndescribed = [excerpt, seo?.description].every((text) => (text ?? '').trim() === '');
  return [
    ...(isUndescribed && seo?.noIndex !== true ? [issue('excerpt', serverText('entry-no-description'))] : []),
    ...(sections.length === 0 ? [issue('sections', serverText('entry-no-sections'))] : []),
    ...sections.flatMap((section, index) => [
      ...(isEmptySection(section)
        ? [issue(`sections[${index}]`, serverText('entry-empty-section', { type: section.type }))]
        : []),
      ...(exceedsLimits(section) || beyond.has(section.id)
        ? [issue(`sections[${index}]`, serverText('entry-too-much-markup'))]
        : []),
    ]),
    ...literalMarkup(document).map(({ path, markup }) => issue(path, literalMarkupNote(markup))),
  ];
}

function parentIssues({ draft: { parent } }: Entry, entries: readonly Entry[]): ValidationIssue[] {
  if (parent === undefined) return [];
  const above = entries.find(({ id }) => id === parent);
  if (above === undefined) return [issue('parent', serverText('entry-parent-deleted'))];
  if (above.published !== null) return [];
  return [issue('parent', serverText('entry-parent-not-published', { title: shortTitle(above.draft.title) }))];
}

function slugIssues({ id, type, draft: { slug } }: Entry, entries: readonly Entry[]): ValidationIssue[] {
  const owner = entries.find((other) => other.id !== id && other.type === type && other.published?.slug === slug);
  if (owner === undefined) return [];
  const text = serverText('entry-slug-published', { slug, title: shortTitle(owner.draft.title), id: owner.id });
  return [issue('slug', text, 'error')];
}

/** Errors in the draft of an entry, and warnings before it is published. */
export async function validateEntry(entry: Entry, site: CheckedSite): Promise<ValidationIssue[]> {
  const locate = createLocator(site);
  const issues = [...slugIssues(entry, site.entries), ...parentIssues(entry, site.entries), ...textIssues(entry.draft)];
  if (site.cleansHtml) issues.push(...removedIssues(entry.draft));
  for (const link of linksOf(entry.draft)) issues.push(...(await linkIssues(link, entry, site, locate)));
  return issues;
}
