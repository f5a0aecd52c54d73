import type { ContentStore } from '#server/site/embedded/content-store';
import { readSettings } from '#server/site/embedded/site-settings-writes';
import { quotedTitle } from '#server/site/change-summary';
import { foldAccents } from '#server/core/fold-text';
import { nearMatches } from '#server/core/text/compare-texts';
import { POSTS_SEGMENT } from '#server/core/addresses';
import { type Entry, type EntryType, entryTypes } from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';

const SECTION = /^sec_/;

function sectionsOf({ type, draft }: Entry): string {
  const sections = draft.sections.map(({ id, type: of }) => `${id} (${of})`).join(', ');
  return `It is the ${type} ${quotedTitle(draft.title)}, which has ${sections === '' ? 'no sections' : `the sections ${sections}`}.`;
}

/** The error for a section id that no section has; it names the section with the most similar id. */
export async function sectionNotFound(store: ContentStore, sectionId: string): Promise<NotFoundError> {
  const entry = await store.entry(sectionId);
  if (entry !== null) return new NotFoundError('section', sectionId, sectionsOf(entry));
  const sections = (await store.entries()).flatMap(({ draft }) =>
    draft.sections.map(({ id, type }) => ({ key: id.replace(SECTION, ''), id, type, title: draft.title })),
  );
  // The common prefix of all section ids is removed, because it makes no two ids similar.
  const [near] = nearMatches(
    sectionId.replace(SECTION, ''),
    sections.map(({ key }) => key),
  );
  const found = sections.find(({ key }) => key === near);
  const hint = found && `Did you mean ${found.id} (${found.type}, in ${quotedTitle(found.title)})?`;
  return new NotFoundError('section', sectionId, hint);
}

/** Longer than any id, slug or title. */
const MAX_REF_LENGTH = 300;

/**
 * Finds an entry by its slug (of the draft, otherwise of the published version), or by a path whose last segment is the
 * slug. The path `/` is the page that is published under the home slug, which is what visitors see there; otherwise the
 * draft with that slug.
 */
async function bySlug(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const slug = ref.replace(/\/$/, '').replace(/^\/(?:.*\/)?/, '');
  const isHome = slug === '' && types.includes('page');
  if (isHome) {
    const { homeSlug } = await readSettings(store);
    return (await store.entryByPublishedSlug('page', homeSlug)) ?? store.entryBySlug('page', homeSlug);
  }
  const ordered = ref.startsWith(`/${POSTS_SEGMENT}/`) ? types.toReversed() : types;
  for (const type of ordered) {
    const entry = await store.entryBySlug(type, slug);
    if (entry !== null) return entry;
  }
  for (const type of ordered) {
    const entry = await store.entryByPublishedSlug(type, slug);
    if (entry !== null) return entry;
  }
  return null;
}

/** Finds an entry by a path at which it was once published. */
async function byFormerPath(store: ContentStore, ref: string, types: readonly EntryType[]): Promise<Entry | null> {
  const id = ref.startsWith('/') ? await store.redirectTarget(ref.replace(/\/$/, '')) : null;
  const entry = id === null ? null : await store.entry(id);
  return entry !== null && entry.deletedAt === null && types.includes(entry.type) ? entry : null;
}

async function byTitle(store: ContentStore, ref: string, type: EntryType | undefined): Promise<Entry | null> {
  const folded = foldAccents(ref.trim());
  const named = (await store.entryNames(type)).filter(({ title }) => foldAccents(title) === folded);
  const [found] = [...named.filter((name) => name.type === 'page'), ...named];
  return found === undefined ? null : store.entry(found.id);
}

/**
 * See ContentBackend.find. Pages take precedence over posts, older entries over newer ones; a slug may be written as a
 * path.
 */
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
