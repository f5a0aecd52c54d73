import type { PastMatch, PastSite } from '#server/site/content-backend';
import type { ContentReader, PastEntry } from '#server/site/embedded/content-store';
import { assetStateFromJson, versionOf } from '#server/site/embedded/asset-state';
import { type EntryState, stateFromJson } from '#server/site/embedded/entry-state';
import { designFromJson, readStoredDesign } from '#server/site/embedded/design-writes';
import { readNavigation, readSettings, settingsFromJson } from '#server/site/embedded/site-settings-writes';
import { navigationFromJson } from '#server/site/site-settings';
import { locate, type Place, type PlaceReader } from '#server/site/site-paths';
import type { NavigationItem, SiteSettings } from '#server/core/site/content';
import type { Design } from '#server/core/site/design/design';
import { NotFoundError } from '#server/core/errors';

/** Largest number of posts in a list. */
const MAX_POSTS = 100;

/** State of an entry at a position of the journal; null if it did not exist. Without a journal, the current state. */
export async function entryStateAt(reader: ContentReader, id: string, seq: number): Promise<EntryState | null> {
  const state = await reader.stateAt(id, seq);
  return state === undefined ? reader.entry(id) : stateFromJson(state);
}

/** See ContentBackend.at. */
export async function readPastSite(reader: ContentReader, changeId: string): Promise<PastSite> {
  const record = await reader.journalEntry(changeId);
  const seq = await reader.seqOf(changeId);
  if (record === null || seq === null) throw new NotFoundError('change', changeId.slice(0, 80));
  const [settings, navigation, design, entries] = await Promise.all([
    settingsAt(reader, seq),
    navigationAt(reader, seq),
    designAt(reader, seq),
    reader.entriesAt(seq),
  ]);
  const places = pastPlaces(entries, settings.homeSlug);
  return {
    change: record.change,
    settings,
    navigation,
    design,
    posts: await postsAt(reader, seq, entries),
    async find(path): Promise<PastMatch | null> {
      const found = await locate(places, path, 'draft');
      if (found === null || found.kind === 'gone') return null;
      if (found.kind === 'redirect') return { kind: 'redirect', to: found.to };
      const entry = entries.find(({ id }) => id === found.id);
      const state = await entryStateAt(reader, found.id, seq);
      if (entry === undefined || state === null) return null;
      const { id, type } = entry;
      return { kind: 'entry', entry: { id, type, document: state.draft, publishedAt: state.publishedAt } };
    },
    async formerPicture(id) {
      const [then, now] = [assetStateFromJson((await reader.stateAt(id, seq)) ?? null), await reader.asset(id)];
      if (then === null || then.deletedAt !== null || now === null) return null;
      return then.hash === now.hash && now.deletedAt === null ? null : versionOf(then);
    },
  };
}

async function settingsAt(reader: ContentReader, seq: number): Promise<SiteSettings> {
  const state = await reader.stateAt('settings', seq);
  return state === undefined ? readSettings(reader) : settingsFromJson(state ?? {});
}

async function navigationAt(reader: ContentReader, seq: number): Promise<NavigationItem[]> {
  const state = await reader.stateAt('navigation', seq);
  return state === undefined ? readNavigation(reader) : navigationFromJson(state ?? []);
}

/** The draft of the design; null: none was stored. */
async function designAt(reader: ContentReader, seq: number): Promise<Design | null> {
  const state = await reader.stateAt('design', seq);
  if (state === undefined && (await reader.siteDocument('design')) === null) return null;
  const { published: _published, ...draft } =
    state === undefined ? await readStoredDesign(reader) : designFromJson(state);
  return draft;
}

async function postsAt(reader: ContentReader, seq: number, entries: readonly PastEntry[]): Promise<PastSite['posts']> {
  const order = ({ publishedAt }: PastEntry) => publishedAt ?? Infinity;
  const newest = entries
    .filter(({ type }) => type === 'post')
    .toSorted((a, b) => (order(a) === order(b) ? (a.id < b.id ? 1 : -1) : order(b) - order(a)))
    .slice(0, MAX_POSTS);
  const states = await Promise.all(newest.map(({ id }) => entryStateAt(reader, id, seq)));
  return newest.flatMap(({ id, publishedAt }, index) => {
    const document = states[index]?.draft;
    return document === undefined ? [] : [{ id, document, publishedAt }];
  });
}

/** Looks up the addresses that entries had then; redirects from still earlier addresses are not known. */
function pastPlaces(entries: readonly PastEntry[], homeSlug: string): PlaceReader {
  const places = entries.map(({ id, type, slug, publishedSlug, parent }): Place => ({
    id,
    type,
    slug,
    parent,
    publishedSlug,
    publishedParent: null,
  }));
  const byId = new Map(places.map((place) => [place.id, place]));
  const bySlug = new Map(places.map((place) => [`draft ${place.type} ${place.slug}`, place]));
  for (const place of places) bySlug.set(`published ${place.type} ${place.publishedSlug}`, place);
  return {
    homeSlug: async () => homeSlug,
    place: async (id) => byId.get(id) ?? null,
    placeBySlug: async (type, slug, state) => bySlug.get(`${state} ${type} ${slug}`) ?? null,
    firstPage: async () => places.find(({ type }) => type === 'page') ?? null,
    redirectTarget: async () => null,
    manualRedirects: async () => null,
  };
}
