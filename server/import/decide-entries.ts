import { latinWords, slugFromTitle } from '#server/content/slugs';
import { MAX_SLUG_LENGTH, SLUG_PATTERN } from '#server/core/document-fields';
import { percentDecoded, POSTS_SEGMENT } from '#server/core/addresses';
import type { Entry, EntryType } from '#server/core/content';
import type { SourceEntry } from '#server/import/plan';
import { type ImportWork, isUntouched, type KnownItem } from '#server/import/work';

/** Decision about a planned entry, before its content is read. */
export interface DecidedEntry {
  readonly planned: SourceEntry;
  readonly slug: string;
  /** Path that it will have. */
  readonly path: string;
  /** `new`; `ours`: as an import left it; `theirs`: changed here since; `gone`: deleted here since. */
  readonly state: 'new' | 'ours' | 'theirs' | 'gone';
  /** The entry as it is here now; null where there is none. */
  readonly entry: Entry | null;
  readonly known: KnownItem | undefined;
}

/** Slugs of the site by type; another is asked for where one is taken. */
export type TakenSlugs = Readonly<Record<EntryType, Set<string>>>;

/** The slug, or the first of `slug-2`, `slug-3` ... that is free; it is taken now. */
export function freeSlug(wanted: string, taken: Set<string>): string {
  let slug = wanted;
  for (let number = 2; taken.has(slug); number += 1) slug = numberedSlug(wanted, number);
  taken.add(slug);
  return slug;
}

async function takenSlugs({ content }: ImportWork): Promise<TakenSlugs> {
  const taken: TakenSlugs = { page: new Set(), post: new Set() };
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

/** Chooses the slug and path of every entry in the plan first, so that links between them can be written at once. */
export async function decideEntries(
  work: ImportWork,
  homeSlug: string,
): Promise<{ readonly decided: ReadonlyMap<string, DecidedEntry>; readonly taken: TakenSlugs }> {
  const taken = await takenSlugs(work);
  const decided = new Map<string, DecidedEntry>();
  for (const planned of work.plan.entries) {
    const { entry, known, state } = await present(work, planned);
    const slug = slugOf(planned, entry, taken[planned.type]);
    const isStaying = entry !== null && state === 'theirs';
    const path = isStaying ? await work.content.pathOf(entry, 'draft') : pathOf(planned, slug, decided, homeSlug);
    decided.set(planned.key, { planned, slug, path, state, entry, known });
    if (state !== 'gone') for (const address of planned.addresses) work.addresses.add(address, path);
  }
  return { decided, taken };
}

async function present(
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
    return isItself ? { entry: itself, known, state: 'theirs' } : { entry: null, known, state: 'new' };
  }
  const entry = await work.content.find(known.localId, type);
  if (entry === null || entry.id !== known.localId) return { entry: null, known, state: 'gone' };
  return { entry, known, state: (await isUntouched(work, known, entry.revision)) ? 'ours' : 'theirs' };
}

/** Chooses a slug: the one that it has here where that was made of the planned one. */
function slugOf({ draft: { slug } }: SourceEntry, entry: Entry | null, taken: Set<string>): string {
  if (entry === null) return freeSlug(slug, taken);
  const own = entry.draft.slug;
  const isMadeOfIt = own === slug || /^-\d+$/.test(own.startsWith(slug) ? own.slice(slug.length) : '');
  return isMadeOfIt ? own : freeSlug(slug, taken);
}

function pathOf(
  { type, draft: { parent } }: SourceEntry,
  slug: string,
  decided: ReadonlyMap<string, DecidedEntry>,
  homeSlug: string,
): string {
  if (type === 'post') return `/${POSTS_SEGMENT}/${slug}`;
  if (slug === homeSlug) return '/';
  const above = parent === undefined ? undefined : decided.get(parent);
  return above === undefined || above.state === 'gone' || above.path === '/' ? `/${slug}` : `${above.path}/${slug}`;
}

/** Letters that our slugs cannot spell. */
const UNSPELLED = /[^\p{Script=Latin}\p{N}\p{P}\p{S}\p{Z}\p{M}]/u;

/** The slug of the source where ours may be like it, in Latin letters where it can be, else one of the title. */
export function plannedSlug(slug: string, title: string, type: EntryType): string {
  const decoded = percentDecoded(slug);
  if (decoded.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(decoded)) return decoded;
  const spelled = UNSPELLED.test(decoded) ? '' : latinWords(decoded);
  return spelled === '' ? slugFromTitle(title, type) : spelled;
}

/** Adds a number to a slug: `about-2`. */
function numberedSlug(slug: string, number: number): string {
  const ending = `-${number}`;
  return `${slug.slice(0, MAX_SLUG_LENGTH - ending.length).replace(/-+$/, '')}${ending}`;
}
