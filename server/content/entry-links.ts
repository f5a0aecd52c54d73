import type {
  Entry,
  EntryDocument,
  NavigationItem,
  Ref,
  Reference,
  Section,
  ValidationIssue,
} from '#server/core/content';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { decodeEntities } from '#server/markup/html-text';
import { attribute, elementsWithin } from '#server/markup/html-tree';
import { markdownHtml, sectionsBeyondLimit } from '#server/markup/markdown';
import { quotedTitle } from '#server/content/change-summary';
import { literalMarkup, sectionTexts } from '#server/content/section-texts';
import { isEmptySection } from '#server/content/section-types';
import { createLocator, type Locator, type SiteAddresses, type SiteState } from '#server/content/site-paths';
import { POSTS_SEGMENT } from '#server/core/addresses';
import { shorten } from '#server/core/short-text';

/* Links of entries: the addresses that documents hold, what refers to a thing, and links that lead nowhere. */

/** An address in a document: somewhere to go, or a picture that is shown. */
interface EntryLink {
  readonly kind: 'link' | 'image';
  /** The address as it is written. */
  readonly href: string;
  readonly sectionId?: string;
  /** `sections[2].fields.body`. */
  readonly path: string;
  /** Description of a picture; undefined for links, and where nobody reads it (cover, link previews). */
  readonly alt?: string;
}

/** Addresses in markdown as visitors get them; those in code do not count. */
function markdownLinks(markdown: string, path: string): EntryLink[] {
  // Most texts hold none, and parsing costs more than all else here.
  if (!/[\]:<]|www/.test(markdown)) return [];
  // What is shown as it is written leads nowhere.
  const html = markdownHtml(markdown) ?? '';
  const tags = html.matchAll(/<(?:a href="([^"]*)"|img src="([^"]*)" alt="([^"]*)")/g);
  return [...tags].map(([, href, src, alt = '']) =>
    src === undefined
      ? { kind: 'link', href: decodeEntities(href ?? ''), path }
      : { kind: 'image', href: decodeEntities(src), path, alt: decodeEntities(alt) },
  );
}

/** Addresses in HTML. */
function htmlLinks(html: string, path: string): EntryLink[] {
  const tree = /<(?:a|img)\b/i.test(html) ? parseHtmlWithinLimits(html) : null;
  return tree === null
    ? []
    : elementsWithin(tree).flatMap((element): EntryLink[] => {
        const [href, src] = [attribute(element, 'href'), attribute(element, 'src')];
        if (element.tagName === 'a' && href !== undefined) return [{ kind: 'link', href, path }];
        if (element.tagName !== 'img' || src === undefined) return [];
        return [{ kind: 'image', href: src, path, alt: attribute(element, 'alt') ?? '' }];
      });
}

function sectionLinks(section: Section, index: number): EntryLink[] {
  return sectionTexts(section, index).flatMap(({ kind, text, path, alt }): EntryLink[] => {
    const { id: sectionId } = section;
    if (kind === 'plain') return [];
    if (kind === 'markdown') return markdownLinks(text, path).map((link) => ({ ...link, sectionId }));
    if (kind === 'html') return htmlLinks(text, path).map((link) => ({ ...link, sectionId }));
    return [{ kind, href: text, path, sectionId, ...(alt !== undefined && { alt }) }];
  });
}

/** Every address in a document, in its order; none of the sections that are shown as plain words. */
export function linksOf(document: EntryDocument): EntryLink[] {
  const { image, seo, sections } = document;
  const beyond = sectionsBeyondLimit(sections);
  return [
    ...(image === undefined ? [] : [{ kind: 'image' as const, href: image, path: 'image' }]),
    ...(seo?.image === undefined ? [] : [{ kind: 'image' as const, href: seo.image, path: 'seo.image' }]),
    ...sections.flatMap((section, index) => (beyond.has(section.id) ? [] : sectionLinks(section, index))),
  ];
}

