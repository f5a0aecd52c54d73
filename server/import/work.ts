import { createHash } from 'node:crypto';
import type { ContentBackend } from '#server/content/content-backend';
import { linkedAsset } from '#server/content/entry-links';
import { percentDecoded } from '#server/core/addresses';
import type { Entry } from '#server/core/content';
import type { ChangeOrigin } from '#server/core/changes';
import { CancelledError } from '#server/core/errors';
import type { ImportRun, KeptComment } from '#server/core/imports';
import type { ImportPlan } from '#server/import/plan';

/** Choices of the person who imports. */
export interface ImportOptions {
  /** Pictures are fetched from where they are. */
  readonly pictures: boolean;
  /** The name of the site too, and the menu in place of the one there is. */
  readonly settings: boolean;
}

/** Result of an earlier import of a thing from the same source. */
export interface KnownItem {
  readonly sourceKey: string;
  readonly localId: string;
  /** Empty: it was not through. */
  readonly hash: string;
  readonly revision: number;
}

/** An import with the site it goes into, as it is kept. */
export interface KeptRun extends Omit<ImportRun, 'target' | 'approval'> {
  readonly siteId: string;
}

/** Storage of imports (`store/import-repository`). */
export interface ImportStore {
  /** @throws ConflictError while another import into this site is kept as running */
  begin(
    run: Pick<KeptRun, 'siteId' | 'filename' | 'format' | 'total' | 'report'> & { userId?: string | undefined },
  ): Promise<KeptRun>;
  /** Changes the given fields of a run, if it is running. */
  update(
    id: string,
    state: Partial<Pick<ImportRun, 'status' | 'done' | 'total' | 'report' | 'error' | 'finishedAt'>>,
  ): Promise<void>;
  get(id: string): Promise<KeptRun>;
  /** Newest first, at most 50; into one site, or into all. */
  list(siteId?: string): Promise<KeptRun[]>;
  running(): Promise<KeptRun[]>;
  /** Everything taken from a source into a site, by its name there. */
  items(siteId: string, source: string): Promise<ReadonlyMap<string, KnownItem>>;
  /** True when an import has made this entry. */
  knows(siteId: string, localId: string): Promise<boolean>;
  remember(siteId: string, source: string, item: KnownItem): Promise<void>;
  forget(siteId: string, localIds: readonly string[]): Promise<void>;
  /** Keeps the comments of an entry in place of those that are kept of it. */
  keepComments(siteId: string, entryId: string, comments: readonly KeptComment[]): Promise<void>;
}

/** State that all steps of an import share. */
export interface ImportWork {
  readonly plan: ImportPlan;
  readonly options: ImportOptions;
  readonly content: ContentBackend;
  readonly origin: ChangeOrigin;
  readonly known: ReadonlyMap<string, KnownItem>;
  /** Null: nothing is written at all. */
  readonly remember: ((item: KnownItem) => Promise<void>) | null;
  readonly keepComments?: ((entryId: string, comments: readonly KeptComment[]) => Promise<void>) | undefined;
  readonly addresses: Addresses;
  /** Entry of an import that ended before it could remember it. */
  readonly orphan: Entry | null;
  readonly signal: AbortSignal;
  /** Something has become of one more thing. */
  readonly onProgress?: (() => void) | undefined;
}

/** Prepares the work: looks up what earlier imports from the same source took into the site. */
export async function startWork(
  store: ImportStore,
  siteId: string,
  given: Omit<ImportWork, 'known' | 'addresses' | 'orphan'>,
): Promise<ImportWork> {
  const { plan, content } = given;
  const known = await store.items(siteId, plan.source);
  return { ...given, known, addresses: createAddresses(plan.base), orphan: await orphanOf(store, siteId, content) };
}

