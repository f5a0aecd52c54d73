import type { ContentBackend } from '#server/content/content-backend';
import { deadItems, deadRedirects } from '#server/content/dead-ends';
import { createAssetLibrary, type PictureSources } from '#server/content/embedded/assets';
import { createPublishedPictures } from '#server/content/embedded/published-pictures';
import {
  bringBack,
  readVersion,
  readVersions,
  restoreFromTrash,
  restoreVersion,
  trashEntry,
} from '#server/content/embedded/bring-back';
import type { ContentStore, ContentTransaction, WriteContext } from '#server/content/embedded/content-store';
import {
  createEntry,
  discardDraft,
  patchEntries,
  patchEntry,
  publishEntry,
  scheduleEntry,
  unpublishEntry,
} from '#server/content/embedded/entry-writes';
import { isPublishedHome, lostHomeNotes } from '#server/content/embedded/home-page';
import { findByPath } from '#server/content/embedded/entry-paths';
import { readPastSite } from '#server/content/embedded/past-site';
import { readChange } from '#server/content/embedded/change-detail';
import { draftsOnlyStore, dryRun } from '#server/content/embedded/limited-writes';
import { createReadingSide } from '#server/content/embedded/reading-side';
import {
  readNavigation,
  readSettings,
  readStanding,
  writeNavigation,
  writeSettings,
  writeStanding,
} from '#server/content/embedded/site-document-writes';
import { requireNoConflicts, undoAll, undoChange } from '#server/content/embedded/undo-change';
import { leadsOnIn } from '#server/core/addresses';
import type { PatchOp } from '#server/core/content';
import type { ChangeOrigin, EntryChange, WriteOptions } from '#server/core/changes';
import { InvalidInputError } from '#server/core/errors';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** A session's whole record is read from its revisions. */
const MAX_REVISIONS = 20_000;

/** At least 1, at most `most`. */
function bounded(limit: number | undefined, fallback = DEFAULT_LIMIT, most = MAX_LIMIT): number {
  return Math.max(1, Math.min(limit ?? fallback, most));
}

function roughTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

export interface EmbeddedContentOptions extends PictureSources {
  /** Epoch milliseconds; the time of every write. Default `Date.now`. */
  readonly now?: () => number;
  /** For what every request is to hold. Default: a token for every three bytes. */
  readonly countTokens?: (text: string) => number;
  /** Another CMS shows the site: it has groups beside tags, custom fields, and anchors of its own. Default: not. */
  readonly isConnected?: boolean;
  /** Tells whether a picture that is not of the library is at a path of the site. Default: nobody knows. */
  readonly hasPicture?: (path: string) => Promise<boolean>;
}

/** @throws InvalidInputError for what only connected sites have */
function requireOwnFields(operations: readonly PatchOp[]): void {
  const other = operations.find((operation) => operation.op === 'set' && /^(?:terms|custom)$/.test(operation.field));
  if (other !== undefined) throw new InvalidInputError('This site has no groups but tags, and no custom fields.');
}

/**
 * The site kept in our own database. Every write is one transaction: it reads the present state, decides purely, and
 * stores the new state together with its journal entry, so that concurrent writers follow one another.
 */
export function createEmbeddedContentBackend(store: ContentStore, means: EmbeddedContentOptions = {}): ContentBackend {
  const { now = Date.now, countTokens = roughTokens, isConnected = false, hasPicture, ...others } = means;
  const { isPublished = createPublishedPictures(store), ...sources } = others;
  const pictures = { ...sources, isPublished };
  let drafts: ContentBackend | undefined;
  const by = (origin: ChangeOrigin) => ({ origin, now: now() });
  const write = <T>(
    work: (tx: ContentTransaction, context: WriteContext) => Promise<T>,
    origin: ChangeOrigin,
    options: Pick<WriteOptions, 'dryRun'> = {},
  ): Promise<T> => {
    const decide = (tx: ContentTransaction) => work(tx, by(origin));
    return options.dryRun === true ? dryRun(store, decide) : store.write(decide);
  };
  /** Takes an entry off the site. Another CMS has its own rules for what is then at `/`, and tells them itself. */
  const leaving = async (tx: ContentTransaction, id: string, take: () => Promise<EntryChange>) => {
    const isHome = !isConnected && (await isPublishedHome(tx, await tx.entry(id)));
    const taken = await take();
    return isHome ? { ...taken, notes: await lostHomeNotes(tx, taken.entry) } : taken;
  };
  return {
    ...createReadingSide(store, {
      hasAssets: pictures.preparePicture !== undefined,
      hasAnchors: !isConnected,
      hasPicture,
    }),
    draftsOnly: () => (drafts ??= createEmbeddedContentBackend(draftsOnlyStore(store), { ...means, isPublished })),

    create: (entry, origin, options) => write((tx, context) => createEntry(tx, entry, context), origin, options),
    patch: (id, operations, origin, options) =>
      write(
        async (tx, context) => {
          if (!isConnected) requireOwnFields(operations);
          return patchEntry(tx, id, operations, context, options);
        },
        origin,
        options,
      ),
    patchAll: (patches, origin, options) =>
      write(
        async (tx, context) => {
          if (!isConnected) requireOwnFields(patches.flatMap(({ operations }) => operations));
          return patchEntries(tx, patches, context);
        },
        origin,
        options,
      ),
    publish: (id, origin, options) => write((tx, context) => publishEntry(tx, id, context, options), origin, options),
    schedule: (id, publishAt, origin, options) =>
      write((tx, context) => scheduleEntry(tx, id, publishAt, context, options), origin, options),
    unpublish: (id, origin, options) =>
      write((tx, context) => leaving(tx, id, () => unpublishEntry(tx, id, context, options)), origin, options),
    discardDraft: (id, origin, options) =>
      write((tx, context) => discardDraft(tx, id, context, options), origin, options),
    trash: (id, origin, options) =>
      write((tx, context) => leaving(tx, id, () => trashEntry(tx, id, context, options)), origin, options),
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
          const notes = await deadItems(before, items, (path, state) => findByPath(tx, path, state));
          return { ...change, ...(notes.length > 0 && { notes }) };
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
          const added = leadsOnIn(redirects).filter(({ from, to }) => !known.has(`${from} ${to}`));
          const notes = await deadRedirects(added, (path, state) => findByPath(tx, path, state));
          return { ...change, ...(notes.length > 0 && { notes }) };
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
    bringBack: (changeId, selection, origin, { overOthers = false, dryRun: isRehearsal } = {}) =>
      write((tx, context) => bringBack(tx, changeId, selection, context, overOthers || isRehearsal === true), origin, {
        dryRun: isRehearsal,
      }),
  };
}
