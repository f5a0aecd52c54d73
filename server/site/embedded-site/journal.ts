import { readChange } from '#server/site/embedded/change-detail';
import type { ContentStore } from '#server/site/embedded/content-store';
import { readPastSite } from '#server/site/embedded/past-site';
import { restoreTo } from '#server/site/embedded/restore';
import type { SiteWriter } from '#server/site/embedded/site-writer';
import { requireNoConflicts, undoAll, undoChange } from '#server/site/embedded/undo-changes';
import { readVersion, readVersions, restoreVersion } from '#server/site/embedded/versions';
import type {
  ChangesQuery,
  PastSite,
  RestoreSelection,
  SiteJournal,
  Undone,
  UndoSelection,
} from '#server/site/content-backend';
import type { EntryDocument } from '#server/core/site/content';
import type {
  ChangeOrigin,
  ChangeSet,
  DryRunOption,
  EntryChange,
  RestoreOutcome,
  UndoOutcome,
  Version,
  WriteNotes,
  WriteOptions,
} from '#server/core/site/changes';
import type { ChangeDetail } from '#server/core/site/site-lists';

const DEFAULT_LIMIT = 50;
/** Largest number of changes in one query: the ledger of a session reads all changes of the session. */
const MAX_CHANGES = 20_000;

/** The changes and former states of a site in the local database. */
export class EmbeddedJournal implements SiteJournal {
  readonly #store: ContentStore;
  readonly #writer: SiteWriter;

  constructor(store: ContentStore, writer: SiteWriter) {
    this.#store = store;
    this.#writer = writer;
  }

  versions(entryId: string): Promise<Version[]> {
    return readVersions(this.#store, entryId);
  }

  version(entryId: string, revision: number): Promise<EntryDocument> {
    return readVersion(this.#store, entryId, revision);
  }

  restoreVersion(
    entryId: string,
    revision: number,
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<EntryChange> {
    return this.#writer.write(
      (tx, context) => restoreVersion(tx, entryId, revision, context, options),
      origin,
      options,
    );
  }

  changes({ limit = DEFAULT_LIMIT, ...filter }: ChangesQuery): Promise<ChangeSet[]> {
    return this.#store.changes({ ...filter, limit: Math.max(1, Math.min(limit, MAX_CHANGES)) });
  }

  change(changeId: string): Promise<ChangeDetail> {
    return readChange(this.#store, changeId);
  }

  newestStanding(sessionId: string): Promise<ChangeSet | null> {
    return this.#store.newestStandingChange(sessionId);
  }

  undo(changeId: string | undefined, origin: ChangeOrigin, options?: DryRunOption): Promise<Undone> {
    return this.#writer.write((tx, context) => undoChange(tx, changeId, context), origin, options);
  }

  undoAll(
    selection: UndoSelection,
    origin: ChangeOrigin,
    options: { partial?: boolean | undefined; dryRun?: boolean | undefined } = {},
  ): Promise<UndoOutcome & WriteNotes> {
    return this.#writer.write(
      async (tx, context) => {
        const outcome = await undoAll(tx, selection, context);
        if (options.partial !== true) requireNoConflicts(outcome);
        return outcome;
      },
      origin,
      options,
    );
  }

  at(changeId: string): Promise<PastSite> {
    return readPastSite(this.#store, changeId);
  }

  restoreTo(
    changeId: string,
    selection: RestoreSelection,
    origin: ChangeOrigin,
    options: { overOthers?: boolean | undefined; dryRun?: boolean | undefined } = {},
  ): Promise<RestoreOutcome> {
    const overOthers = options.overOthers === true || options.dryRun === true;
    return this.#writer.write(
      (tx, context) => restoreTo(tx, changeId, selection, context, overOthers),
      origin,
      options,
    );
  }
}
