import type { EntryPage, EntryQuery } from '#server/content/content-backend';
import type { ContentStore, EntryLine } from '#server/content/embedded/content-store';
import { placeReader } from '#server/content/embedded/entry-paths';
import { pathOfPlace, type Place, rememberPlaces } from '#server/content/site-paths';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Most words of a filter by text that are looked at. */
const MAX_WORDS = 12;

/** Its address in the state that was asked about is all that is known, and all that counts. */
function placeOfLine({ id, type, slug, parent }: EntryLine): Place {
  const above = parent ?? null;
  return { id, type, slug, parent: above, publishedSlug: slug, publishedParent: above };
}

/** See ContentBackend.query. */
export async function queryEntries(store: ContentStore, query: EntryQuery): Promise<EntryPage> {
  const state = query.state ?? 'draft';
  const sort = query.sort ?? (state === 'published' ? 'published' : 'updated');
  const page = await store.listEntries({
    type: query.type,
    state,
    status: query.status,
    scheduled: query.scheduled,
    tag: query.tag,
    parent: query.parent,
    words: (query.text ?? '').slice(0, 500).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS),
    sort,
    order: query.order ?? (sort === 'title' || sort === 'scheduled' ? 'asc' : 'desc'),
    select: query.select ?? [],
    limit: Math.max(1, Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT)),
    cursor: query.cursor,
  });
  const reader = rememberPlaces(placeReader(store));
  const shown = state === 'published' ? 'published' : 'draft';
  const items = await Promise.all(
    page.items.map(async (item) => ({ ...item, path: await pathOfPlace(reader, placeOfLine(item), shown) })),
  );
  return { ...page, items };
}
