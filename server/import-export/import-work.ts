import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import type { ContentBackend } from '#server/site/content-backend';
import type { Entry } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { CancelledError } from '#server/core/errors';
import type { ImportRun, KeptComment } from '#server/core/site/imports';
import type { ImportPlan } from '#server/import-export/plan/import-plan';
import { type Addresses, createAddresses } from '#server/import-export/source-addresses';

/** Options chosen by the person who imports. */
export interface ImportOptions {
  /** Download pictures from their addresses. */
  readonly pictures: boolean;
  /** Also import the site name, and replace the present menu. */
  readonly settings: boolean;
}

/** Result of the last import of an entry, a picture or the menu from the same source. */
export interface KnownItem {
  readonly sourceKey: string;
  /** Id on this site. */
  readonly localId: string;
  /** Hash of the imported state (`plan/state-hash`); empty if that import was not completed. */
  readonly hash: string;
  /** Revision on this site after that import. */
  readonly revision: number;
}

/** A stored import with its target site. */
export interface KeptRun extends Omit<ImportRun, 'target' | 'approval'> {
  readonly siteId: string;
}

/** An import before it is stored. */
interface NewRun {
  readonly siteId: string;
  readonly filename: string;
  readonly format: ImportRun['format'];
  readonly total: number;
  readonly report: ImportRun['report'];
  readonly userId?: string | undefined;
}

/** How far an import is. */
interface RunState {
  readonly status: ImportRun['status'];
  readonly done: number;
  readonly total: number;
  readonly report: ImportRun['report'];
  readonly error: ServerText | null;
  readonly finishedAt: ImportRun['finishedAt'];
}

/** Storage of imports (`import-export/import-repository`). */
export interface ImportStore {
  /** @throws ConflictError while another import into this site is stored as running */
  begin(run: NewRun): Promise<KeptRun>;
  /** Changes the given fields of a run, if it is running. */
  update(id: string, state: Partial<RunState>): Promise<void>;
  /** @throws NotFoundError */
  get(id: string): Promise<KeptRun>;
  /** Newest first, at most 50; for one site, or for all. */
  list(siteId?: string): Promise<KeptRun[]>;
  /** Runs that are stored as running, newest first. */
  running(): Promise<KeptRun[]>;
  /** Everything imported from a source into a site, by its key in the source. */
  items(siteId: string, source: string): Promise<ReadonlyMap<string, KnownItem>>;
  /** True if an import created this entry. */
  knows(siteId: string, localId: string): Promise<boolean>;
  /** Stores the result of the import of an item; replaces an earlier result. */
  remember(siteId: string, source: string, item: KnownItem): Promise<void>;
  /** Removes the results and stored comments of items that an undo removed, so that they can be imported again. */
  forget(siteId: string, localIds: readonly string[]): Promise<void>;
  /** Replaces the stored comments of an entry. */
  keepComments(siteId: string, entryId: string, comments: readonly KeptComment[]): Promise<void>;
}

/** What an import is started with. */
interface GivenWork {
  readonly plan: ImportPlan;
  readonly options: ImportOptions;
  readonly content: ContentBackend;
  readonly origin: ChangeOrigin;
  /** Stores the result of an item. Null for a rehearsal: nothing is written at all, neither here nor to the site. */
  readonly remember: ((item: KnownItem) => Promise<void>) | null;
  /** Stores the comments of an entry; undefined for a rehearsal. */
  readonly keepComments?: ((entryId: string, comments: readonly KeptComment[]) => Promise<void>) | undefined;
  /** Cancels the import. */
  readonly signal: AbortSignal;
  /** Called when the outcome of another item is known. */
  readonly onProgress?: (() => void) | undefined;
}

/** State that all steps of an import share. */
export interface ImportWork extends GivenWork {
  /** Results of earlier imports from the same source, by key in the source. */
  readonly known: ReadonlyMap<string, KnownItem>;
  readonly addresses: Addresses;
  /** Entry that an earlier import created without storing it as its result, because that import ended. */
  readonly orphan: Entry | null;
}

/** Prepares the work: looks up what earlier imports from the same source added to the site. */
export async function startWork(store: ImportStore, siteId: string, given: GivenWork): Promise<ImportWork> {
  const { plan, content } = given;
  const known = await store.items(siteId, plan.source);
  return { ...given, known, addresses: createAddresses(plan.base), orphan: await orphanOf(store, siteId, content) };
}

/** The last entry that an import created, if the import ended before it could remember it. */
async function orphanOf(store: ImportStore, siteId: string, content: ContentBackend): Promise<Entry | null> {
  const [newest] = await content.changes({ actor: 'import', limit: 1 });
  if (newest?.action !== 'create' || (await store.knows(siteId, newest.targetId))) return null;
  const entry = await content.find(newest.targetId);
  return entry?.id === newest.targetId ? entry : null;
}

/** @throws CancelledError if the import was cancelled */
export function throwIfCancelled({ signal }: { readonly signal: AbortSignal }): void {
  if (signal.aborted) throw new CancelledError(serverText('import-cancelled'));
}

/**
 * True if only imports and scheduled publications have changed an item since it was imported.
 * @param present the present revision of the item
 */
export async function isUntouched(
  { content }: ImportWork,
  { localId, revision }: KnownItem,
  present: number,
): Promise<boolean> {
  if (present <= revision) return true;
  const since = (await content.changes({ targetId: localId, limit: present - revision })).filter(
    (change) => change.revision > revision,
  );
  return since.every(({ origin: { actor } }) => actor === 'import' || actor === 'schedule');
}