const FILE = /\.[a-z0-9]+$/i;
const ASSET = /^\/media\/([^/?#]+)(?:[/?#]|$)/;

/**
 * The path of the site that a link of the content leads to (`/pricing/#plans` gives `/pricing`). Null for files,
 * anchors and other sites.
 */
export function linkedPath(href: string): string | null {
  if (!href.startsWith('/') || /^\/[/\\]/.test(href)) return null;
  const [place = ''] = href.replace(/^\/(?:site|preview)(?=[/?#]|$)/, '').split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return null;
  return place === '' ? '/' : place;
}

/** The id of the asset that an address shows; null for all else. */
export function linkedAsset(href: string): string | null {
  return ASSET.exec(href)?.[1] ?? null;
}

/** A whole site, as far as one thing of it can name another. */
export interface LinkedSite extends SiteAddresses {
  readonly navigation: readonly NavigationItem[];
}

type Target = Pick<Ref, 'type' | 'id'>;

/** Characters that can hide a name in a link: an entity, a percent sign, or a backslash as JSON writes it. */
const ESCAPED = /[&%]|\\\\/;

/**
 * Names of a target: every link to it that escapes nothing holds one of them. Null where a link can do without, as one to
 * the home page.
 */
async function namesOf({ type, id }: Target, site: SiteAddresses, locate: Locator): Promise<string[] | null> {
  if (type === 'asset') return [id.toLowerCase()];
  const homes = [await locate('/', 'draft'), await locate('/', 'published')];
  if (homes.some((home) => home?.id === id)) return null;
  const slugs = site.entries
    .filter((entry) => entry.id === id)
    .flatMap(({ draft, published }) => [draft.slug, ...(published === null ? [] : [published.slug])]);
  const former = site.redirects
    .filter(({ targetId }) => targetId === id)
    .map(({ from }) => from.split('/').at(-1) ?? '');
  return [...slugs, ...former];
}

/** Tells quickly whether a document may link to the target: reading all its markdown takes a hundred times as long. */
type QuickLook = (document: EntryDocument) => boolean;

async function quickLookFor(target: Target, site: SiteAddresses, locate: Locator): Promise<QuickLook> {
  const names = await namesOf(target, site, locate);
  return (document) => {
    const text = JSON.stringify(document).toLowerCase();
    return names === null || ESCAPED.test(text) || names.some((name) => text.includes(name));
  };
}

async function isTarget(target: Target, href: string, state: SiteState, locate: Locator): Promise<boolean> {
  if (target.type === 'asset') return linkedAsset(href) === target.id;
  const path = linkedPath(href);
  return path !== null && (await locate(path, state))?.id === target.id;
}

/** A search for links to one target. */
interface LinkSearch {
  readonly locate: Locator;
  readonly mayLink: QuickLook;
}

/** Links of one state of an entry that lead to the target, each address once for a section. */
async function linksTo(
  target: Target,
  document: EntryDocument | null,
  state: SiteState,
  search: LinkSearch,
): Promise<EntryLink[]> {
  const found = new Map<string, EntryLink>();
  const { locate, mayLink } = search;
  for (const link of document === null || !mayLink(document) ? [] : linksOf(document)) {
    if (await isTarget(target, link.href, state, locate))
      found.set(`${link.kind} ${link.sectionId} ${link.href}`, link);
  }
  return [...found.values()];
}

async function entryReferences(target: Target, entry: Entry, search: LinkSearch): Promise<Reference[]> {
  if (entry.id === target.id) return [];
  const drafted = await linksTo(target, entry.draft, 'draft', search);
  const published = await linksTo(target, entry.published, 'published', search);
  const planned = await linksTo(target, entry.planned, 'draft', search);
  const from = { type: entry.type, id: entry.id, title: entry.draft.title };
  const isSame = (a: EntryLink) => (b: EntryLink) =>
    a.href === b.href && a.kind === b.kind && a.sectionId === b.sectionId;
  const links = [drafted, published, planned].reduce((some, more) => [
    ...some,
    ...more.filter((link) => !some.some(isSame(link))),
  ]);
  const references = links.map((link): Reference => ({
    kind: link.kind,
    from: { ...from, ...(link.sectionId !== undefined && { sectionId: link.sectionId }) },
    text: link.href,
    isPublished: published.some(isSame(link)),
    ...(planned.some(isSame(link)) && { isPlanned: true }),
  }));
  const isPublishedBelow = entry.published?.parent === target.id;
  if (entry.draft.parent !== target.id && !isPublishedBelow) return references;
  return [{ kind: 'child', from, text: entry.draft.title, isPublished: isPublishedBelow }, ...references];
}

async function navigationReferences(
  target: Target,
  items: readonly NavigationItem[],
  locate: Locator,
): Promise<Reference[]> {
  const from = { type: 'navigation', id: 'navigation', title: 'Menu' } as const;
  const references: Reference[] = [];
  for (const { label, href, children = [] } of items) {
    const isHere =
      (await isTarget(target, href, 'published', locate)) || (await isTarget(target, href, 'draft', locate));
    if (isHere) references.push({ kind: 'navigation', from, text: label, isPublished: true });
    references.push(...(await navigationReferences(target, children, locate)));
  }
  return references;
}

function homeReferences(target: Target, { entries, homeSlug }: SiteAddresses): Reference[] {
  const entry = entries.find(({ id }) => id === target.id);
  const isHome = entry?.type === 'page' && [entry.draft.slug, entry.published?.slug].includes(homeSlug);
  if (!isHome) return [];
  const from = { type: 'settings', id: 'settings', title: 'Site settings' } as const;
  return [{ kind: 'home', from, text: homeSlug, isPublished: true }];
}

/** See ContentBackend.referencesTo. What an entry says of itself does not count. */
export async function findReferences(target: Target, site: LinkedSite): Promise<Reference[]> {
  const locate = createLocator(site);
  const references = [
    ...homeReferences(target, site),
    ...(await navigationReferences(target, site.navigation, locate)),
  ];
  const search = { locate, mayLink: await quickLookFor(target, site, locate) };
  for (const entry of site.entries) references.push(...(await entryReferences(target, entry, search)));
  return references;
}

/** A site, and what is there of what links lead to. */
export interface CheckedSite extends SiteAddresses {
  /** Tells whether a picture of its library is still there. */
  hasAsset(id: string): Promise<boolean>;
  /** Tells whether a picture that is not of the library is at an address; undefined: nobody knows. */
  readonly hasPicture?: ((path: string) => Promise<boolean>) | undefined;
  /** True where the sections of a page can be linked to by their ids. */
  readonly hasAnchors: boolean;
}

function warning(path: string, message: string): ValidationIssue {
  return { path, message, severity: 'warning' };
}

async function targetProblem(path: string, locate: Locator): Promise<string | null> {
  const published = await locate(path, 'published');
  if (published?.kind === 'entry' || path === `/${POSTS_SEGMENT}`) return null;
  if (published?.kind === 'redirect')
    return published.id === null ? null : `is an old address; it is ${published.to} now`;
  return (await locate(path, 'draft')) === null ? 'leads nowhere' : 'leads to something that is not published';
}

/** True for a picture of this site that nobody finds at its address. */
async function isMissing(href: string, { hasPicture }: CheckedSite): Promise<boolean> {
  if (!href.startsWith('/') || href.startsWith('//') || hasPicture === undefined) return false;
  return !(await hasPicture(href.split(/[?#]/, 1)[0] ?? ''));
}

/** Anchors that every page has, and those that browsers and footnotes make themselves. */
const COMMON_ANCHOR = /^(?:|top|content|:~:.*|user-content-.*)$/i;

/**
 * Says that a link to a place on a page leads to no section there; null where it does.
 * @param path of the page; null: the link names none, so that it is on this page, or leads elsewhere
 */
async function anchorProblem(
  href: string,
  path: string | null,
  entry: Entry,
  { entries }: CheckedSite,
  locate: Locator,
): Promise<string | null> {
  const [place = '', anchor = ''] = href.split(/#(.*)/s);
  if (COMMON_ANCHOR.test(anchor) || (path === null && place !== '')) return null;
  const found = path === null ? null : await locate(path, 'published');
  const target = path === null ? entry : entries.find(({ id }) => found?.kind === 'entry' && id === found.id);
  if (target === undefined) return null;
  // What this page links to on itself is published with it.
  const isOwn = target.id === entry.id;
  const has = (document: EntryDocument | null) =>
    document?.sections.some(({ id }) => id === anchor || id === anchor.replace(/-\d+$/, '')) === true;
  if (has(isOwn ? entry.draft : target.published)) return null;
  return has(target.draft) ? 'leads to a section that is not published' : 'leads to a section that is not there';
}

async function linkIssues(
  link: EntryLink,
  entry: Entry,
  site: CheckedSite,
  locate: Locator,
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  const asset = linkedAsset(link.href);
  if (asset !== null && !(await site.hasAsset(asset))) {
    issues.push(warning(link.path, `${link.href} was taken out of the media library.`));
  }
  if (asset === null && link.kind === 'image' && (await isMissing(link.href, site))) {
    issues.push(warning(link.path, `The picture ${link.href} is not there.`));
  }
  const path = link.kind === 'link' ? linkedPath(link.href) : null;
  const problem = path === null ? null : await targetProblem(path, locate);
  if (problem !== null) issues.push(warning(link.path, `${link.href} ${problem}.`));
  else if (link.kind === 'link' && site.hasAnchors) {
    const lost = await anchorProblem(link.href, path, entry, site, locate);
    if (lost !== null) issues.push(warning(link.path, `${link.href} ${lost}.`));
  }
  if (link.alt?.trim() === '') issues.push(warning(link.path, `The picture ${link.href} has no description.`));
  return issues;
}

const TOO_HEAVY =
  'It holds more markup than can be shown: visitors see plain words. Split it into several sections, or take out markup that does nothing.';

/** A text that is shown as plain words: it was stored before there were limits, or came from elsewhere. */
function isTooHeavy({ type, fields }: Section): boolean {
  if (type === 'text' && typeof fields['body'] === 'string') return markdownHtml(fields['body']) === null;
  return type === 'html' && typeof fields['html'] === 'string' && parseHtmlWithinLimits(fields['html']) === null;
}

/** Says that visitors read Markdown as it is written. */
export function literally(markup: string): string {
  return `Visitors read "${shorten(markup, 80)}" as it is written: this field takes no Markdown.`;
}

function textIssues(document: EntryDocument): ValidationIssue[] {
  const { excerpt, seo, sections } = document;
  const beyond = sectionsBeyondLimit(sections);
  const isUndescribed = [excerpt, seo?.description].every((text) => (text ?? '').trim() === '');
  return [
    ...(isUndescribed && seo?.noIndex !== true
      ? [warning('excerpt', 'There is neither an excerpt nor a description for search engines.')]
      : []),
    ...(sections.length === 0 ? [warning('sections', 'There are no sections.')] : []),
    ...sections.flatMap((section, index) => [
      ...(isEmptySection(section) ? [warning(`sections[${index}]`, `The ${section.type} section is empty.`)] : []),
      ...(isTooHeavy(section) || beyond.has(section.id) ? [warning(`sections[${index}]`, TOO_HEAVY)] : []),
    ]),
    ...literalMarkup(document).map(({ path, markup }) => warning(path, literally(markup))),
  ];
}

function parentIssues({ draft: { parent } }: Entry, entries: readonly Entry[]): ValidationIssue[] {
  if (parent === undefined) return [];
  const above = entries.find(({ id }) => id === parent);
  if (above === undefined) return [warning('parent', 'The page above was deleted.')];
  if (above.published !== null) return [];
  return [warning('parent', `The page above, ${quotedTitle(above.draft.title)}, is not published.`)];
}

function slugIssues({ id, type, draft: { slug } }: Entry, entries: readonly Entry[]): ValidationIssue[] {
  const owner = entries.find((other) => other.id !== id && other.type === type && other.published?.slug === slug);
  if (owner === undefined) return [];
  const message = `${slug} is still published by ${quotedTitle(owner.draft.title)} (${owner.id}).`;
  return [{ path: 'slug', message, severity: 'error' }];
}

/** Errors in the draft of an entry, and warnings before it is published. */
export async function validateEntry(entry: Entry, site: CheckedSite): Promise<ValidationIssue[]> {
  const locate = createLocator(site);
  const issues = [...slugIssues(entry, site.entries), ...parentIssues(entry, site.entries), ...textIssues(entry.draft)];
  for (const link of linksOf(entry.draft)) issues.push(...(await linkIssues(link, entry, site, locate)));
  return issues;
}
