import type { ServerText } from '#server/core/coded-message';
import { uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { serverStopping } from '#server/core/messages/coded-errors';
import type { Clock, FaultLog } from '#server/core/process';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ContentBackend } from '#server/site/content-backend';
import type { ChangeOrigin, UndoOutcome } from '#server/core/site/changes';
import {
  CancelledError,
  ConflictError,
  InvalidInputError,
  messageOf,
  NotFoundError,
  ThroughlineError,
} from '#server/core/errors';
import { createId } from '#server/core/ids';
import { importedKinds, type ImportReport, type ImportRun, type ImportStatus } from '#server/core/site/imports';
import { includesSite } from '#server/core/admin/site-access';
import type { SiteChoice } from '#server/core/site/remote-site';
import { type ImportPlan, sizeOfPlan } from '#server/import-export/plan/import-plan';
import { readImportFile } from '#server/import-export/plan/read-import-file';
import { importSite } from '#server/import-export/import-site';
import { type ImportOptions, type ImportStore, type KeptRun, startWork } from '#server/import-export/import-work';
import { assetOf } from '#server/import-export/import-pictures';

/** Minimum time between two progress updates; milliseconds. A choice, not measured. */
const PROGRESS_MS = 400;
/**
 * Maximum wait for the lease of a site while no import runs into it, and the pause between attempts; milliseconds. An
 * import that has just ended holds its lease for a moment longer. A choice, not measured.
 */
const LEASE_WAIT_MS = 2_000;
const LEASE_RETRY_MS = 50;

/** A site into which files can be imported. */
export interface ImportTarget extends SiteChoice {
  readonly content: ContentBackend;
}

