import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ContentBackend } from '#server/content/content-backend';
import type { ChangeOrigin, UndoOutcome } from '#server/core/changes';
import { CancelledError, ConflictError, InvalidInputError, NotFoundError, StoppingError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import {
  type ImportedKind,
  importedKinds,
  type ImportReport,
  type ImportRun,
  type ImportStatus,
} from '#server/core/imports';
import { isTheirSite } from '#server/core/people';
import type { SiteChoice } from '#server/core/remote-site';
import { type ImportPlan, sizeOfPlan } from '#server/import/plan';
import { readImportFile } from '#server/import/read-import-file';
import { assetOf, takeSite } from '#server/import/take-site';
import { type ImportOptions, type ImportStore, type KeptRun, startWork } from '#server/import/work';

/** Least time between two notes of progress; milliseconds. */
const PROGRESS_MS = 400;
/** Longest wait for a site's lease while no import runs, and the pause between attempts; milliseconds. */
const GIVEN_BACK_MS = 2_000;
const TRY_EVERY_MS = 50;

/** A site that imports can go into. */
export interface ImportTarget extends SiteChoice {
  readonly content: ContentBackend;
}

export interface ImportsOptions {
  readonly store: ImportStore;
  /** Work that one process at a time may do (`store/leases`). */
  readonly leases: { ifFree<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null> };
  /** Sites that imports can go into. */
  readonly sites: () => Promise<readonly ImportTarget[]>;
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
  /** The site that it goes into; needed where there are several. */
  readonly siteId?: string | undefined;
  /** Sites that whoever asks may work on; null and left out: all. Of others nothing is said. */
  readonly theirs?: readonly string[] | null;
  /** The `approval` of a rehearsal, where somebody approves of what it counts. */
  readonly approve?: string | undefined;
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
   * @throws InvalidInputError for a file that cannot be read, and where no site is named of several; ConflictError while
   * another import into the site runs, or is taken back, and where visitors of a connected site would see at once what
   * nobody has approved of
   */
  async start(file: ImportFile): Promise<ImportRun> {
    if (this.#isClosed) throw new StoppingError();
    const { data, filename, userId, options, watch } = file;
    const { store } = this.#options;
    const plan = await readImportFile(data, this.#now());
    const target = await this.#target(file.siteId, file.theirs);
    const { id: siteId, content } = target;
    await this.#requireApproval(file, target);
    const begun = Promise.withResolvers<KeptRun>();
    const ended: Promise<KeptRun> = this.#alone(siteId, async (lost) => {
      await this.#giveUp((run) => run.siteId === siteId);
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
    const settled = this.#settled(ended, begun.reject);
    this.#starting.add(settled);
    void settled.finally(() => this.#starting.delete(settled));
    return shown(await begun.promise, target);
  }

  /** Reports the outcome of an import without writing anything; the run is not stored. */
  async rehearse({ data, filename, options, siteId, theirs }: ImportFile): Promise<ImportRun> {
    const createdAt = this.#now();
    const plan = await readImportFile(data, createdAt);
    const total = sizeOfPlan(plan);
    const { content, ...target } = await this.#target(siteId, theirs);
    const report = await takeSite(
      await startWork(this.#options.store, target.id, {
        plan,
        content,
        options,
        origin: { actor: 'import' },
        signal: new AbortController().signal,
        remember: null,
      }),
    );
    const run = { id: createId('imp'), filename, format: plan.format, status: 'complete', error: null } as const;
    const approval = target.url === null ? null : approvalOf(data, target, options, report);
    return { ...run, done: plan.log.told, total, target, approval, report, createdAt, finishedAt: this.#now() };
  }

  /** Imports into the sites that there are, newest first, at most 50; into one site where it is named. */
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
      return target === undefined ? [] : [shown(run, target)];
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
    return shown(run, await this.#target(run.siteId));
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
   * @throws NotFoundError; ConflictError while it or another one runs
   */
  async undo(id: string, origin: ChangeOrigin): Promise<UndoOutcome> {
    const { store } = this.#options;
    const { status, target } = await this.get(id);
    if (status === 'running') throw new ConflictError('This import is still running. Cancel it first.');
    const { id: siteId, content } = await this.#target(target.id);
    // Under the lease: an import that runs meanwhile would rely on records that the undo removes.
    return this.#alone(siteId, async () => {
      const outcome = await content.undoAll({ sessionId: id }, { ...origin, sessionId: id }, { partial: true });
      await store.forget(siteId, await goneTargets(content, outcome));
      return outcome;
    });
  }

  /** Waits for its end in this process. */
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

  /** @throws InvalidInputError where none is named of several, NotFoundError */
  async #target(siteId: string | undefined, theirs: readonly string[] | null = null): Promise<ImportTarget> {
    const sites = (await this.#options.sites()).filter(({ id }) => isTheirSite(theirs, id));
    const [only, ...others] = sites;
    if (siteId === undefined) {
      if (only !== undefined && others.length === 0) return only;
      const named = sites.map(({ id, name, url }) => `${id} (${url ?? name})`).join(', ');
      throw new InvalidInputError(`Say which site it goes into, as \`site\`: ${named}.`);
    }
    const target = sites.find(({ id }) => id === siteId);
    if (target === undefined) throw new NotFoundError('site', siteId.slice(0, 80));
    return target;
  }

  /** @throws ConflictError where visitors would see at once what nobody has approved of */
  async #requireApproval(file: ImportFile, { url }: ImportTarget): Promise<void> {
    if (url === null) return;
    const { report, approval, target } = await this.rehearse(file);
    const counted = importedKinds.filter((kind) => report.appears[kind] > 0);
    if (counted.length === 0 || approval === file.approve) return;
    const what = counted.map((kind) => `${report.appears[kind]} ${NAMES[kind]}`).join(', ');
    const hint = file.approve === undefined ? '' : ' It is not what was approved of: the site has changed since.';
    throw new ConflictError(
      `Nothing was imported. Visitors of ${target.url} would see at once: ${what}.${hint} To import it all the same, send approve=${approval}.`,
      { details: { approval, appears: report.appears, target } },
    );
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
      const work = await startWork(store, siteId, {
        plan,
        content,
        options,
        origin: { actor: 'import', userId, sessionId: run.id },
        remember: (item) => store.remember(siteId, plan.source, item),
        keepComments: (entryId, comments) => store.keepComments(siteId, entryId, comments),
        signal: controller.signal,
        onProgress: progress.told,
      });
      await end('complete', null, await takeSite(work));
    } catch (error) {
      const isStopped = error instanceof CancelledError;
      if (!isStopped) onFault('an import ended early', error);
      if (isStopped && controller.signal.reason === 'cancelled') return end('cancelled', null, plan.log.report());
      const why = isStopped ? stopOf(controller.signal) : endingOf(error);
      await end('failed', `${why} after ${plan.log.told} of ${run.total} items. ${GOES_ON}`, plan.log.report());
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

/** Names of what visitors see. */
const NAMES: Readonly<Record<ImportedKind, string>> = {
  page: 'pages',
  post: 'posts',
  picture: 'pictures',
  menu: 'menu items',
  settings: 'settings of the site',
};

/**
 * Mark of an approval: equal for the same file, site and choices as long as visitors would see as many things at
 * once.
 */
function approvalOf(data: Uint8Array, { id }: SiteChoice, options: ImportOptions, report: ImportReport): string {
  const { pictures, settings } = options;
  return createHash('sha256')
    .update(JSON.stringify([id, pictures, settings, report.appears]))
    .update(data)
    .digest('hex')
    .slice(0, 32);
}

function shown({ siteId: _siteId, ...run }: KeptRun, { id, name, url }: SiteChoice): ImportRun {
  return { ...run, target: { id, name, url }, approval: null };
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
