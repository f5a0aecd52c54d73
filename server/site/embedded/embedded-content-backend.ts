import type { Clock } from '#server/core/process';
import type { ContentBackend } from '#server/site/content-backend';
import { deadMenuItems, deadRedirects } from '#server/site/dead-links';
import { removedMarkup } from '#server/site/validate-entry';
import { createAssetLibrary, type LibraryOptions } from '#server/site/embedded/assets';
import { createPublishedPictures } from '#server/site/embedded/published-pictures';
import { restoreTo } from '#server/site/embedded/restore';
import { readVersion, readVersions, restoreVersion } from '#server/site/embedded/versions';
import { restoreFromTrash, trashEntry } from '#server/site/embedded/trash';
import type { ContentStore, ContentTransaction, WriteContext } from '#server/site/embedded/content-store';
import {
  createEntry,
  discardDraft,
  patchEntries,
  patchEntry,
  publishEntry,
  scheduleEntry,
  unpublishEntry,
} from '#server/site/embedded/entry-writes';
import { isPublishedHome, lostHomeNotes } from '#server/site/embedded/home-page';
import { findByPath } from '#server/site/embedded/entry-paths';
import { readPastSite } from '#server/site/embedded/past-site';
import { readChange } from '#server/site/embedded/change-detail';
import { draftsOnlyStore } from '#server/site/embedded/drafts-only';
import { createContentReads } from '#server/site/embedded/content-reads';
import {
  readNavigation,
  readSettings,
  readStanding,
  writeNavigation,
  writeSettings,
  writeStanding,
} from '#server/site/embedded/site-settings-writes';
import { requireNoConflicts, undoAll, undoChange } from '#server/site/embedded/undo-changes';
import { parseRedirects } from '#server/core/site/manual-redirects';
import type { PatchOp } from '#server/core/site/content';
import type { ChangeOrigin, DryRunOption, EntryChange } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import { dryRun } from '#server/site/embedded/dry-run';
import type { ServerText } from '#server/core/coded-message';
import { notesFrom, textsOfNotes } from '#server/core/message-data';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** Largest number of changes in one query: the ledger of a session reads all changes of the session. */
const MAX_REVISIONS = 20_000;

/** A limit of a query: at least 1, at most `max`. */
function bounded(limit: number | undefined, fallback = DEFAULT_LIMIT, max = MAX_LIMIT): number {
  return Math.max(1, Math.min(limit ?? fallback, max));
}

function roughTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/** Options of the built-in site, or of the local copy of a connected one. */
export interface EmbeddedContentOptions extends LibraryOptions, Partial<Clock> {
  /**
   * True for the copy of a connected site: entries have other terms than tags and custom fields, and the CMS renders the
   * pages, with its own anchors. Default: false.
   */
  readonly isConnected?: boolean;
  /** Checks if a picture that is not in the library exists at a path of the site. Default: unknown. */
  readonly hasPicture?: (path: string) => Promise<boolean>;
}

/** Fields of the document that operations set. */
function fieldsSetBy(operations: readonly PatchOp[]): string[] {
  return operations.flatMap((operation) => (operation.op === 'set' ? operation.field : []));
}

/** @throws InvalidInputError for fields that only connected sites have */
function requireOwnFields(fields: readonly string[]): void {
  if (fields.includes('terms') || fields.includes('custom'))
    throw new InvalidInputError('This site has no groups but tags, and no custom fields.');
}

/** Notes about elements that the site removes from HTML sections which a change has written. */
function removedNotes({ entry, change }: EntryChange): ServerText[] {
  const written = new Set(
    change.operations.flatMap((operation) => {
      if (operation.op === 'insert-section') return operation.section.id;
      return operation.op === 'set-section' ? operation.sectionId : [];
    }),
  );
  const sections = entry.draft.sections.filter(({ id }) => change.action === 'create' || written.has(id));
  return sections.flatMap((section) => removedMarkup(section) ?? []);
}

/**
 * A site in the local database: the built-in site, or the copy of a connected one. Every write is one transaction: it reads
 * the current state, computes the new one without side effects, and stores it together with its journal entry, so that
 * concurrent writes run one after another.
 */
