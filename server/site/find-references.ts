import type { Entry, EntryDocument, NavigationItem, Reference, Target } from '#server/core/site/content';
import { createLocator, type Locator, type SiteAddresses, type SiteState } from '#server/site/site-paths';
import { type EntryLink, linkedAsset, linkedPath, linksOf } from '#server/site/entry-links';

/* Finds the places of a site that link to a page, post or picture. */

/** A whole site, with all parts that can refer to each other. */
export interface LinkedSite extends SiteAddresses {
  readonly navigation: readonly NavigationItem[];
  /** Addresses of the pictures that all pages show: the icon, and the published logos. */
  readonly pictures: readonly string[];
}

/** Characters that can hide a name in a link: an entity, a percent sign, or an escaped backslash in JSON. */
const ESCAPED = /[&%]|\\\\/;

/**
 * Names of a target: every link to it without escapes contains one of them. Null if a link can work without them, such
 * as one to the home page.
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

/** Quick check whether a document may link to the target, because parsing all its Markdown takes a hundred times as long. */
type LinkFilter = (document: EntryDocument) => boolean;

async function linkFilterFor(target: Target, site: SiteAddresses, locate: Locator): Promise<LinkFilter> {
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
  readonly mayLink: LinkFilter;
}

/** Links in one state of an entry that lead to the target, each address once per section. */
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

function sharedPictureReferences({ type, id }: Target, { pictures }: LinkedSite): Reference[] {
  const from = { type: 'settings', id: 'settings', title: 'Site settings' } as const;
  const shown = type === 'asset' ? pictures.filter((address) => linkedAsset(address) === id) : [];
  return shown.map((address) => ({ kind: 'image', from, text: address, isPublished: true }));
}

/** See ContentBackend.referencesTo. References from an entry to itself do not count. */
export async function findReferences(target: Target, site: LinkedSite): Promise<Reference[]> {
  const locate = createLocator(site);
  const references = [
    ...homeReferences(target, site),
    ...sharedPictureReferences(target, site),
    ...(await navigationReferences(target, site.navigation, locate)),
  ];
  const search = { locate, mayLink: await linkFilterFor(target, site, locate) };
  for (const entry of site.entries) references.push(...(await entryReferences(target, entry, search)));
  return references;
}
