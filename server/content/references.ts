import { type EntryLink, linksOf } from '#server/content/entry-links';
import { createLocator, type Locator, type SiteAddresses } from '#server/content/known-places';
import { linkedAsset, linkedPath } from '#server/content/site-links';
import type { SiteState } from '#server/content/site-paths';
import type { Entry, EntryDocument, NavigationItem, Ref, Reference } from '#server/core/content';

/** A whole site, as far as one thing of it can name another. */
export interface LinkedSite extends SiteAddresses {
  readonly navigation: readonly NavigationItem[];
}

type Target = Pick<Ref, 'type' | 'id'>;

/** What stands for itself in no link: an entity, a percent sign, or a backslash as JSON writes it. */
const ESCAPED = /[&%]|\\\\/;

/** One of these is in every link to the target that escapes nothing; null where a link can do without. */
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

/** Whether a document may link to the target: to read all its markdown takes a hundred times as long. */
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

interface Look {
  readonly locate: Locator;
  readonly mayLink: QuickLook;
}

/** Links of one state of an entry that lead to the target, each address once for a section. */
async function linksTo(
  target: Target,
  document: EntryDocument | null,
  state: SiteState,
  look: Look,
): Promise<EntryLink[]> {
  const found = new Map<string, EntryLink>();
  const { locate, mayLink } = look;
  for (const link of document === null || !mayLink(document) ? [] : linksOf(document)) {
    if (await isTarget(target, link.href, state, locate))
      found.set(`${link.kind} ${link.sectionId} ${link.href}`, link);
  }
  return [...found.values()];
}

async function entryReferences(target: Target, entry: Entry, look: Look): Promise<Reference[]> {
  if (entry.id === target.id) return [];
  const drafted = await linksTo(target, entry.draft, 'draft', look);
  const published = await linksTo(target, entry.published, 'published', look);
  const planned = await linksTo(target, entry.planned, 'draft', look);
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
  const look = { locate, mayLink: await quickLookFor(target, site, locate) };
  for (const entry of site.entries) references.push(...(await entryReferences(target, entry, look)));
  return references;
}