export function createEmbeddedContentBackend(
  store: ContentStore,
  siteOptions: EmbeddedContentOptions = {},
): ContentBackend {
  const { now = Date.now, countTokens = roughTokens, isConnected = false, hasPicture, ...others } = siteOptions;
  const { isPublished = createPublishedPictures(store), ...sources } = others;
  const pictures = { ...sources, isPublished };
  let drafts: ContentBackend | undefined;
  const by = (origin: ChangeOrigin) => ({ origin, now: now() });
  const write = <T>(
    work: (tx: ContentTransaction, context: WriteContext) => Promise<T>,
    origin: ChangeOrigin,
    options: DryRunOption = {},
  ): Promise<T> => {
    const decide = (tx: ContentTransaction) => work(tx, by(origin));
    return options.dryRun === true ? dryRun(store, decide) : store.write(decide);
  };
  /**
   * Unpublishes or trashes an entry and, if it was the home page, adds notes about what `/` shows then. Another CMS has its
   * own rules for that and reports it itself.
   */
  const withLostHomeNotes = async (tx: ContentTransaction, id: string, remove: () => Promise<EntryChange>) => {
    const isHome = !isConnected && (await isPublishedHome(tx, await tx.entry(id)));
    const removed = await remove();
    return isHome ? { ...removed, ...notesFrom(await lostHomeNotes(tx, removed.entry)) } : removed;
  };
  /** Adds notes about elements that this server removes from the written HTML. */
  const withRemovedNotes = (written: EntryChange): EntryChange => {
    const notes = isConnected ? [] : removedNotes(written);
    return { ...written, ...notesFrom([...textsOfNotes(written), ...notes]) };
  };
  return {
    ...createContentReads(store, {
      hasAssets: pictures.preparePicture !== undefined,
      hasAnchors: !isConnected,
      cleansHtml: !isConnected,
      hasPicture,
    }),
    draftsOnly: () =>
      (drafts ??= createEmbeddedContentBackend(draftsOnlyStore(store), { ...siteOptions, isPublished })),

    create: (entry, origin, options) =>
      write(
        async (tx, context) => {
          if (!isConnected && entry.terms !== undefined) requireOwnFields(['terms']);
          return withRemovedNotes(await createEntry(tx, entry, context));
        },
        origin,
        options,
      ),
    patch: (id, operations, origin, options) =>
      write(
        async (tx, context) => {
          if (!isConnected) requireOwnFields(fieldsSetBy(operations));
          return withRemovedNotes(await patchEntry(tx, id, operations, context, options));
        },
        origin,
        options,
      ),
    patchAll: (patches, origin, options) =>
      write(
        async (tx, context) => {
          if (!isConnected) requireOwnFields(fieldsSetBy(patches.flatMap(({ operations }) => operations)));
          return patchEntries(tx, patches, context);
        },
        origin,
        options,
      ),
    publish: (id, origin, options) => write((tx, context) => publishEntry(tx, id, context, options), origin, options),
    schedule: (id, publishAt, origin, options) =>
      write((tx, context) => scheduleEntry(tx, id, publishAt, context, options), origin, options),
    unpublish: (id, origin, options) =>
      write(
        (tx, context) => withLostHomeNotes(tx, id, () => unpublishEntry(tx, id, context, options)),
        origin,
        options,
      ),
    discardDraft: (id, origin, options) =>
      write((tx, context) => discardDraft(tx, id, context, options), origin, options),
    trash: (id, origin, options) =>
      write((tx, context) => withLostHomeNotes(tx, id, () => trashEntry(tx, id, context, options)), origin, options),
    restore: (id, origin, options) =>
      write((tx, context) => restoreFromTrash(tx, id, context, options), origin, options),
    versions: (id) => readVersions(store, id),
    version: (id, revision) => readVersion(store, id, revision),
    restoreVersion: (id, revision, origin, options) =>
      write((tx, context) => restoreVersion(tx, id, revision, context, options), origin, options),

    assets: createAssetLibrary(store, pictures, by),

    navigation: () => readNavigation(store),
    setNavigation: (items, origin, options) =>
      write(
        async (tx, context) => {
          const before = await readNavigation(tx);
          const change = await writeNavigation(tx, items, context, options);
          const notes = await deadMenuItems(before, items, (path, state) => findByPath(tx, path, state));
          return { ...change, ...notesFrom(notes) };
        },
        origin,
        options,
      ),
    settings: () => readSettings(store),
    revisionOf: async (document) => (await store.siteDocument(document))?.revision ?? 0,
    updateSettings: (patch, origin, options) =>
      write(
        async (tx, context) => {
          if (patch.redirects === undefined) return writeSettings(tx, patch, context, options);
          const { redirects: former } = await readSettings(tx);
          const change = await writeSettings(tx, patch, context, options);
          const { redirects } = await readSettings(tx);
          const known = new Set(former.split('\n'));
          const added = parseRedirects(redirects).filter(({ from, to }) => !known.has(`${from} ${to}`));
          const notes = await deadRedirects(added, (path, state) => findByPath(tx, path, state));
          return { ...change, ...notesFrom(notes) };
        },
        origin,
        options,
      ),
    standingInstructions: () => readStanding(store),
    setStandingInstructions: (instructions, origin, options) =>
      write((tx, context) => writeStanding(tx, instructions, context, { countTokens, ...options }), origin, options),

    changes: ({ limit, ...filter }) =>
      store.changes({ ...filter, limit: bounded(limit, DEFAULT_LIMIT, MAX_REVISIONS) }),
    change: (changeId) => readChange(store, changeId),
    newestStanding: (sessionId) => store.newestStandingChange(sessionId),
    undo: (changeId, origin, options) => write((tx, context) => undoChange(tx, changeId, context), origin, options),
    undoAll: (selection, origin, options = {}) =>
      write(
        async (tx, context) => {
          const outcome = await undoAll(tx, selection, context);
          if (options.partial !== true) requireNoConflicts(outcome);
          return outcome;
        },
        origin,
        options,
      ),
    at: (changeId) => readPastSite(store, changeId),
    restoreTo: (changeId, selection, origin, { overOthers = false, dryRun: isRehearsal } = {}) =>
      write((tx, context) => restoreTo(tx, changeId, selection, context, overOthers || isRehearsal === true), origin, {
        dryRun: isRehearsal,
      }),
  };
}
