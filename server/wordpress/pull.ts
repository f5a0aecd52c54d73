import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import type { RemoteMedia, RemoteEntryHead } from '#server/wordpress/client/wordpress-client';
import type { SiteKind } from '#server/wordpress/client/site-kinds';
import { collect } from '#server/wordpress/client/collections';
import { isAsKnown } from '#server/wordpress/mirror/remote-document';
import { knownEntryOf, type SiteAccess, type RemoteMark } from '#server/wordpress/mirror/mirror';
import {
  newEntryId,
  takeOverEntries,
  takeOverEntry,
  takeOverListedMedia,
  takeOverPicture,
  takeOverSite,
} from '#server/wordpress/pull-external-change';
import { type EntryType, entryTypes } from '#server/core/site/content';
import type { PullProgress } from '#server/core/site/remote-site';
import { toJson } from '#server/core/json';
import { ThroughlineError } from '#server/core/errors';

/**
 * Number of entries that are stored in one transaction; stored entries remain even if a later batch fails. A choice,
 * not measured.
 */
const BATCH = 20;
/**
 * Largest number of changed entries that are requested by id; above it, all entries are read. A choice, not measured.
 */
const MAX_BY_ID = 200;

/** Runs work while no other process writes to the site. */
export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

/** How a pull reports its progress, and how it is stopped. */
export interface PullOptions {
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

function batchesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, n) => items.slice(n * BATCH, (n + 1) * BATCH));
}

/** Items of a type in the mirror, by their ids in WordPress. */
async function marksOf({ mirror }: SiteAccess, kind: EntryType | 'asset'): Promise<Marks> {
  return new Map((await mirror.marks(kind)).map((mark) => [mark.remoteId, mark]));
}

/** A list of entries in WordPress: its pages, its posts, or those of another kind, which are posts here. */
interface Source {
  readonly type: EntryType;
  readonly remoteType: string;
  readonly kind: SiteKind | null;
}

async function sourcesOf({ client }: SiteAccess, isFresh: boolean, signal?: AbortSignal): Promise<Source[]> {
  const kinds = await client.entries.kinds(isFresh, signal);
  return [
    ...entryTypes.map((type) => ({ type, remoteType: type, kind: null })),
    ...kinds.map((kind) => ({ type: 'post' as const, remoteType: kind.slug, kind })),
  ];
}

/**
 * If a plugin does not show its own entries, pages and posts can still be read; the entries of the plugin do not
 * change.
 */
async function unlessOfPlugin<T>({ kind }: Source, reading: Promise<T>, signal?: AbortSignal): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    signal?.throwIfAborted();
    if (kind === null || !(error instanceof ThroughlineError)) throw error;
    return null;
  }
}

/** Marks by remote id. */
type Marks = ReadonlyMap<number, RemoteMark>;

/** The marks of its type that belong to a source. */
function marksFrom({ kind }: Source, marks: Marks): Marks {
  return new Map([...marks].filter(([, { kindSlug }]) => kindSlug === (kind?.slug ?? null)));
}

/** Entries of a source that are new, changed or deleted in WordPress; empty if it does not show them. */
async function differences(site: SiteAccess, source: Source, signal: AbortSignal | undefined) {
  const asked = site.client.entries.heads(source.remoteType, signal);
  const [heads, ofType] = await Promise.all([unlessOfPlugin(source, asked, signal), marksOf(site, source.type)]);
  if (heads === null) return { changed: [], lost: [] };
  const marks = marksFrom(source, ofType);
  const present = new Set(heads.map(({ remoteId }) => remoteId));
  const changed = heads.filter(({ remoteId, modifiedGmt }) => marks.get(remoteId)?.modified !== modifiedGmt);
  const lost = [...marks.values()].filter(({ remoteId }) => !present.has(remoteId));
  return { changed, lost };
}

