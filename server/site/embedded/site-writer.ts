import type { ContentTransaction, ContentWriter, WriteContext } from '#server/site/embedded/content-store';
import { draftsOnly } from '#server/site/embedded/drafts-only';
import { dryRun } from '#server/site/embedded/dry-run';
import type { Clock } from '#server/core/process';
import type { ChangeOrigin, DryRunOption } from '#server/core/site/changes';

/** Options of a SiteWriter. */
export interface SiteWriterOptions extends Partial<Clock> {
  /** True: refuses writes that do more than change drafts; see ContentBackend.draftsOnly. Default: false. */
  readonly onlyDrafts?: boolean;
  /** Called after each write, dry runs and failed writes included. */
  readonly onWrite?: () => void;
}

/** Runs the writes of a site: each is one transaction of its store, or a dry run of one. */
export class SiteWriter {
  readonly #store: ContentWriter;
  readonly #options: SiteWriterOptions;

  constructor(store: ContentWriter, options: SiteWriterOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** @param work makes the write; it may run more than once. @throws the errors of `work` */
  async write<T>(
    work: (tx: ContentTransaction, context: WriteContext) => Promise<T>,
    origin: ChangeOrigin,
    options: DryRunOption = {},
  ): Promise<T> {
    const { now = Date.now, onlyDrafts = false, onWrite } = this.#options;
    const decide = (tx: ContentTransaction) => work(onlyDrafts ? draftsOnly(tx) : tx, { origin, now: now() });
    try {
      return await (options.dryRun === true ? dryRun(this.#store, decide) : this.#store.write(decide));
    } finally {
      onWrite?.();
    }
  }
}
