import { POSTS_SEGMENT } from '#server/core/addresses';
import type { HiddenMenuItem } from '#server/core/site/content';
import { parseRedirects } from '#server/core/site/manual-redirects';
import { flatItems } from '#server/site/dead-links';
import type { ContentReader } from '#server/site/embedded/content-store';
import { placeReader } from '#server/site/embedded/entry-paths';
import { readNavigation, readSettings } from '#server/site/embedded/site-settings-writes';
import { linkedPath } from '#server/site/entry-links';
import { locate, type PlaceReader, rememberPlaces, type SiteState } from '#server/site/site-paths';

/**
 * See ContentBackend.hiddenMenuItems.
 * @param trashedPaths reads the paths of entries in the trash
 */
export async function hiddenMenuItems(
  reader: ContentReader,
  version: SiteState,
  trashedPaths: () => Promise<ReadonlySet<string>>,
): Promise<HiddenMenuItem[]> {
  const addresses = new Set(flatItems(await readNavigation(reader)).map(({ href }) => href));
  const linked = [...addresses].flatMap((href) => {
    const path = linkedPath(href);
    return path === null || path === `/${POSTS_SEGMENT}` ? [] : [{ href, path }];
  });
  if (linked.length === 0) return [];
  const places = await placesOnce(reader);
  let trashed: Promise<ReadonlySet<string>> | undefined;
  const reasonFor = async (path: string): Promise<HiddenMenuItem['reason'] | null> => {
    const shown = await locate(places, path, version);
    if (shown !== null && shown.kind !== 'gone') return null;
    if (version === 'published' && (await locate(places, path, 'draft'))?.kind === 'entry') return 'draft';
    if (shown !== null) return 'trashed';
    trashed ??= trashedPaths();
    return (await trashed).has(path) ? 'trashed' : null;
  };
  const reasons = await Promise.all(linked.map(async ({ href, path }) => ({ href, reason: await reasonFor(path) })));
  return reasons.flatMap(({ href, reason }) => (reason === null ? [] : [{ href, reason }]));
}

/** Looks up addresses for many items: reads the settings and each place once. */
async function placesOnce(reader: ContentReader): Promise<PlaceReader> {
  const { homeSlug, redirects } = await readSettings(reader);
  const manual = new Map(parseRedirects(redirects).map(({ from, to }) => [from.normalize('NFC'), to]));
  return rememberPlaces({
    ...placeReader(reader),
    homeSlug: async () => homeSlug,
    manualRedirects: async (path) => manual.get(path) ?? null,
  });
}