/** Reads these entries, a few at a time, because a whole site would not fit into the memory of a small host. */
async function* readEntries(
  site: SiteAccess,
  { remoteType }: Source,
  ids: ReadonlySet<number>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RemoteEntry[]> {
  if (ids.size === 0) return;
  const query = ids.size <= MAX_BY_ID ? { include: [...ids] } : {};
  for await (const { items } of site.client.entries.list(remoteType, query, signal)) {
    yield* batchesOf(items.filter(({ remoteId }) => ids.has(remoteId)));
  }
}

/** Gives new entries their ids and addresses, so that entries that are taken over first can refer to the others. */
async function announce(
  { mirror, now }: SiteAccess,
  { type, kind }: Source,
  remotes: readonly RemoteEntryHead[],
): Promise<void> {
  const known = new Set((await mirror.marks(type)).map(({ remoteId }) => remoteId));
  const fresh = remotes.filter(({ remoteId, status }) => status !== 'trash' && !known.has(remoteId));
  if (fresh.length === 0) return;
  await mirror.write(async (tx) => {
    for (const { remoteId, link: address } of fresh) {
      const state = toJson({ address, modified: 0, ...(kind && { kind }) });
      await tx.saveLink({ kind: type, localId: newEntryId(type), remoteId, known: state, seenAt: now() });
    }
  });
}

/** Pulls all entries that differ from WordPress, and deletions. */
async function pullAllEntries(site: SiteAccess, exclusively: Exclusively, options: PullOptions): Promise<void> {
  const { onProgress, signal } = options;
  const found: { readonly source: Source; readonly ids: ReadonlySet<number> }[] = [];
  for (const source of await sourcesOf(site, true, signal)) {
    const { changed, lost } = await differences(site, source, signal);
    for (const { localId } of lost) await exclusively(() => takeOverEntry(site, localId));
    await exclusively(() => announce(site, source, changed));
    found.push({ source, ids: new Set(changed.map(({ remoteId }) => remoteId)) });
  }
  for (const type of entryTypes) {
    const phase = type === 'page' ? 'pages' : 'posts';
    const all = found.filter(({ source }) => source.type === type);
    const total = all.reduce((sum, { ids }) => sum + ids.size, 0);
    onProgress?.({ phase, done: 0, total });
    let done = 0;
    for (const { source, ids } of all) {
      for await (const batch of readEntries(site, source, ids, signal)) {
        signal?.throwIfAborted();
        await exclusively(() => takeOverEntries(site, batch));
        onProgress?.({ phase, done: (done += batch.length), total });
      }
    }
  }
}

/** Pulls all pictures that differ from WordPress, and deletions. */
async function pullAllMedia(site: SiteAccess, exclusively: Exclusively, options: PullOptions): Promise<void> {
  const { onProgress, signal } = options;
  const present = new Set(await site.client.media.ids(signal));
  for (const link of await site.mirror.links('asset')) {
    if (!present.has(link.remoteId)) await exclusively(() => takeOverPicture(site, link));
  }
  const marks = await marksOf(site, 'asset');
  // If none is missing here, only those written since can differ.
  const isComplete = [...present].every((id) => marks.has(id));
  const query = isComplete ? { modifiedSince: newestOf(site, marks.values()) } : {};
  let done = 0;
  onProgress?.({ phase: 'media', done, total: present.size });
  for await (const { items, total } of site.client.media.list(query, signal)) {
    const changed = items.filter(({ remoteId, modifiedGmt }) => marks.get(remoteId)?.modified !== modifiedGmt);
    for (const batch of batchesOf(changed)) {
      signal?.throwIfAborted();
      await exclusively(() => takeOverListedMedia(site, batch));
    }
    onProgress?.({ phase: 'media', done: (done += items.length), total });
  }
}

/**
 * Pulls everything that differs from WordPress. What has been pulled is stored, and the next pull continues from there.
 */
export async function pullAll(site: SiteAccess, exclusively: Exclusively, options: PullOptions = {}): Promise<void> {
  const { onProgress, signal } = options;
  await pullAllMedia(site, exclusively, options);
  await pullAllEntries(site, exclusively, options);
  signal?.throwIfAborted();
  onProgress?.({ phase: 'site', done: 0, total: 1 });
  await exclusively(() => takeOverSite(site, signal));
  onProgress?.({ phase: 'site', done: 1, total: 1 });
}

/**
 * The newest change of a kind that the mirror has seen; undefined: none. A time in the future, from imports and wrong
 * clocks, is ignored, because changes until then would be skipped.
 */
function newestOf({ now }: SiteAccess, marks: Iterable<{ readonly modified: number }>): number | undefined {
  const times = [...marks].map(({ modified }) => modified).filter((time) => time > 0 && time <= now());
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
}

async function changedEntries(site: SiteAccess, source: Source, marks: Marks): Promise<RemoteEntry[]> {
  const { type, remoteType } = source;
  const modifiedSince = newestOf(site, marksFrom(source, marks).values());
  const listed = collect(site.client.entries.list(remoteType, { modifiedSince }));
  const changed: RemoteEntry[] = [];
  for (const remote of (await unlessOfPlugin(source, listed)) ?? []) {
    const known = knownEntryOf(await site.mirror.linkByRemote(type, remote.remoteId));
    if (!isAsKnown(known, remote, site.secrets)) changed.push(remote);
  }
  return changed;
}

async function changedMedia(site: SiteAccess): Promise<RemoteMedia[]> {
  const marks = await marksOf(site, 'asset');
  const found: RemoteMedia[] = [];
  for await (const { items } of site.client.media.list({ modifiedSince: newestOf(site, marks.values()) })) {
    found.push(...items.filter(({ remoteId, modifiedGmt }) => marks.get(remoteId)?.modified !== modifiedGmt));
  }
  return found;
}

/** Takes over what was written in WordPress since the newest change that was seen: quick, but misses deletions. */
export async function pullNewer(site: SiteAccess, exclusively: Exclusively): Promise<void> {
  const media = await changedMedia(site);
  const found: { readonly source: Source; readonly changed: readonly RemoteEntry[] }[] = [];
  // Posts and all other kinds have the same type here, and nothing is taken over before all kinds were requested.
  const marks = { page: await marksOf(site, 'page'), post: await marksOf(site, 'post') };
  for (const source of await sourcesOf(site, false))
    found.push({ source, changed: await changedEntries(site, source, marks[source.type]) });
  const entries = found.flatMap(({ changed }) => changed);
  if (media.length > 0) await exclusively(() => takeOverListedMedia(site, media));
  if (entries.length > 0) {
    await exclusively(async () => {
      for (const { source, changed } of found) await announce(site, source, changed);
      for (const batch of batchesOf(entries)) await takeOverEntries(site, batch);
    });
  }
  await exclusively(() => takeOverSite(site, undefined, true));
}
