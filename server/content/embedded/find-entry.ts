import type { ContentStore } from '#server/content/embedded/content-store';
import { foldText } from '#server/content/fold-text';
import { nearMatches } from '#server/content/near-matches';
import type { Entry, EntryType } from '#server/core/content';
import { entryTypes } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

/** No id, slug or title is longer. */
const MAX_REF_LENGTH = 300;

async function bySlug(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const slug = ref.replace(/^\/(?:blog\/)?/, '');
  for (const type of types) {
    const entry = await store.entryBySlug(type, slug);
    if (entry !== null) return entry;
  }
  return null;
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
  return (await bySlug(store, ref, type === undefined ? entryTypes : [type])) ?? byTitle(store, ref, type);
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