/** What imports run with. */
export interface ImportsOptions extends FaultLog, Partial<Clock> {
  readonly store: ImportStore;
  /** Work that only one process at a time may do (`platform/database/leases`). */
  readonly leases: { ifFree<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null> };
  /** Sites into which files can be imported. */
  readonly sites: () => Promise<readonly ImportTarget[]>;
  /** Called on progress in this process. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** How an import runs. */
interface StartedRun {
  readonly options: ImportOptions;
  readonly userId?: string | undefined;
  readonly controller: AbortController;
}

/** A file to import. */
export interface ImportFile {
  readonly data: Uint8Array;
  readonly filename: string;
  readonly userId?: string | undefined;
  /** The target site; required if there are several. */
  readonly siteId?: string | undefined;
  /** Sites that the caller may work on; null or omitted: all. Other sites are not disclosed. */
  readonly theirs?: readonly string[] | null;
  /** The `approval` of a rehearsal, if a person approves its counts. */
  readonly approve?: string | undefined;
  readonly options: ImportOptions;
  /** Watches the API key of the caller until it is released: the import ends when the key does. */
  readonly watch?: () => { readonly signal: AbortSignal; readonly release: () => void };
}

/** An import that this process runs. */
interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Starts, lists, cancels and undoes imports of whole sites. They run in the background, one at a time per site; each
 * change of an import has the import's id as its session, so that the import can be undone as a whole.
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
   * Reads the file and starts its import.
   * @throws InvalidInputError for an unreadable file, or if several sites exist and none is named; ConflictError while
   * another import into the site runs or is being undone, and if visitors of a connected site would immediately see
   * changes that no person has approved
   */
  async start(file: ImportFile): Promise<ImportRun> {
    if (this.#isClosed) throw serverStopping();
    const { data, filename, userId, options, watch } = file;
    const { store } = this.#options;
    const plan = await readImportFile(data, this.#now());
    const target = await this.#target(file.siteId, file.theirs);
    const { id: siteId, content } = target;
    await this.#requireApproval(file, target);
    const begun = Promise.withResolvers<KeptRun>();
    const ended: Promise<KeptRun> = this.#withLease(siteId, async (lost) => {
      await this.#failOrphans((run) => run.siteId === siteId);
      const [total, report] = [sizeOfPlan(plan), plan.log.report()];
      const run = await store.begin({ siteId, filename, format: plan.format, total, report, userId });
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
    const settled = this.#reportStart(ended, begun.reject);
    this.#starting.add(settled);
    void settled.finally(() => this.#starting.delete(settled));
    return toImportRun(await begun.promise, target);
  }

  /** Reports the outcome of an import without writing anything; the run is not stored. */
  async rehearse({ data, filename, options, siteId, theirs }: ImportFile): Promise<ImportRun> {
    const createdAt = this.#now();
    const plan = await readImportFile(data, createdAt);
    const total = sizeOfPlan(plan);
    const { content, ...target } = await this.#target(siteId, theirs);
    const report = await importSite(
      await startWork(this.#options.store, target.id, {
        plan,
        content,
        options,
        origin: { actor: 'import' },
        signal: new AbortController().signal,
        remember: null,
      }),
    );
    const run = {
      id: createId('imp'),
      filename,
      format: plan.format,
      status: 'complete',
      error: null,
      errorMessage: null,
    } as const;
    const approval = target.url === null ? null : approvalOf(data, target, options, report);
    return { ...run, done: plan.log.outcomeCount, total, target, approval, report, createdAt, finishedAt: this.#now() };
  }

  /** Imports into the existing sites, newest first, at most 50; with `siteId`, only those into that site. */
  async list(siteId?: string): Promise<ImportRun[]> {
    const { store } = this.#options;
    let runs = await store.list(siteId);
    if (runs.some((run) => this.#isOrphaned(run))) {
      await this.settle();
      runs = await store.list(siteId);
    }
    const sites = await this.#options.sites();
    return runs.flatMap((run) => {
      const target = sites.find(({ id }) => id === run.siteId);
      return target === undefined ? [] : [toImportRun(run, target)];
    });
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<ImportRun> {
    const { store } = this.#options;
    let run = await store.get(id);
    if (this.#isOrphaned(run)) {
      await this.settle();
      run = await store.get(id);
    }
    return toImportRun(run, await this.#target(run.siteId));
  }

  /**
   * Stops the import before its next item; what was imported stays. Does nothing for an import that has ended.
   * @throws NotFoundError; ConflictError if another process runs the import
   */
  async cancel(id: string): Promise<ImportRun> {
    const running = this.#running.get(id);
    if (running === undefined) {
      const run = await this.get(id);
      if (run.status === 'running') throw new ConflictError(serverText('import-runs-elsewhere'));
      return run;
    }
    running.controller.abort('cancelled');
    await running.ended;
    return this.get(id);
  }

  /**
   * Undoes an import, except for things that were changed since. Everything that was removed can be imported again.
   * @throws NotFoundError; ConflictError while this or another import runs
   */
  async undo(id: string, origin: ChangeOrigin): Promise<UndoOutcome> {
    const { store } = this.#options;
    const { status, target } = await this.get(id);
    if (status === 'running') throw new ConflictError(serverText('import-still-runs'));
    const { id: siteId, content } = await this.#target(target.id);
    // With the lease: an import that ran at the same time would rely on records that the undo removes.
    return this.#withLease(siteId, async () => {
      const outcome = await content.undoAll({ sessionId: id }, { ...origin, sessionId: id }, { partial: true });
      await store.forget(siteId, await goneTargets(content, outcome));
      return outcome;
    });
  }

  /** Waits until the import has ended in this process. */
  async finished(id: string): Promise<ImportRun> {
    await this.#running.get(id)?.ended;
    return this.get(id);
  }

  /** Marks runs as failed that are stored as running although no process runs them. */
  async settle(): Promise<void> {
    const { store, leases } = this.#options;
    const sites = new Set((await store.running()).map(({ siteId }) => siteId));
    for (const siteId of sites)
      await leases.ifFree(leaseOf(siteId), () => this.#failOrphans((run) => run.siteId === siteId));
  }

  /** Stops the running imports, each before its next item. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#running.values()) controller.abort('closed');
    await Promise.allSettled(this.#starting);
  }

  /**
   * Runs work on a site that only one process at a time may do. Waits briefly for the lease: an import that has just
   * ended still holds it, and so does `settle`.
   * @throws ConflictError while an import runs or is being undone
   */
  async #withLease<T extends object>(siteId: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const { store, leases } = this.#options;
    for (const until = performance.now() + LEASE_WAIT_MS; ; await pause(LEASE_RETRY_MS)) {
      const outcome = await leases.ifFree(leaseOf(siteId), work);
      if (outcome !== null) return outcome;
      if ((await store.running()).some((run) => run.siteId === siteId))
        throw new ConflictError(serverText('import-already-runs'));
      if (performance.now() >= until) throw new ConflictError(serverText('import-being-undone'));
    }
  }

  /** @throws InvalidInputError if several sites exist and none is named, NotFoundError */
  async #target(siteId: string | undefined, allowedSiteIds: readonly string[] | null = null): Promise<ImportTarget> {
    const sites = (await this.#options.sites()).filter(({ id }) => includesSite(allowedSiteIds, id));
    const [only, ...others] = sites;
    if (siteId === undefined) {
      if (only !== undefined && others.length === 0) return only;
      const named = sites.map(({ id, name, url }) => `${id} (${url ?? name})`).join(', ');
      throw new InvalidInputError(serverText('import-which-site', { sites: named }));
    }
    const target = sites.find(({ id }) => id === siteId);
    if (target === undefined) throw new NotFoundError('site', siteId.slice(0, 80));
    return target;
  }

  /** @throws ConflictError if visitors would immediately see changes that no person has approved */
  async #requireApproval(file: ImportFile, { url }: ImportTarget): Promise<void> {
    if (url === null) return;
    const { report, approval, target } = await this.rehearse(file);
    const counted = importedKinds.filter((kind) => report.appears[kind] > 0);
    if (counted.length === 0 || approval === file.approve) return;
    const appears = counted.map((kind) => serverText('import-count', { kind, count: report.appears[kind] }));
    const isOther = file.approve !== undefined;
    throw new ConflictError(
      serverText('import-not-approved', { address: target.url ?? url, appears, isOther, approval }),
      {
        details: { approval, appears: report.appears, target },
      },
    );
  }

  /** Waits for the end of a started run, or reports why it did not start. Never throws. */
  async #reportStart(ended: Promise<KeptRun>, refuse: (error: unknown) => void): Promise<void> {
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

  /** True if a run is stored as running and this process does not run it: another process may. */
  #isOrphaned({ id, status }: KeptRun): boolean {
    return status === 'running' && !this.#running.has(id);
  }

  /** Marks stored runs as failed. The caller holds the lease of their site, so no process runs them. */
  async #failOrphans(isOne: (run: KeptRun) => boolean): Promise<void> {
    const { store } = this.#options;
    for (const run of (await store.running()).filter(isOne)) {
      const error = serverText('import-run-server-ended', { done: run.done, total: run.total });
      await store.update(run.id, { status: 'failed', error, finishedAt: this.#now() });
    }
  }

  /** Throws only if the end of the run cannot be stored. */
  async #run(
    run: KeptRun,
    plan: ImportPlan,
    content: ContentBackend,
    { options, userId, controller }: StartedRun,
  ): Promise<void> {
    const { store, onFault } = this.#options;
    const { siteId } = run;
    const progress = this.#progressOf(run, plan);
    const end = async (status: ImportStatus, error: ServerText | null, report: ImportReport) => {
      await progress.flush();
      await store.update(run.id, { status, error, report, done: plan.log.outcomeCount, finishedAt: this.#now() });
    };
    try {
      const work = await startWork(store, siteId, {
        plan,
        content,
        options,
        origin: { actor: 'import', userId, sessionId: run.id },
        remember: (item) => store.remember(siteId, plan.source, item),
        keepComments: (entryId, comments) => store.keepComments(siteId, entryId, comments),
        signal: controller.signal,
        onProgress: progress.report,
      });
      await end('complete', null, await importSite(work));
    } catch (error) {
      const isStopped = error instanceof CancelledError;
      if (!isStopped) onFault('an import ended early', error);
      if (isStopped && controller.signal.reason === 'cancelled') return end('cancelled', null, plan.log.report());
      const params = { done: plan.log.outcomeCount, total: run.total };
      const why = isStopped
        ? serverText(isLapsed(controller.signal) ? 'import-run-key-ended' : 'import-run-server-stopped', params)
        : serverText('import-run-failed', { reason: reasonOf(error), ...params });
      await end('failed', why, plan.log.report());
    }
  }

  /** Stores the progress, at most once per PROGRESS_MS. */
  #progressOf({ id, total }: KeptRun, plan: ImportPlan) {
    const { store, onFault, onProgress } = this.#options;
    let writing = Promise.resolve();
    let last = 0;
    return {
      report: () => {
        onProgress?.(plan.log.outcomeCount, total);
        const time = Date.now();
        if (time - last < PROGRESS_MS) return;
        last = time;
        writing = writing
          .then(() => store.update(id, { done: plan.log.outcomeCount, report: plan.log.report() }))
          .catch((error: unknown) => onFault('the progress of an import could not be written down', error));
      },
      flush: () => writing,
    };
  }
}

function leaseOf(siteId: string): string {
  return `import:${siteId}`;
}

/** True if the API key of the import has ended; false: the server stops. */
const isLapsed = ({ reason }: AbortSignal) => reason === 'lapsed';

/** The message of an error as a sentence. */
function reasonOf(error: unknown): ServerText {
  return error instanceof ThroughlineError ? error.text : uncodedText(`${messageOf(error).replace(/\.$/, '')}.`);
}

/** Display names of what visitors see. */
/**
 * Approval token: equal for the same file, site and options as long as the number of immediately visible things is the
 * same.
 */
function approvalOf(data: Uint8Array, { id }: SiteChoice, options: ImportOptions, report: ImportReport): string {
  const { pictures, settings } = options;
  return createHash('sha256')
    .update(JSON.stringify([id, pictures, settings, report.appears]))
    .update(data)
    .digest('hex')
    .slice(0, 32);
}

/** A stored run as the API returns it. */
function toImportRun({ siteId: _siteId, ...run }: KeptRun, { id, name, url }: SiteChoice): ImportRun {
  return { ...run, target: { id, name, url }, approval: null };
}

/** Ids of what an undo removed, including the navigation, which belongs to no import after its undo. */
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
