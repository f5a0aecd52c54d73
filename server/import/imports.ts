import { setTimeout as pause } from 'node:timers/promises';
import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeOrigin, Entry, UndoOutcome } from '#server/core/content';
import { CancelledError, ConflictError, StoppingError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { ImportReport, ImportRun, ImportStatus } from '#server/core/imports';
import { type ImportPlan, sizeOfPlan } from '#server/import/plan';
import { readImportFile } from '#server/import/read-import-file';
import { assetOf, takeSite } from '#server/import/take-site';
import { createAddresses, type ImportOptions, type ImportWork, type KnownItem } from '#server/import/work';

/** How often progress is written down at most; milliseconds. */
const PROGRESS_MS = 400;
/** Longest wait for a site's lease while no import runs, and the pause between attempts; milliseconds. */
const GIVEN_BACK_MS = 2_000;
const TRY_EVERY_MS = 50;

/** An import with the site it goes into, as it is kept. */
export interface KeptRun extends ImportRun {
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
  /** Newest first, at most 50. */
  list(siteId: string): Promise<KeptRun[]>;
  running(): Promise<KeptRun[]>;
  /** Everything taken from a source into a site, by its name there. */
  items(siteId: string, source: string): Promise<ReadonlyMap<string, KnownItem>>;
  /** True when an import has made this entry. */
  knows(siteId: string, localId: string): Promise<boolean>;
  remember(siteId: string, source: string, item: KnownItem): Promise<void>;
  forget(siteId: string, localIds: readonly string[]): Promise<void>;
}

/** The site that is worked on. */
export interface ImportTarget {
  readonly siteId: string;
  readonly content: ContentBackend;
}

export interface ImportsOptions {
  readonly store: ImportStore;
  /** Work that one process at a time may do (`store/leases`). */
  readonly leases: { ifFree<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null> };
  readonly target: () => Promise<ImportTarget>;
  /** Receives unforeseen errors that end an import. */
  readonly onFault: (message: string, error: unknown) => void;
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /** Called on progress in this process. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A file to import. */
export interface ImportFile {
  readonly data: Uint8Array;
  readonly filename: string;
  readonly userId?: string | undefined;
  readonly options: ImportOptions;
  /** Watches over the API key that asks for it, until it is released: the import ends with its key. */
  readonly watch?: () => { readonly signal: AbortSignal; readonly release: () => void };
}

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Imports of whole sites. They run in the background, one at a time for a site; every change of one has its id as the
 * session it belongs to, so that it can be taken back as a whole.
 */
export class Imports {
  readonly #options: ImportsOptions;
  readonly #running = new Map<string, Running>();
  readonly #starting = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: ImportsOptions) {
    this.#options = options;
  }

  /**
   * Reads the file, and begins to carry out what it says.
   * @throws InvalidInputError for a file that cannot be read; ConflictError while another import into the site runs, or
   * is taken back
   */
  async start({ data, filename, userId, options, watch }: ImportFile): Promise<ImportRun> {
    if (this.#isClosed) throw new StoppingError();
    const { store, target } = this.#options;
    const plan = await readImportFile(data, this.#now());
    const { siteId, content } = await target();
    const begun = Promise.withResolvers<KeptRun>();
    const ended: Promise<KeptRun> = this.#alone(siteId, async (lost) => {
      await this.#giveUp((run) => run.siteId === siteId);
      const total = sizeOfPlan(plan);
      const run = await store.begin({
        siteId,
        filename,
        format: plan.format,
        total,
        report: plan.log.report(),
        userId,
      });
      const controller = new AbortController();
      this.#running.set(run.id, { controller, ended });
      begun.resolve(run);
      lost.addEventListener('abort', () => controller.abort('lost'), { once: true });
      if (this.#isClosed) controller.abort('closed');
      const key = watch?.();
      key?.signal.addEventListener('abort', () => controller.abort('lapsed'), { once: true });
      try {
        await this.#run(run, plan, content, { options, userId, controller });
      } finally {
        key?.release();
        this.#running.delete(run.id);
      }
      return run;
    });
    const settled = this.#settled(ended, begun.reject);
    this.#starting.add(settled);
    void settled.finally(() => this.#starting.delete(settled));
    return shown(await begun.promise);
  }

  /** Reports the outcome of an import without writing anything; the run is not stored. */
  async rehearse({ data, filename, options }: ImportFile): Promise<ImportRun> {
    const createdAt = this.#now();
    const plan = await readImportFile(data, createdAt);
    const total = sizeOfPlan(plan);
    const { siteId, content } = await this.#options.target();
    const controller = new AbortController();
    const report = await takeSite(
      await this.#work(plan, { siteId, content }, { options, origin: { actor: 'import' }, controller, remember: null }),
    );
    const run = { id: createId('imp'), filename, format: plan.format, status: 'complete', error: null } as const;
    return { ...run, done: plan.log.told, total, report, createdAt, finishedAt: this.#now() };
  }

  /** Newest first, at most 50. */
  async list(): Promise<ImportRun[]> {
    const { store, target } = this.#options;
    const { siteId } = await target();
    const runs = await store.list(siteId);
    if (!runs.some((run) => this.#isOrphaned(run))) return runs.map(shown);
    await this.settle();
    return (await store.list(siteId)).map(shown);
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<ImportRun> {
    const run = await this.#options.store.get(id);
    if (!this.#isOrphaned(run)) return shown(run);
    await this.settle();
    return shown(await this.#options.store.get(id));
  }

  /** Ends it before its next thing; what was taken stays. One that has ended stays as it is. @throws NotFoundError */
  async cancel(id: string): Promise<ImportRun> {
    const running = this.#running.get(id);
    if (running === undefined) {
      const run = await this.get(id);
      if (run.status === 'running') throw new ConflictError('Another process runs this import: cancel it there.');
      return run;
    }
    running.controller.abort('cancelled');
    await running.ended;
    return this.get(id);
  }

  /**
   * Takes back what still stands of an import, but for what was changed since. What it had made can be imported again.
   * @throws NotFoundError; ConflictError while it or another one runs, and where it went into another site
   */
  async undo(id: string, origin: ChangeOrigin): Promise<UndoOutcome> {
    const { store, target } = this.#options;
    const { status } = await this.get(id);
    if (status === 'running') throw new ConflictError('This import is still running. Cancel it first.');
    const run = await store.get(id);
    const { siteId, content } = await target();
    if (run.siteId !== siteId)
      throw new ConflictError('This import belongs to another site. Switch to that site first.');
    // Under the lease: an import that runs meanwhile would rely on records that the undo removes.
    return this.#alone(siteId, async () => {
      const outcome = await content.undoAll({ sessionId: id }, { ...origin, sessionId: id }, { partial: true });
      await store.forget(siteId, await goneTargets(content, outcome));
      return outcome;
    });
  }

  /** When it has ended, in this process. */
  async finished(id: string): Promise<ImportRun> {
    await this.#running.get(id)?.ended;
    return this.get(id);
  }

  /** Marks runs as failed that are stored as running although no process runs them. */
  async settle(): Promise<void> {
    const { store, leases } = this.#options;
    const sites = new Set((await store.running()).map(({ siteId }) => siteId));
    for (const siteId of sites)
      await leases.ifFree(leaseOf(siteId), () => this.#giveUp((run) => run.siteId === siteId));
  }

  /** Ends what runs, each before its next thing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#running.values()) controller.abort('closed');
    await Promise.allSettled(this.#starting);
  }

  /**
   * Runs work that only one process at a time may do with a site. Waits a moment for the lease: an import that has just
   * ended still holds it, and so does `settle`.
   * @throws ConflictError while an import runs, or is taken back
   */
  async #alone<T extends object>(siteId: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const { store, leases } = this.#options;
    for (const until = performance.now() + GIVEN_BACK_MS; ; await pause(TRY_EVERY_MS)) {
      const outcome = await leases.ifFree(leaseOf(siteId), work);
      if (outcome !== null) return outcome;
      if ((await store.running()).some((run) => run.siteId === siteId))
        throw new ConflictError('An import is already running. Wait for it or cancel it.');
      if (performance.now() >= until) throw new ConflictError('An import is being undone. Try again later.');
    }
  }

  /** Waits for the end of a run that was begun, or tells why none was. Never throws. */
  async #settled(ended: Promise<KeptRun>, refuse: (error: unknown) => void): Promise<void> {
    try {
      await ended;
    } catch (error) {
      refuse(error);
      if (!(error instanceof ConflictError)) this.#options.onFault('an import could not be begun or ended', error);
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #isOrphaned({ id, status }: KeptRun): boolean {
    return status === 'running' && !this.#running.has(id);
  }

  async #giveUp(isOne: (run: KeptRun) => boolean): Promise<void> {
    const { store } = this.#options;
    for (const run of (await store.running()).filter(isOne)) {
      const error = `The server ended after ${run.done} of ${run.total} items. ${GOES_ON}`;
      await store.update(run.id, { status: 'failed', error, finishedAt: this.#now() });
    }
  }

  async #work(
    plan: ImportPlan,
    { siteId, content }: ImportTarget,
    rest: Pick<ImportWork, 'options' | 'origin' | 'remember'> & {
      readonly controller: AbortController;
      readonly onProgress?: () => void;
    },
  ): Promise<ImportWork> {
    const { store } = this.#options;
    const { controller, onProgress = () => undefined, ...given } = rest;
    return {
      ...given,
      plan,
      content,
      known: await store.items(siteId, plan.source),
      addresses: createAddresses(plan.base),
      orphan: await this.#orphan({ siteId, content }),
      signal: controller.signal,
      onProgress,
    };
  }

  /** The entry that an import made last, where it ended before it could remember it. */
  async #orphan({ siteId, content }: ImportTarget): Promise<Entry | null> {
    const [newest] = await content.changes({ actor: 'import', limit: 1 });
    if (newest?.action !== 'create' || (await this.#options.store.knows(siteId, newest.targetId))) return null;
    const entry = await content.find(newest.targetId);
    return entry?.id === newest.targetId ? entry : null;
  }

  /** Never throws but where the end cannot be written down. */
  async #run(
    run: KeptRun,
    plan: ImportPlan,
    content: ContentBackend,
    { options, userId, controller }: Pick<ImportFile, 'options' | 'userId'> & { readonly controller: AbortController },
  ): Promise<void> {
    const { store, onFault } = this.#options;
    const { siteId } = run;
    const progress = this.#progressOf(run, plan);
    const end = async (status: ImportStatus, error: string | null, report: ImportReport) => {
      await progress.ended();
      await store.update(run.id, { status, error, report, done: plan.log.told, finishedAt: this.#now() });
    };
    try {
      const work = await this.#work(
        plan,
        { siteId, content },
        {
          options,
          origin: { actor: 'import', userId, sessionId: run.id },
          remember: (item) => store.remember(siteId, plan.source, item),
          controller,
          onProgress: progress.told,
        },
      );
      await end('complete', null, await takeSite(work));
    } catch (error) {
      const isCancelled = error instanceof CancelledError;
      if (!isCancelled) onFault('an import ended early', error);
      await end(
        isCancelled && controller.signal.reason === 'cancelled' ? 'cancelled' : 'failed',
        isCancelled && controller.signal.reason === 'cancelled'
          ? null
          : `${isCancelled ? stopOf(controller.signal) : endingOf(error)} after ${plan.log.told} of ${run.total} items. ${GOES_ON}`,
        plan.log.report(),
      );
    }
  }

  /** Writes down how far it is, never more often than every PROGRESS_MS. */
  #progressOf({ id, total }: KeptRun, plan: ImportPlan) {
    const { store, onFault, onProgress } = this.#options;
    let writing = Promise.resolve();
    let last = 0;
    return {
      told: () => {
        onProgress?.(plan.log.told, total);
        const time = Date.now();
        if (time - last < PROGRESS_MS) return;
        last = time;
        writing = writing
          .then(() => store.update(id, { done: plan.log.told, report: plan.log.report() }))
          .catch((error: unknown) => onFault('the progress of an import could not be written down', error));
      },
      ended: () => writing,
    };
  }
}

const GOES_ON = 'Import the file again: nothing is imported twice.';

function leaseOf(siteId: string): string {
  return `import:${siteId}`;
}

function stopOf({ reason }: AbortSignal): string {
  return reason === 'lapsed'
    ? 'The API key was revoked or has expired while it was used. The import stopped'
    : 'The server was stopped';
}

function endingOf(error: unknown): string {
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  return `The import failed: ${message}. It stopped`;
}

function shown({ siteId: _siteId, ...run }: KeptRun): ImportRun {
  return run;
}

/** Targets that an undo removed; the navigation no longer belongs to any import. */
async function goneTargets(content: ContentBackend, { undone }: UndoOutcome): Promise<string[]> {
  const gone: string[] = [];
  const targets = new Map(undone.map(({ targetId, targetType }) => [targetId, targetType]));
  for (const [id, type] of targets) {
    if (type === 'navigation') gone.push(id);
    if (type === 'asset' && (await assetOf(id, content))?.deletedAt !== null) gone.push(id);
    if ((type === 'page' || type === 'post') && (await content.find(id, type))?.id !== id) gone.push(id);
  }
  return gone;
}
