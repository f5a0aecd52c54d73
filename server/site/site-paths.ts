import { POSTS_SEGMENT } from '#server/core/addresses';
import type { ManualRedirect } from '#server/core/site/manual-redirects';
import type { Entry, EntryType } from '#server/core/site/content';

/* Paths of entries: computes the path of an entry, and finds the entry of a path. */

/** Which version of the entries counts: what visitors see, or the drafts. */
export type SiteState = 'published' | 'draft';

/** Address data of a live entry, in both of its states. */
export interface Place {
  readonly id: string;
  readonly type: EntryType;
  readonly slug: string;
  /** Id of the parent page. */
  readonly parent: string | null;
  /** Null if visitors do not see the entry. */
  readonly publishedSlug: string | null;
  readonly publishedParent: string | null;
}

/** Address data of an entry. */
export function placeOf({ id, type, draft, published }: Entry): Place {
  return {
    id,
    type,
    slug: draft.slug,
    parent: draft.parent ?? null,
    publishedSlug: published?.slug ?? null,
    publishedParent: published?.parent ?? null,
  };
}

/** Lookup of the addresses of live entries. */
export interface PlaceReader {
  /** Slug of the page at the root of the site. */
  homeSlug(): Promise<string>;
  place(id: string): Promise<Place | null>;
  placeBySlug(type: EntryType, slug: string, state: SiteState): Promise<Place | null>;
  /** The oldest page. */
  firstPage(state: SiteState): Promise<Place | null>;
  /** Id of the entry that was once published at this path. */
  redirectTarget(path: string): Promise<string | null>;
  /** Address to which a redirect that an editor set leads from this path. */
  manualRedirects(path: string): Promise<string | null>;
}

/** A reader that looks up each place and the home page only once, for computing the paths of many entries. */
export function rememberPlaces(reader: PlaceReader): PlaceReader {
  const places = new Map<string, Promise<Place | null>>();
  const once = (key: string, read: () => Promise<Place | null>) => {
    const place = places.get(key) ?? read();
    places.set(key, place);
    return place;
  };
  let homeSlug: Promise<string> | undefined;
  return {
    ...reader,
    homeSlug: () => (homeSlug ??= reader.homeSlug()),
    place: (id) => once(id, () => reader.place(id)),
    placeBySlug: (type, slug, state) => once(`${state} ${type} ${slug}`, () => reader.placeBySlug(type, slug, state)),
  };
}

/**
 * Result of looking up a path: an entry; a redirect (`id`: the entry that has moved; null: a person chose the address); or
 * `gone`: an entry was once published there.
 */
export type Located =
  | { readonly kind: 'entry'; readonly id: string }
  | { readonly kind: 'redirect'; readonly id: string | null; readonly to: string }
  | { readonly kind: 'gone'; readonly id?: undefined };

function slugIn(place: Place, state: SiteState): string | null {
  return state === 'published' ? place.publishedSlug : place.slug;
}

/** The page that the settings name: the one published under that slug or, without one, the draft that has it. */
async function namedHome(reader: PlaceReader, homeSlug: string): Promise<Place | null> {
  const published = await reader.placeBySlug('page', homeSlug, 'published');
  return published ?? reader.placeBySlug('page', homeSlug, 'draft');
}

/**
 * True if a page is the home page. It stays the home page when it is published under another slug, because the setting
 * `homeSlug` is then updated.
 */
async function isHome(reader: PlaceReader, { id, type, publishedSlug }: Place, state: SiteState): Promise<boolean> {
  if (type !== 'page') return false;
  const homeSlug = await reader.homeSlug();
  const isSeen = state === 'published' && publishedSlug !== null;
  if (isSeen && publishedSlug === homeSlug) return true;
  const named = await namedHome(reader, homeSlug);
  return named?.id === id && (!isSeen || named.publishedSlug === homeSlug);
}

/** The slugs of the parent pages, outermost first. A page that does not exist in this state ends the chain. */
async function slugsAbove(reader: PlaceReader, place: Place, state: SiteState): Promise<string[]> {
  const slugs: string[] = [];
  const seen = new Set([place.id]);
  let above = state === 'published' ? place.publishedParent : place.parent;
  while (above !== null && !seen.has(above)) {
    seen.add(above);
    const parent = await reader.place(above);
    const slug = parent === null ? null : slugIn(parent, state);
    if (parent === null || slug === null || (await isHome(reader, parent, state))) break;
    slugs.unshift(slug);
    above = state === 'published' ? parent.publishedParent : parent.parent;
  }
  return slugs;
}

/**
 * The path of an entry in one of its states: `/about/team`, `/blog/first-firing`, `/` for the home page. An unpublished
 * entry has the path at which its draft would be published.
 */
export async function pathOfPlace(reader: PlaceReader, place: Place, state: SiteState): Promise<string> {
  const isDraft = state === 'draft' || place.publishedSlug === null;
  const slug = isDraft ? place.slug : (place.publishedSlug ?? place.slug);
  if (place.type === 'post') return `/${POSTS_SEGMENT}/${slug}`;
  if (await isHome(reader, place, state)) return '/';
  const chained = isDraft && state === 'published' ? { ...place, publishedParent: place.parent } : place;
  return `/${[...(await slugsAbove(reader, chained, state)), slug].join('/')}`;
}

