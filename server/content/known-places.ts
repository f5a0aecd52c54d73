import {
  locate,
  type Located,
  type Place,
  type PlaceReader,
  placeOf,
  type SiteState,
} from '#server/content/site-paths';
import type { Entry } from '#server/core/content';

/** What decides where things are on a site. */
export interface SiteAddresses {
  /** The live ones, oldest first. */
  readonly entries: readonly Entry[];
  readonly homeSlug: string;
  readonly redirects: readonly { readonly from: string; readonly targetId: string }[];
}

/** Looks places up among entries that were read already. */
function knownPlaces({ entries, homeSlug, redirects }: SiteAddresses): PlaceReader {
  const places = entries.map(placeOf);
  const byId = new Map(places.map((place) => [place.id, place]));
  const slugOf = (place: Place, state: SiteState) => (state === 'draft' ? place.slug : place.publishedSlug);
  const bySlug = new Map<string, Place>();
  for (const state of ['draft', 'published'] as const) {
    for (const place of places) bySlug.set(`${state} ${place.type} ${slugOf(place, state)}`, place);
  }
  const targets = new Map(redirects.map(({ from, targetId }) => [from, targetId]));
  return {
    homeSlug: async () => homeSlug,
    place: async (id) => byId.get(id) ?? null,
    placeBySlug: async (type, slug, state) => bySlug.get(`${state} ${type} ${slug}`) ?? null,
    firstPage: async (state) => places.find((place) => place.type === 'page' && slugOf(place, state) !== null) ?? null,
    redirectTarget: async (path) => targets.get(path) ?? null,
  };
}

/** What is at a path. */
export type Locator = (path: string, state: SiteState) => Promise<Located | null>;

/** Finds what is at a path, each path once. */
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
