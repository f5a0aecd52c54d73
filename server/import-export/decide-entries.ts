import { POSTS_SEGMENT } from '#server/core/addresses';
import type { Entry, EntryType } from '#server/core/site/content';
import type { SourceEntry } from '#server/import-export/plan/import-plan';
import { type ImportWork, isUntouched, type KnownItem } from '#server/import-export/import-work';
import { SlugIndex } from '#server/import-export/slug-index';

/** Decision about an entry of the plan, made before its content is read. */
export interface DecidedEntry {
  readonly planned: SourceEntry;
  readonly slug: string;
  /** Path that the entry will get. */
  readonly path: string;
  /**
   * State on this site: `new`: not imported before; `unchanged`: only imports have changed it; `edited`: a person has
   * changed it here since it was imported, so it is not overwritten; `deleted`: it was deleted here since.
   */
  readonly state: 'new' | 'unchanged' | 'edited' | 'deleted';
  /** The present entry on this site; null if it does not exist. */
  readonly entry: Entry | null;
  /** Result of the last import of this entry; undefined if there was none. */
  readonly known: KnownItem | undefined;
}

/** Slugs in use on the site, by type. */
export type TakenSlugs = Readonly<Record<EntryType, SlugIndex>>;

async function takenSlugs({ content }: ImportWork): Promise<TakenSlugs> {
  const taken: TakenSlugs = { page: new SlugIndex(), post: new SlugIndex() };
  for (const state of ['draft', 'published'] as const) {
    let cursor: string | undefined;
    do {
      const page = await content.query({ state, limit: 100, cursor });
      for (const { type, slug } of page.items) taken[type].add(slug);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return taken;
}

/**
 * Chooses the slug and path of every entry in the plan, before any entry is written: an entry may link to entries that
 * come later. Adds the addresses of the entries to `work.addresses`.
 * @param homeSlug slug of the page that is shown at `/`
 * @returns the decisions by the key of the entry, in the order of the plan; and the slugs in use, including the chosen
 */
export async function decideEntries(
  work: ImportWork,
  homeSlug: string,
): Promise<{ readonly decided: ReadonlyMap<string, DecidedEntry>; readonly taken: TakenSlugs }> {
  const taken = await takenSlugs(work);
  const decided = new Map<string, DecidedEntry>();
  for (const planned of work.plan.entries) {
    const { entry, known, state } = await presentState(work, planned);
    const slug = slugOf(planned, entry, taken[planned.type]);
    const isKept = entry !== null && state === 'edited';
    const path = isKept ? await work.content.pathOf(entry, 'draft') : pathOf(planned, slug, decided, homeSlug);
    decided.set(planned.key, { planned, slug, path, state, entry, known });
    if (state !== 'deleted') for (const address of planned.addresses) work.addresses.add(address, path);
  }
  for (const { addresses, path } of work.plan.places)
    for (const address of addresses) work.addresses.add(address, path);
  return { decided, taken };
}

/** Finds the entry of an earlier import, or the entry itself if the file was exported from this site. */
async function presentState(
  work: ImportWork,
  { key, type, draft, here }: SourceEntry,
): Promise<Pick<DecidedEntry, 'entry' | 'known' | 'state'>> {
  const isOrphan = work.orphan?.type === type && work.orphan.draft.title === draft.title;
  const orphan = isOrphan ? work.orphan : null;
  const known =
    work.known.get(key) ??
    (orphan === null ? undefined : { sourceKey: key, localId: orphan.id, hash: '', revision: 1 });
  if (known === undefined) {
    const itself = here === undefined ? null : await work.content.find(here.id, type);
    const isItself = itself !== null && itself.id === here?.id && itself.createdAt === here.createdAt;
    return isItself ? { entry: itself, known, state: 'edited' } : { entry: null, known, state: 'new' };
  }
  const entry = await work.content.find(known.localId, type);
  if (entry === null || entry.id !== known.localId) return { entry: null, known, state: 'deleted' };
  return { entry, known, state: (await isUntouched(work, known, entry.revision)) ? 'unchanged' : 'edited' };
}

/** Chooses a slug: keeps the entry's present slug if it was derived from the planned one. */
function slugOf({ draft: { slug } }: SourceEntry, entry: Entry | null, taken: SlugIndex): string {
  if (entry === null) return taken.claim(slug);
  const own = entry.draft.slug;
  const isDerived = own === slug || /^-\d+$/.test(own.startsWith(slug) ? own.slice(slug.length) : '');
  return isDerived ? own : taken.claim(slug);
}

function pathOf(
  { type, draft: { parent } }: SourceEntry,
  slug: string,
  decided: ReadonlyMap<string, DecidedEntry>,
  homeSlug: string,
): string {
  if (type === 'post') return `/${POSTS_SEGMENT}/${slug}`;
  if (slug === homeSlug) return '/';
  const parentEntry = parent === undefined ? undefined : decided.get(parent);
  return parentEntry === undefined || parentEntry.state === 'deleted' || parentEntry.path === '/'
    ? `/${slug}`
    : `${parentEntry.path}/${slug}`;
}
