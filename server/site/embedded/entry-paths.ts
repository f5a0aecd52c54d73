import type { PathMatch } from '#server/site/content-backend';
import type { ContentReader } from '#server/site/embedded/content-store';
import { readSettings } from '#server/site/embedded/site-settings-writes';
import { locate, pathOfPlace, placeOf, type PlaceReader, type SiteState } from '#server/site/site-paths';
import { parseRedirects } from '#server/core/site/manual-redirects';
import type { Entry } from '#server/core/site/content';

/** Looks up the addresses of stored entries. */
export function placeReader(reader: ContentReader): PlaceReader {
  return {
    homeSlug: async () => (await readSettings(reader)).homeSlug,
    place: (id) => reader.place(id),
    placeBySlug: (type, slug, state) => reader.placeBySlug(type, slug, state),
    firstPage: (state) => reader.firstPage(state),
    redirectTarget: (path) => reader.redirectTarget(path),
    manualRedirects: async (path) =>
      parseRedirects((await readSettings(reader)).redirects).find(({ from }) => from.normalize('NFC') === path)?.to ??
      null,
  };
}

/** See ContentBackend.findByPath. */
export async function findByPath(reader: ContentReader, path: string, state: SiteState): Promise<PathMatch | null> {
  const found = await locate(placeReader(reader), path, state);
  if (found === null) return null;
  if (found.kind === 'gone') return { kind: 'gone' };
  if (found.kind === 'redirect') return { kind: 'redirect', to: found.to };
  const entry = await reader.entry(found.id);
  return entry === null ? null : { kind: 'entry', entry };
}

/** See ContentBackend.pathOf. */
export function pathOfEntry(reader: ContentReader, entry: Entry, state: SiteState): Promise<string> {
  return pathOfPlace(placeReader(reader), placeOf(entry), state);
}

/**
 * Ids and paths of the published descendants of a page.
 * @param path published path of the page; null: visitors do not see the page
 */
async function pathsBelow(
  reader: ContentReader,
  id: string,
  path: string | null,
  homeSlug: string,
  seen: Set<string>,
): Promise<[id: string, path: string][]> {
  const paths: [string, string][] = [];
  seen.add(id);
  for (const child of await reader.pagesPublishedBelow(id)) {
    if (seen.has(child.id)) continue;
    const isHome = child.publishedSlug === homeSlug;
    const own = isHome ? '/' : `${path === null || path === '/' ? '' : path}/${child.publishedSlug}`;
    paths.push([child.id, own], ...(await pathsBelow(reader, child.id, own, homeSlug, seen)));
  }
  return paths;
}

/** Published paths of an entry and of the pages below it. */
async function publishedPaths(reader: ContentReader, entry: Entry): Promise<Map<string, string>> {
  const isVisible = entry.published !== null && entry.deletedAt === null;
  const own = isVisible ? await pathOfEntry(reader, entry, 'published') : null;
  const { homeSlug } = await readSettings(reader);
  const below = entry.type === 'page' ? await pathsBelow(reader, entry.id, own, homeSlug, new Set()) : [];
  return new Map([...(own === null ? [] : [[entry.id, own] as const]), ...below]);
}

function addressOf({ published, deletedAt }: Entry): string | null {
  return published === null || deletedAt !== null ? null : JSON.stringify([published.slug, published.parent ?? null]);
}

/**
 * The paths of an entry and of the pages below it that change when `after` is stored, each with the id of the entry that
 * was there: they become redirects. Must be called before `after` is stored.
 */
export async function abandonedPaths(
  reader: ContentReader,
  before: Entry | null,
  after: Entry,
): Promise<{ path: string; id: string }[]> {
  if (before === null || addressOf(before) === addressOf(after)) return [];
  const present = await publishedPaths(reader, after);
  return [...(await publishedPaths(reader, before))]
    .filter(([id, path]) => path !== '/' && present.get(id) !== path)
    .map(([id, path]) => ({ path, id }));
}
