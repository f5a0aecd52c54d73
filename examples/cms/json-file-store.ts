import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Mutex } from 'async-mutex';
import { z } from 'zod';
import type {
  ContentReader,
  ContentStore,
  ContentTransaction,
  EntryLine,
  EntryListQuery,
  JournalEntry,
  SiteDocument,
} from '#server/site/embedded/content-store';
import type { StoredAsset } from '#server/site/embedded/asset-state';
import { placeOf, type SiteState } from '#server/site/site-paths';
import type { Entry, EntryDocument, EntryType } from '#server/core/site/content';
import type { ChangeSet, SiteDocumentKey } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

/* A site stored in a folder: `site.json` and the site's pictures. Small sites can live in a Git repository this way.
   
   The embedded backend decides for any `ContentStore` which writes are allowed, how they are undone and what the
   journal contains. This file only stores and finds data. To use a CMS with rules and an API of its own, implement
   `ContentStore` around it, as server/wordpress does; for a CMS that shares nothing with ours, implement
   `ContentBackend` itself.
   
   For one process: it reads the file once and writes the whole file at every change. */

/** Contents of `site.json`. */
interface Site {
  readonly entries: Readonly<Record<string, Entry>>;
  readonly documents: Readonly<Partial<Record<SiteDocumentKey, SiteDocument>>>;
  readonly assets: Readonly<Record<string, StoredAsset>>;
  /** Keyed by the redirected path. */
  readonly redirects: Readonly<Record<string, { readonly targetId: string; readonly createdAt: number }>>;
  /** Oldest first. */
  readonly journal: readonly Kept[];
}

/** A change with the states before and after, and the id of the change that it undoes. */
type Kept = JournalEntry & { readonly undoes: string | null };

const NOTHING: Site = { entries: {}, documents: {}, assets: {}, redirects: {}, journal: [] };

/** Opens the site in a folder; creates the folder if it is missing. */
export async function openJsonFileStore(folder: string): Promise<ContentStore> {
  const pictures = join(folder, 'pictures');
  await mkdir(pictures, { recursive: true });
  const path = join(folder, 'site.json');
  let site = await readSite(path);
  const oneAtATime = new Mutex();

  return {
    ...createReader(() => site),
    ...createLists(() => site),

    // The current state is replaced, never mutated, so a write that throws has no effect.
    write: (work) =>
      oneAtATime.runExclusive(async () => {
        const draft = { site };
        const result = await work(createTransaction(draft, pictures));
        if (draft.site === site) return result;
        await replaceFile(path, JSON.stringify(draft.site, null, 2));
        site = draft.site;
        return result;
      }),

    assetFile: (hash, size) => readFile(join(pictures, fileName(hash, size))).catch(() => null),
  };
}

async function readSite(path: string): Promise<Site> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Site;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
    throw error;
  }
}

/** Replaces a file atomically: readers, and the next start after a crash, see either the old or the new file. */
async function replaceFile(path: string, data: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, data);
  await rename(`${path}.new`, path);
}

const fileName = (hash: string, size: 'full' | 'thumb') => (size === 'full' ? hash : `${hash}.${size}`);

const isLive = ({ deletedAt }: { readonly deletedAt: number | null }) => deletedAt === null;
const compare = <T extends string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Oldest first. */
function liveEntries({ entries }: Site, type?: EntryType): Entry[] {
  return Object.values(entries)
    .filter((entry) => isLive(entry) && (type === undefined || entry.type === type))
    .toSorted((a, b) => a.createdAt - b.createdAt || compare(a.id, b.id));
}