/**
 * The segments of a path without query and fragment, decoded and in composed characters (NFC); null if it cannot be a
 * path of the site.
 */
export function segmentsOf(path: string): string[] | null {
  const [place = ''] = path.split(/[?#]/, 1);
  try {
    return place
      .split('/')
      .filter(Boolean)
      .map((segment) => decodeURIComponent(segment).normalize('NFC'));
  } catch {
    return null;
  }
}

async function home(reader: PlaceReader, state: SiteState): Promise<Located | null> {
  const homeSlug = await reader.homeSlug();
  const named =
    state === 'draft' ? await namedHome(reader, homeSlug) : await reader.placeBySlug('page', homeSlug, state);
  // A typo in the settings never leaves the root empty.
  const page = named ?? (await reader.firstPage(state));
  return page === null ? null : { kind: 'entry', id: page.id };
}

async function redirected(reader: PlaceReader, path: string, state: SiteState): Promise<Located | null> {
  const id = await reader.redirectTarget(path);
  if (id === null) return null;
  const place = await reader.place(id);
  if (place === null || slugIn(place, state) === null) return state === 'published' ? { kind: 'gone' } : null;
  return { kind: 'redirect', id: place.id, to: await pathOfPlace(reader, place, state) };
}

/**
 * Looks up a path of the site. An entry has one path; any other path that ends in the slug of a page, and any former
 * path of a published entry, redirects to the current one. An entry takes precedence over a redirect, and a redirect
 * set by a person over one from a former path.
 */
export async function locate(reader: PlaceReader, path: string, state: SiteState): Promise<Located | null> {
  const segments = segmentsOf(path);
  if (segments === null) return null;
  const slug = segments.at(-1)?.toLowerCase();
  if (slug === undefined) return home(reader, state);
  const wantedPath = `/${segments.join('/')}`;
  const isBelowPosts = segments.length === 2 && segments[0] === POSTS_SEGMENT;
  const post = isBelowPosts ? await reader.placeBySlug('post', slug, state) : null;
  const page = await reader.placeBySlug('page', slug, state);
  const found: { readonly id: string; readonly to: string }[] = [];
  for (const place of [post, page]) {
    if (place !== null) found.push({ id: place.id, to: await pathOfPlace(reader, place, state) });
  }
  const here = found.find(({ to }) => to === wantedPath);
  if (here !== undefined) return { kind: 'entry', id: here.id };
  const chosen = await reader.manualRedirects(wantedPath.toLowerCase());
  if (chosen !== null) return { kind: 'redirect', id: null, to: chosen };
  const [elsewhere] = found;
  const moved = await redirected(reader, wantedPath.toLowerCase(), state);
  if (moved?.kind === 'redirect' || elsewhere === undefined) return moved;
  return { kind: 'redirect', ...elsewhere };
}

/** Everything that determines the addresses of a site. */
export interface SiteAddresses {
  /** The live entries, oldest first. */
  readonly entries: readonly Entry[];
  readonly homeSlug: string;
  readonly redirects: readonly { readonly from: string; readonly targetId: string }[];
  /** Redirects that editors have set. */
  readonly manualRedirects: readonly ManualRedirect[];
}

/** Looks up places among entries that have already been read. */
function knownPlaces({ entries, homeSlug, redirects, manualRedirects }: SiteAddresses): PlaceReader {
  const places = entries.map(placeOf);
  const byId = new Map(places.map((place) => [place.id, place]));
  const slugOf = (place: Place, state: SiteState) => (state === 'draft' ? place.slug : place.publishedSlug);
  const bySlug = new Map<string, Place>();
  for (const state of ['draft', 'published'] as const) {
    for (const place of places) bySlug.set(`${state} ${place.type} ${slugOf(place, state)}`, place);
  }
  const targets = new Map(redirects.map(({ from, targetId }) => [from, targetId]));
  const chosen = new Map(manualRedirects.map(({ from, to }) => [from, to]));
  return {
    homeSlug: async () => homeSlug,
    place: async (id) => byId.get(id) ?? null,
    placeBySlug: async (type, slug, state) => bySlug.get(`${state} ${type} ${slug}`) ?? null,
    firstPage: async (state) => places.find((place) => place.type === 'page' && slugOf(place, state) !== null) ?? null,
    redirectTarget: async (path) => targets.get(path) ?? null,
    manualRedirects: async (path) => chosen.get(path) ?? null,
  };
}

/** Looks up a path. */
export type Locator = (path: string, state: SiteState) => Promise<Located | null>;

/** Looks up paths, each path only once. */
export function createLocator(site: SiteAddresses): Locator {
  const reader = knownPlaces(site);
  const found = new Map<string, Promise<Located | null>>();
  return (path, state) => {
    const key = `${state} ${path}`;
    const located = found.get(key) ?? locate(reader, path, state);
    found.set(key, located);
    return located;
  };
}
