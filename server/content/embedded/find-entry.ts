import type { ContentStore } from '#server/content/embedded/content-store';
import { readSettings } from '#server/content/embedded/site-document-writes';
import { foldText } from '#server/content/fold-text';
import { nearMatches } from '#server/content/near-matches';
import type { Entry, EntryType } from '#server/core/content';
import { POSTS_SEGMENT } from '#server/core/posts-segment';
import { entryTypes } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

/** No id, slug or title is longer. */
const MAX_REF_LENGTH = 300;

/** By a slug, or by a path: its last segment is the slug. */
async function bySlug(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const slug = ref.replace(/\/$/, '').replace(/^\/(?:.*\/)?/, '');
  const isHome = slug === '' && types.includes('page');
  if (isHome) return store.entryBySlug('page', (await readSettings(store)).homeSlug);
  const ordered = ref.startsWith(`/${POSTS_SEGMENT}/`) ? types.toReversed() : types;
  for (const type of ordered) {
    const entry = await store.entryBySlug(type, slug);
    if (entry !== null) return entry;
  }
  return null;
}

/** By a path at which it was published once. */
async function byFormerPath(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const id = ref.startsWith('/') ? await store.redirectTarget(ref.replace(/\/$/, '')) : null;
  const entry = id === null ? null : await store.entry(id);
  return entry !== null && entry.deletedAt === null && types.includes(entry.type) ? entry : null;
}

async function byTitle(store: ContentStore, ref: string, type: EntryType | undefined): Promise<Entry | null> {
  const folded = foldText(ref.trim());
  const named = (await store.entryNames(type)).filter(({ title }) => foldText(title) === folded);
  const [found] = [...named.filter((name) => name.type === 'page'), ...named];
  return found === undefined ? null : store.entry(found.id);
}

/** See ContentBackend.find. Pages go before posts, older before newer; a slug may be written as a path. */
export async function findEntry(store: ContentStore, ref: string, type?: EntryType): Promise<Entry | null> {
  if (ref.length > MAX_REF_LENGTH || ref.trim() === '') return null;
  const entry = await store.entry(ref);
  if (entry !== null && entry.deletedAt === null && (type === undefined || entry.type === type)) return entry;
  const types = type === undefined ? entryTypes : [type];
  return (await bySlug(store, ref, types)) ?? (await byFormerPath(store, ref, types)) ?? byTitle(store, ref, type);
}

/** See ContentBackend.get. */
export async function getEntry(store: ContentStore, ref: string, type?: EntryType): Promise<Entry> {
  const entry = await findEntry(store, ref, type);
  if (entry !== null) return entry;
  const names = await store.entryNames(type);
  const near = nearMatches(ref, [...new Set(names.map(({ title }) => title))]);
  const hint = near.length === 0 ? undefined : `Did you mean ${near.map((title) => `"${title}"`).join(' or ')}?`;
  throw new NotFoundError(type ?? 'page or post', ref.slice(0, 80).toWellFormed(), hint);
}