/** Read operations, for use inside or outside a transaction. */
function createReader(current: () => Site): ContentReader {
  const live = (type?: EntryType) => liveEntries(current(), type);
  const slugIn = ({ draft, published }: Entry, state: SiteState) => (state === 'draft' ? draft : published)?.slug;
  const place = (entry: Entry | undefined) => (entry === undefined ? null : placeOf(entry));
  const journal = () => current().journal;
  const stands = ({ undoneBy, action }: ChangeSet) => undoneBy === null && action !== 'undo';

  return {
    entry: async (id) => current().entries[id] ?? null,
    entryBySlug: async (type, slug) => live(type).find(({ draft }) => draft.slug === slug) ?? null,
    entryByPublishedSlug: async (type, slug) => live(type).find(({ published }) => published?.slug === slug) ?? null,
    place: async (id) => place(live().find((entry) => entry.id === id)),
    placeBySlug: async (type, slug, state) => place(live(type).find((entry) => slugIn(entry, state) === slug)),
    firstPage: async (state) => place(live('page').find((entry) => slugIn(entry, state) !== undefined)),
    pagesPublishedBelow: async (id) =>
      live('page')
        .filter(({ published }) => published?.parent === id)
        .map(placeOf),
    redirectTarget: async (from) => current().redirects[from]?.targetId ?? null,
    sectionOwners: async (sectionIds) =>
      live().flatMap(({ id: entryId, draft }) =>
        draft.sections.filter(({ id }) => sectionIds.includes(id)).map(({ id: sectionId }) => ({ sectionId, entryId })),
      ),
    siteDocument: async (key) => current().documents[key] ?? null,
    asset: async (id) => current().assets[id] ?? null,

    journalEntry: async (changeId) => journal().find(({ change }) => change.id === changeId) ?? null,
    journalEntryAt: async (targetId, revision) =>
      journal().find(({ change }) => change.targetId === targetId && change.revision === revision) ?? null,
    newestStandingChange: async (sessionId) =>
      journal().findLast(({ change }) => change.origin.sessionId === sessionId && stands(change))?.change ?? null,
    journalOf: async (targetId) =>
      journal().flatMap((kept, seq) => (kept.change.targetId === targetId ? [lineOf(kept, seq)] : [])),
    targetsOfSession: async (sessionId, turnIds) => {
      const its = journal().filter(({ change: { origin } }) => origin.sessionId === sessionId);
      const chosen = its.filter(({ change: { origin } }) => turnIds?.includes(origin.turnId ?? '') ?? true);
      return [...new Set(chosen.map(({ change }) => change.targetId))];
    },
    versionsOf: async (entryId) =>
      journal()
        .filter(({ change }) => change.targetId === entryId)
        .map(({ change: { revision, action, summary, summaryMessage, origin, createdAt }, after }) => {
          const { draft, published } = after as unknown as Pick<Entry, 'draft' | 'published'>;
          const { actor } = origin;
          return {
            revision,
            action,
            summary,
            summaryMessage,
            actor,
            createdAt,
            title: draft.title,
            isPublished: isSame(draft, published),
          };
        })
        .toReversed(),
    seqOf: async (changeId) => {
      const seq = journal().findIndex(({ change }) => change.id === changeId);
      return seq === -1 ? null : seq;
    },
    stateAt: async (targetId, seq) => stateAt(journal(), targetId, seq),
    entriesAt: async (seq) =>
      Object.values(current().entries)
        .toSorted((a, b) => a.createdAt - b.createdAt || compare(a.id, b.id))
        .flatMap((entry) => {
          const state = stateAt(journal(), entry.id, seq);
          const then = state === undefined ? entry : (state as unknown as Entry | null);
          if (then === null || !isLive(then)) return [];
          const { slug, parent = null } = then.draft;
          const { id, type, createdAt } = entry;
          const publishedSlug = then.published?.slug ?? null;
          return [{ id, type, slug, publishedSlug, parent, publishedAt: then.publishedAt, createdAt }];
        }),
    async changes({ limit, before, after, sessionId, handSince = Infinity, targetId, targetType, ...by }) {
      const isByHand = ({ origin, createdAt }: ChangeSet) =>
        origin.actor === 'user' && origin.sessionId === undefined && createdAt >= handSince;
      const end = before === undefined ? Infinity : indexIn(journal(), before);
      const asked = Object.entries(by).filter(([, value]) => value !== undefined);
      const start = after === undefined ? 0 : indexIn(journal(), after) + 1;
      const found = journal()
        .slice(start, end)
        .map(({ change }) => change)
        .filter((change) => sessionId === undefined || change.origin.sessionId === sessionId || isByHand(change))
        .filter((change) => targetId === undefined || change.targetId === targetId)
        .filter((change) => targetType === undefined || change.targetType === targetType)
        .filter(({ origin }) => asked.every(([field, value]) => origin[field as keyof typeof origin] === value));
      return (after === undefined ? found.toReversed() : found).slice(0, limit);
    },
  };
}

