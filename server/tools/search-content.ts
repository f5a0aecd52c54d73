import { z } from 'zod';
import type { ContentBackend, UnreadPlace } from '#server/site/content-backend';
import type { EntryPage, EntryItem } from '#server/core/site/site-lists';
import { containsText, placesOf, type TextPlace, type TextQuery, occurrencesIn } from '#server/site/text/text-places';
import { type Entry, type EntryType, entryTypes, type NavigationItem } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { entryTypeInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Largest number of entries that are listed, for words and for an exact text; the others are only counted. */
const MAX_HITS = 10;
const MAX_EXACT_HITS = 25;
/** Largest number of places that are listed per entry. */
const MAX_PLACES = 10;

const FIELDS =
  'titles, excerpts, authors, tags, pictures, search-engine texts, sections with their items, links and pictures';

/** Message for a place that is only a part of an address or a tag. */
const REPLACED_ONLY_WHOLE = 'edit_text replaces an address or a tag only whole: find what partOf says.';

/** Finds words, or an exact text, in the content of the site. */
export const searchContent = defineTool({
  name: 'search_content',
  description:
    'Search drafts for words; exact: for this very text with its punctuation, every place counted, also in published versions, addresses, menu and settings.',
  maxOutputChars: 12_000,
  input: z.strictObject({
    query: z.string().min(1).max(500),
    exact: z.boolean().optional(),
    type: entryTypeInput.optional(),
  }),
  execute: ({ query, exact, type }, { content }) =>
    exact === true ? searchExactText(content, query, type) : searchWords(content, query, type),
});

async function searchWords(content: ContentBackend, query: string, type: EntryType | undefined): Promise<JsonValue> {
  const hits = await content.search({ text: query, type, limit: 100 });
  return {
    looked: `words in titles, excerpts, slugs, tags and sections of the drafts of ${nounOf(type)}`,
    total: hits.length,
    hits: hits
      .slice(0, MAX_HITS)
      .map(({ sectionId, ...hit }) => ({ ...hit, ...(sectionId === undefined ? {} : { sectionId }) })),
    ...(hits.length > MAX_HITS && { more: hits.length - MAX_HITS }),
    ...(await notSearched(content)),
  };
}

const UNREAD_PLACES: Readonly<Record<UnreadPlace['code'], string>> = {
  'plugin-fields': "fields of plugins that the site's API does not show",
  theme: 'header, footer, sidebars and templates of the theme',
  footnotes: 'texts of footnotes',
  'pattern-overrides': 'words that an entry sets in a shared pattern',
  'page-builder': 'what a page builder keeps (only its copy is read)',
};

/** Names the places of a connected site that the search does not read. */
export async function notSearched(content: ContentBackend): Promise<Record<string, JsonValue>> {
  const places = await content.unreadPlaces();
  const lines = places.map(({ code, titles = [] }) => {
    const named = titles.slice(0, MAX_HITS).map((title) => `"${title}"`);
    const rest = titles.length > MAX_HITS ? [`${titles.length - MAX_HITS} more`] : [];
    return titles.length === 0 ? UNREAD_PLACES[code] : `${UNREAD_PLACES[code]}: ${[...named, ...rest].join(', ')}`;
  });
  return lines.length === 0 ? {} : { notSearched: lines };
}

async function searchExactText(content: ContentBackend, text: string, type: EntryType | undefined): Promise<JsonValue> {
  const entries = await content.entriesWith({ find: text, anyCase: true, anyPart: true }, type);
  const found = entries.map((entry) => {
    const places = placesOf(entry.draft, { find: text, anyPart: true });
    return { entry, places, onlySeen: onlyVisitorsSee(entry, text, places) };
  });
  const hits = found.filter(({ places, onlySeen }) => places.length + onlySeen.length > 0);
  const onlySeen = hits.reduce((sum, hit) => sum + occurrencesIn(hit.onlySeen), 0);
  return {
    looked: `this text, through other kinds of spaces and markup inside it, in ${FIELDS} of ${nounOf(type)}, drafts and published; their addresses; labels and addresses of the menu; settings`,
    placesInDrafts: hits.reduce((sum, { places }) => sum + occurrencesIn(places), 0),
    ...(onlySeen > 0 && { placesOnlyVisitorsSee: onlySeen }),
    total: hits.length,
    hits: hits.slice(0, MAX_EXACT_HITS).map((hit) => ({
      id: hit.entry.id,
      type: hit.entry.type,
      title: hit.entry.draft.title,
      slug: hit.entry.draft.slug,
      status: hit.entry.status,
      times: occurrencesIn(hit.places),
      places: [...placeLines(hit.places), ...placeLines(hit.onlySeen)],
    })),
    ...(hits.length > MAX_EXACT_HITS && { more: hits.length - MAX_EXACT_HITS }),
    ...(hits.some(({ places }) => places.some(isPart)) && { note: REPLACED_ONLY_WHOLE }),
    ...otherCapitals(entries, { find: text, anyPart: true }),
    ...(await addressHits(content, text, type)),
    ...(await menuAndSettingsHits(content, { find: text })),
    ...(await notSearched(content)),
  };
}

/** True for a place for which only the whole address or tag is shown. */
const isPart = ({ text, partOf }: TextPlace) => text === '' && partOf !== undefined;

/**
 * Places in the published version that are not in the draft, or that differ there. They have no section id, because no
 * draft contains them.
 */
function onlyVisitorsSee({ published }: Entry, text: string, inDraft: readonly TextPlace[]): readonly TextPlace[] {
  // An item may have another position in the draft.
  const keyOf = ({ where, sectionId, count, text: words, partOf }: TextPlace) =>
    JSON.stringify([where.replaceAll(/ \d+/g, ''), sectionId, count, words, partOf]);
  const known = new Set(inDraft.map(keyOf));
  return (published ? placesOf(published, { find: text, anyPart: true }) : [])
    .filter((place) => !known.has(keyOf(place)))
    .map((place) => ({ ...place, sectionId: undefined, where: `${place.where}, as visitors see it` }));
}

/** Result field for occurrences with other capitals, which are not exact matches; otherwise empty. */
export function otherCapitals(entries: readonly Entry[], query: TextQuery): Record<string, JsonValue> {
  const found = entries.flatMap(({ draft }) => {
    const count = (anyCase: boolean) => occurrencesIn(placesOf(draft, { ...query, anyCase }));
    const times = count(true) - count(false);
    return times > 0 ? [{ title: draft.title, times }] : [];
  });
  const times = found.reduce((sum, each) => sum + each.times, 0);
  if (times === 0) return {};
  const titles = found.slice(0, MAX_HITS).map(({ title }) => `"${title}"`);
  const rest = found.length > MAX_HITS ? ` and ${found.length - MAX_HITS} more` : '';
  return { otherCapitals: `${times} ${times === 1 ? 'place' : 'places'} more, in ${titles.join(', ')}${rest}` };
}

/**
 * Places outside drafts that still contain a text: published versions that are behind their draft, the menu, the
 * settings.
 * @param changed ids of the entries in which it was, or would be, replaced
 */
export async function remainsElsewhere(
  content: ContentBackend,
  query: TextQuery,
  changed: ReadonlySet<string>,
): Promise<Record<string, JsonValue>> {
  const entries = await content.entriesWith(query.find);
  const seen = entries.filter(
    ({ id, draft, published }) =>
      published !== null &&
      placesOf(published, query).length > 0 &&
      // Publishing a draft that has it as well would not take it from visitors.
      (changed.has(id) || placesOf(draft, query).length === 0),
  );
  const site = await menuAndSettingsHits(content, query);
  const leaves = [
    ...('inMenu' in site
      ? ['It also stands in the menu, which edit_text leaves as it is: set_navigation changes it.']
      : []),
    ...('inSettings' in site
      ? ['It also stands in the settings, which edit_text leaves as they are: set_settings changes them.']
      : []),
  ];
  return { ...publishedHits(seen), ...site, ...(leaves.length > 0 && { notChanged: leaves.join(' ') }) };
}

function publishedHits(entries: readonly Entry[]): Record<string, JsonValue> {
  const titles = entries.slice(0, MAX_HITS).map(({ draft }) => draft.title);
  const rest = entries.length > MAX_HITS ? [`and ${entries.length - MAX_HITS} more`] : [];
  return entries.length === 0 ? {} : { visitorsStillSeeItIn: [...titles, ...rest] };
}

/** Largest number of entries whose addresses are searched. */
const MAX_ADDRESSES = 1_000;

/** Addresses of drafts and of published versions that contain a text. */
async function addressHits(
  content: ContentBackend,
  find: string,
  type: EntryType | undefined,
): Promise<Record<string, JsonValue>> {
  const found: string[] = [];
  let seen = 0;
  for (const each of type === undefined ? entryTypes : [type]) {
    for (let cursor: string | null | undefined; cursor !== null && seen < MAX_ADDRESSES;) {
      const page: EntryPage = await content.query({ type: each, limit: 100, cursor });
      for (const item of page.items) found.push(...(await addressesWith(content, item, find)));
      seen += page.items.length;
      cursor = page.nextCursor;
    }
  }
  const more = found.length - MAX_EXACT_HITS;
  const listed = more > 0 ? [...found.slice(0, MAX_EXACT_HITS), `and ${more} more`] : found;
  return found.length === 0 ? {} : { inAddressOf: listed };
}

async function addressesWith(
  content: ContentBackend,
  { id, title, path, status }: EntryItem,
  find: string,
): Promise<string[]> {
  const entry = status === 'changed' ? await content.get(id) : null;
  const known = entry === null ? path : await content.pathOf(entry, 'published');
  return [
    ...(path.includes(find) ? [`"${title}" (${path}${known === path ? '' : ', from its next publishing on'})`] : []),
    ...(known !== path && known.includes(find) ? [`"${title}" (${known}, as visitors know it)`] : []),
  ];
}

async function menuAndSettingsHits(content: ContentBackend, query: TextQuery): Promise<Record<string, JsonValue>> {
  const [items, settings] = await Promise.all([content.navigation(), content.settings()]);
  const menu = allItems(items).filter(({ label, href }) => containsText(label, query) || containsText(href, query));
  const names = Object.entries(settings).flatMap(([name, value]) => (containsText(value, query) ? [name] : []));
  return {
    ...(menu.length > 0 && { inMenu: menu.map(({ label, href }) => `${label} (${href})`) }),
    ...(names.length > 0 && { inSettings: names }),
  };
}

function allItems(items: readonly NavigationItem[]): NavigationItem[] {
  return items.flatMap((item) => [item, ...allItems(item.children ?? [])]);
}

function nounOf(type: EntryType | undefined): string {
  return type === undefined ? 'all pages and posts' : `all ${type}s`;
}

/** Places in the form that a model reads; beyond a limit they are only counted. */
export function placeLines(places: readonly Omit<TextPlace, 'after' | 'occurrences'>[]): JsonValue[] {
  const lines = places.slice(0, MAX_PLACES).map(({ where, sectionId, section, count, text, partOf }): JsonValue => ({
    in: section === undefined ? where : `${section} › ${where}`,
    ...(sectionId !== undefined && { sectionId }),
    ...(count > 1 && { times: count }),
    ...(text !== '' && { text }),
    ...(partOf !== undefined && { partOf }),
  }));
  return places.length > MAX_PLACES ? [...lines, `and ${places.length - MAX_PLACES} more places`] : lines;
}