/** The entry that an import made last, where it ended before it could remember it. */
async function orphanOf(store: ImportStore, siteId: string, content: ContentBackend): Promise<Entry | null> {
  const [newest] = await content.changes({ actor: 'import', limit: 1 });
  if (newest?.action !== 'create' || (await store.knows(siteId, newest.targetId))) return null;
  const entry = await content.find(newest.targetId);
  return entry?.id === newest.targetId ? entry : null;
}

/** @throws CancelledError where the import is to end */
export function checkGoesOn({ signal }: Pick<ImportWork, 'signal'>): void {
  if (signal.aborted) throw new CancelledError('The import was cancelled.');
}

/** Tells whether only imports (and due plans) have changed a thing since a revision of it. */
export async function isUntouched(
  { content }: Pick<ImportWork, 'content'>,
  { localId, revision }: KnownItem,
  present: number,
): Promise<boolean> {
  if (present <= revision) return true;
  const since = (await content.changes({ targetId: localId, limit: present - revision })).filter(
    (change) => change.revision > revision,
  );
  return since.every(({ origin: { actor } }) => actor === 'import' || actor === 'schedule');
}

/** WordPress's name of a picture in another size: `kiln-300x200.jpg`. */
const SIZED = /-\d+x\d+(?=\.[a-z]+$)/i;
/** Queries that name an entry. */
const NAMING = /^\?(?:p|page_id|attachment_id)=\d+$/;
const NOWHERE = 'http://this-site.invalid';

/** Translates addresses of the source to our site. */
export interface Addresses {
  /** The first of an address stays. */
  add(address: string, ours: string): void;
  /** Finds the place on our site; null where it is none of ours. */
  find(address: string): string | null;
  /** Address to write instead of one in the source's content. */
  toLocal(address: string): string;
  /** Tells whether an address leads to the source. */
  isOfSource(address: string): boolean;
}

/** Address that stands for a picture of a site of ours under every name it ever had: texts keep the former ones. */
export function pictureFolder(id: string): string {
  return `/media/${id}`;
}

/** @param base what paths are below of; null: they are of our own site already */
export function createAddresses(base: string | null): Addresses {
  const root = base ?? NOWHERE;
  const known = new Map<string, string>();
  const parsed = (address: string) => {
    const from = `${root}/`;
    return URL.canParse(address, from) ? new URL(address, from) : null;
  };
  const find = (address: string) => {
    if (!/^(https?:)?\//i.test(address) && !address.startsWith('?')) return null;
    const url = parsed(address);
    if (url === null) return null;
    const asset = base === null ? linkedAsset(url.pathname) : null;
    const folder = asset === null ? null : parsed(pictureFolder(asset));
    const ours = [url, ...(folder === null ? [] : [folder])]
      .flatMap((each) => keysOf(each).map((key) => known.get(key)))
      .find((path) => path !== undefined);
    // A query of the source's means nothing here; one of our own stays.
    return ours === undefined ? null : `${ours}${base === null ? url.search : ''}${url.hash}`;
  };
  return {
    find,
    add(address, ours) {
      const url = parsed(address);
      const [key] = url === null ? [] : keysOf(url);
      if (key !== undefined && !known.has(key)) known.set(key, ours);
    },
    toLocal(address) {
      const ours = find(address);
      if (ours !== null) return ours;
      const isPath = base !== null && address.startsWith('/');
      return (isPath ? parsed(address)?.href : undefined) ?? address;
    },
    isOfSource: (address) => base !== null && parsed(address)?.host === new URL(root).host,
  };
}

/** Keys of an address, the most exact first; http and https are the same. */
function keysOf({ host, pathname, search }: URL): string[] {
  const path = `/${percentDecoded(pathname).split('/').filter(Boolean).join('/')}`;
  const place = `${host}${path}`;
  if (NAMING.test(search)) return [`${place}${search}`];
  return [...new Set([place, place.replace(SIZED, '')])];
}

/** Hash of the state of what is taken, so that the next import leaves it alone where it is equal; hexadecimal. */
export function stateHash(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}