/** @throws InvalidInputError if the journal has no change with this id */
function indexIn(journal: readonly Kept[], changeId: string): number {
  const index = journal.findIndex(({ change }) => change.id === changeId);
  if (index === -1) throw new InvalidInputError('This cursor is not valid.');
  return index;
}

/** The state after the last change up to `seq`, else the state before the next one; undefined if there is neither. */
function stateAt(journal: readonly Kept[], targetId: string, seq: number): JsonValue | undefined {
  const isItsOwn = ({ change }: Kept) => change.targetId === targetId;
  const until = journal.slice(0, seq + 1).findLast(isItsOwn);
  return until === undefined ? journal.slice(seq + 1).find(isItsOwn)?.before : until.after;
}

/** Summary of a change with the fields that an undo queries. */
function lineOf({ change, before, after, undoes }: Kept, seq: number) {
  const isEntry = change.targetType === 'page' || change.targetType === 'post';
  const differs = (field: string) => !isSame(fieldOf(before, field), fieldOf(after, field));
  return {
    change,
    seq,
    undoes,
    existence: before === null || differs('deletedAt'),
    publication: isEntry && differs('published'),
    plan: isEntry && (differs('publishAt') || differs('planned')),
    before: isEntry ? null : before,
    after: isEntry ? null : after,
  };
}

function fieldOf(state: JsonValue, field: string): JsonValue {
  return typeof state === 'object' && state !== null && !Array.isArray(state) ? (state[field] ?? null) : null;
}

/** One write transaction: each step replaces the state with a new one. */
function createTransaction(draft: { site: Site }, pictures: string): ContentTransaction {
  const put = (changed: Partial<Site>) => {
    // Normalizes to JSON also in memory: a field that is undefined is missing.
    draft.site = { ...draft.site, ...(JSON.parse(JSON.stringify(changed)) as Partial<Site>) };
  };
  const mark = (changeId: string, marked: (kept: Kept) => Kept) =>
    put({ journal: draft.site.journal.map((kept) => (kept.change.id === changeId ? marked(kept) : kept)) });

  return {
    ...createReader(() => draft.site),
    saveEntry: async (entry) => put({ entries: { ...draft.site.entries, [entry.id]: entry } }),
    saveSiteDocument: async (key, document) => put({ documents: { ...draft.site.documents, [key]: document } }),
    saveAsset: async (asset) => put({ assets: { ...draft.site.assets, [asset.id]: asset } }),
    saveRedirect: async (path, targetId, createdAt) =>
      put({ redirects: { ...draft.site.redirects, [path]: { targetId, createdAt } } }),
    addJournalEntry: async (entry) => put({ journal: [...draft.site.journal, { ...entry, undoes: null }] }),
    extendJournalEntry: async (entry) => {
      const others = draft.site.journal.filter(({ change }) => change.id !== entry.change.id);
      put({ journal: [...others, { ...entry, undoes: null }] });
    },
    setUndoneBy: async (changeId, undoneBy) =>
      mark(changeId, (kept) => ({ ...kept, change: { ...kept.change, undoneBy } })),
    setUndoes: async (changeId, undoes) => mark(changeId, (kept) => ({ ...kept, undoes })),
    // Named by a hash of the content: an existing file is identical, and an unreferenced file does no harm.
    async keepAssetFile({ hash, data, thumbnail }) {
      await replaceFile(join(pictures, fileName(hash, 'full')), data);
      await replaceFile(join(pictures, fileName(hash, 'thumb')), thumbnail);
    },
  };
}

/** Lists that are only read outside of transactions. */
function createLists(
  current: () => Site,
): Pick<
  ContentStore,
  | 'listEntries'
  | 'statusCounts'
  | 'listAssets'
  | 'countAssets'
  | 'entryNames'
  | 'redirects'
  | 'tags'
  | 'authors'
  | 'entries'
> {
  const live = (type?: EntryType) => liveEntries(current(), type);

  return {
    entries: async (type) => live(type),
    entryNames: async (type) =>
      live(type).map(({ id, type: its, draft: { title, slug } }) => ({ id, type: its, title, slug })),

    async tags(type) {
      const found = new Map<string, { tag: string; count: number }>();
      for (const { draft } of live(type)) {
        for (const tag of draft.tags ?? []) {
          const key = tag.toLowerCase();
          const { tag: spelled = tag, count = 0 } = found.get(key) ?? {};
          found.set(key, { tag: tag < spelled ? tag : spelled, count: count + 1 });
        }
      }
      return [...found.entries()]
        .toSorted(([a, x], [b, y]) => y.count - x.count || compare(a, b))
        .map(([, each]) => each);
    },

    authors: async () => {
      const named = live().flatMap(({ draft }) => draft.author ?? []);
      return [...Map.groupBy(named, (author) => author)]
        .map(([author, uses]) => ({ author, count: uses.length }))
        .toSorted((a, b) => b.count - a.count || compare(a.author, b.author));
    },

    redirects: async () =>
      Object.entries(current().redirects)
        .map(([from, to]) => ({ from, ...to }))
        .toSorted((a, b) => b.createdAt - a.createdAt || compare(a.from, b.from)),

    async statusCounts(type) {
      const counts = { draft: 0, published: 0, changed: 0 };
      for (const { status } of live(type)) counts[status] += 1;
      return counts;
    },

    async listEntries({ state, sort, order, select, limit, cursor, ...query }) {
      const documentOf = (entry: Entry) => (state === 'published' ? entry.published : entry.draft);
      const placed = live().flatMap((entry) => ({ id: entry.id, parent: documentOf(entry)?.parent ?? null }));
      const found = Object.values(current().entries).flatMap((entry) => {
        const document = documentOf(entry);
        if (document === null || isLive(entry) !== (state !== 'trashed') || !fits(entry, document, query)) return [];
        const above = placed.find(({ id }) => id === document.parent)?.id ?? null;
        if (query.parent !== undefined && above !== query.parent) return [];
        return [{ key: sortKey(entry, document, sort), id: entry.id, entry, document }];
      });
      const direction = order === 'asc' ? 1 : -1;
      const page = pageOf(found, `${state} ${sort} ${order}`, direction, limit, cursor);
      return {
        ...page,
        items: page.items.map(({ entry, document }) => ({
          ...entryLine(entry, document, select),
          childCount: placed.filter(({ parent }) => parent === entry.id).length,
        })),
      };
    },

    countAssets: async () => Object.keys(current().assets).length,
    async listAssets({ text = '', tag, missingAlt, state = 'live', except = [], limit, cursor }) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const found = Object.values(current().assets)
        .filter((asset) => isLive(asset) === (state === 'live') && (missingAlt !== true || asset.alt === ''))
        .filter(({ id }) => !except.includes(id))
        .filter(({ tags }) => tag === undefined || hasTag(tags, tag))
        .filter(({ filename, alt, tags }) => holds([filename, alt, ...tags], words))
        .map((asset) => ({ key: asset.createdAt, id: asset.id, asset }));
      const page = pageOf(found, 'assets', -1, limit, cursor);
      return { ...page, items: page.items.map(({ asset }) => asset) };
    },
  };
}

function fits(
  entry: Entry,
  document: EntryDocument,
  {
    type,
    status,
    scheduled,
    tag,
    author,
    updatedFrom = 0,
    updatedBefore = Infinity,
    words,
    textWords,
  }: Omit<EntryListQuery, 'parent' | 'state' | 'sort' | 'order' | 'select' | 'limit' | 'cursor'>,
): boolean {
  return (
    (type === undefined || entry.type === type) &&
    (status === undefined || entry.status === status) &&
    (scheduled !== true || entry.publishAt !== null) &&
    (tag === undefined || hasTag(document.tags ?? [], tag)) &&
    (author === undefined || document.author === author) &&
    entry.updatedAt >= updatedFrom &&
    entry.updatedAt < updatedBefore &&
    holds([document.title, document.slug, document.excerpt ?? ''], words) &&
    holds([JSON.stringify(document)], textWords)
  );
}

const hasTag = (tags: readonly string[], tag: string) => tags.some((each) => each.toLowerCase() === tag.toLowerCase());

function holds(texts: readonly string[], words: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

/** Entries that were never published, or have no planned date, sort after all others. */
function sortKey(
  { updatedAt, createdAt, publishedAt, publishAt }: Entry,
  { title }: EntryDocument,
  sort: EntryListQuery['sort'],
) {
  const never = Number.MAX_SAFE_INTEGER;
  const keys = {
    // The example does not weigh matches: the newest come first.
    relevance: updatedAt,
    updated: updatedAt,
    created: createdAt,
    published: publishedAt ?? never,
    scheduled: publishAt ?? never,
  };
  return sort === 'title' ? title.toLowerCase() : keys[sort];
}

function entryLine(
  entry: Entry,
  document: EntryDocument,
  select: EntryListQuery['select'],
): Omit<EntryLine, 'childCount'> {
  const { id, type, status, draft, publishedAt, publishAt, planned, updatedAt } = entry;
  const { title, slug, excerpt, parent, sections } = document;
  return {
    id,
    type,
    title,
    slug,
    status,
    sectionCount: sections.length,
    publishedAt,
    publishAt,
    isPlanOlder: planned !== null && JSON.stringify(planned) !== JSON.stringify(draft),
    updatedAt,
    ...(excerpt !== undefined && { excerpt }),
    ...(parent !== undefined && { parent }),
    ...(select.length > 0 && {
      selected: Object.fromEntries(select.flatMap((field) => (field in document ? [[field, document[field]]] : []))),
    }),
  };
}

const cursorSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/** A page of a list, after the item that the cursor names; items with equal keys are ordered by id. */
function pageOf<T extends { readonly key: string | number; readonly id: string }>(
  all: readonly T[],
  place: string,
  direction: 1 | -1,
  limit: number,
  cursor: string | undefined,
): { items: T[]; total: number; nextCursor: string | null } {
  const inOrder = (a: Pick<T, 'key' | 'id'>, b: Pick<T, 'key' | 'id'>) =>
    direction * (compare(a.key, b.key) || compare(a.id, b.id));
  const last = cursor === undefined ? null : readCursor(place, cursor);
  const rest = all.filter((item) => last === null || inOrder(item, last) > 0).toSorted(inOrder);
  const items = rest.slice(0, limit);
  const end = rest.length > limit ? items.at(-1) : undefined;
  const nextCursor =
    end === undefined ? null : Buffer.from(JSON.stringify([place, end.key, end.id])).toString('base64url');
  return { items, total: all.length, nextCursor };
}

function readCursor(place: string, cursor: string) {
  try {
    const [of, key, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (of === place) return { key, id };
  } catch {
    // The error is thrown below.
  }
  throw new InvalidInputError('This cursor is not valid. Start again without one.');
}
