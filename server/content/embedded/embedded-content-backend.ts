import { type ContentBackend, ONLY_DRAFTS, type WriteOptions } from '#server/content/content-backend';
import type { ChangeDetail } from '#server/core/site-lists';
import { createAssetLibrary, createPublishedPictures, type PictureSources } from '#server/content/embedded/assets';
import {
  bringBack,
  readVersion,
  readVersions,
  restoreFromTrash,
  restoreVersion,
  trashEntry,
} from '#server/content/embedded/bring-back';
import { blockersOf, chainsOf } from '#server/content/embedded/change-chains';
import {
  assetStateFromJson,
  type ContentReader,
  type ContentStore,
  type ContentTransaction,
  type JournalEntry,
  type WriteContext,
} from '#server/content/embedded/content-store';
import { type EntryState, sameDocument, samePlan, stateFromJson } from '#server/content/embedded/entry-state';
import {
  createEntry,
  discardDraft,
  patchEntries,
  patchEntry,
  publishEntry,
  scheduleEntry,
  unpublishEntry,
} from '#server/content/embedded/entry-writes';
import { readPastSite } from '#server/content/embedded/past-site';
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
import { documentChanges, PLAN_FIELD, recordChanges, valueChanges } from '#server/content/field-changes';
import type { Entry, PatchOp } from '#server/core/content';
import type { ChangeOrigin, FieldChange } from '#server/core/changes';
import { ForbiddenError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';

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
  /** The site has groups beside tags, and custom fields; default: not. */
  readonly hasGroups?: boolean;
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
  const { now = Date.now, countTokens = roughTokens, hasGroups = false, ...others } = means;
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
  return {
    ...createReadingSide(store, pictures.preparePicture !== undefined),
    draftsOnly: () => (drafts ??= createEmbeddedContentBackend(draftsOnlyStore(store), { ...means, isPublished })),

    create: (entry, origin, options) => write((tx, context) => createEntry(tx, entry, context), origin, options),
    patch: (id, operations, origin, options) =>
      write(
        async (tx, context) => {
          if (!hasGroups) requireOwnFields(operations);
          return patchEntry(tx, id, operations, context, options);
        },
        origin,
        options,
      ),
    patchAll: (patches, origin, options) =>
      write(
        async (tx, context) => {
          if (!hasGroups) requireOwnFields(patches.flatMap(({ operations }) => operations));
          return patchEntries(tx, patches, context);
        },
        origin,
        options,
      ),
    publish: (id, origin, options) => write((tx, context) => publishEntry(tx, id, context, options), origin, options),
    schedule: (id, publishAt, origin, options) =>
      write((tx, context) => scheduleEntry(tx, id, publishAt, context, options), origin, options),
    unpublish: (id, origin, options) =>
      write((tx, context) => unpublishEntry(tx, id, context, options), origin, options),
    discardDraft: (id, origin, options) =>
      write((tx, context) => discardDraft(tx, id, context, options), origin, options),
    trash: (id, origin, options) => write((tx, context) => trashEntry(tx, id, context, options), origin, options),
    restore: (id, origin, options) =>
      write((tx, context) => restoreFromTrash(tx, id, context, options), origin, options),
    versions: (id) => readVersions(store, id),
    version: (id, revision) => readVersion(store, id, revision),
    restoreVersion: (id, revision, origin, options) =>
      write((tx, context) => restoreVersion(tx, id, revision, context, options), origin, options),

    assets: createAssetLibrary(store, pictures, by),

    navigation: () => readNavigation(store),
    setNavigation: (items, origin, options) =>
      write((tx, context) => writeNavigation(tx, items, context, options), origin, options),
    settings: () => readSettings(store),
    updateSettings: (patch, origin, options) =>
      write((tx, context) => writeSettings(tx, patch, context, options), origin, options),
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

function trashChange(before: boolean, after: boolean): FieldChange[] {
  return before === after ? [] : [{ field: 'in the trash', kind: 'changed', before, after }];
}

function timeText(state: EntryState | null): string | undefined {
  return typeof state?.publishAt === 'number' ? new Date(state.publishAt).toISOString() : undefined;
}

function entryChanges(before: EntryState | null, after: EntryState | null): FieldChange[] {
  const isTakenOff = before?.published && after && !after.published && after.deletedAt === null;
  const published = isTakenOff ? [] : documentChanges(before?.published ?? null, after?.published ?? null);
  const isMoved = before?.planned && after?.planned;
  const planned = isMoved ? documentChanges(before.planned, after.planned) : [];
  return [
    ...documentChanges(before?.draft ?? null, after?.draft ?? null),
    // All of the page is gone from the site: one line says more than each of its texts.
    ...(isTakenOff ? [{ field: 'on the site', kind: 'changed', before: true, after: false } as const] : []),
    ...published.map((change) => ({ ...change, field: `published › ${change.field}` })),
    ...valueChanges(PLAN_FIELD, timeText(before), timeText(after)),
    ...planned.map((change) => ({ ...change, field: `planned › ${change.field}` })),
    ...trashChange((before?.deletedAt ?? null) !== null, (after?.deletedAt ?? null) !== null),
  ];
}

function assetChanges(before: JsonValue, after: JsonValue): FieldChange[] {
  const [former, latter] = [before, after].map(assetStateFromJson);
  const values = [former, latter].map((state) => {
    if (!state) return {};
    const { filename, alt, tags, mediaType, size, width, height } = state;
    return { filename, alt, tags: [...tags], mediaType, size, width, height };
  });
  const changes = recordChanges(values[0] ?? {}, values[1] ?? {});
  const isReplaced = former && latter && former.hash !== latter.hash && changes.length === 0;
  return [
    ...changes,
    ...(isReplaced ? [{ field: 'file', kind: 'changed', before: former.hash, after: latter.hash } as const] : []),
    ...trashChange((former?.deletedAt ?? null) !== null, (latter?.deletedAt ?? null) !== null),
  ];
}

/** Differences between the two states of a change, field by field. */
function changedFields({ change, before, after }: JournalEntry): FieldChange[] {
  switch (change.targetType) {
    case 'page':
    case 'post':
      return entryChanges(stateFromJson(before), stateFromJson(after));
    case 'asset':
      return assetChanges(before, after);
    case 'navigation':
      return valueChanges('navigation', before, after);
    default:
      return recordChanges(before as Record<string, JsonValue>, after as Record<string, JsonValue>);
  }
}

/** See ContentBackend.change. */
async function readChange(reader: ContentReader, changeId: string): Promise<ChangeDetail> {
  const record = await reader.journalEntry(changeId);
  if (record === null) throw new NotFoundError('change', changeId.slice(0, 80));
  const { change } = record;
  const chains = change.undoneBy !== null ? [] : chainsOf(await reader.journalOf(change.targetId));
  const chain = chains.find((each) => each.some((line) => line.change.id === change.id));
  const blockers = chain === undefined ? [] : blockersOf(chain, chains);
  return { change, fields: changedFields(record), blockedBy: blockers.length === 0 ? null : blockers };
}

/** Does all of `work`, with its checks and errors, and leaves nothing of it but the result. */
export async function dryRun<T, Transaction>(
  store: { write<Written>(work: (tx: Transaction) => Promise<Written>): Promise<Written> },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  // Of this run alone: a store may itself rehearse what it is given.
  const end = new Error('Nothing is written.');
  let outcome: { readonly result: T } | undefined;
  try {
    await store.write(async (tx) => {
      outcome = { result: await work(tx) };
      throw end;
    });
  } catch (error) {
    if (error !== end || outcome === undefined) throw error;
  }
  if (outcome === undefined) throw new Error('A dry run did not end.');
  return outcome.result;
}

/**
 * A store that keeps nothing but work on drafts; see ContentBackend.draftsOnly. What a write does to the site is judged
 * by what it saves, in its own transaction: by whatever way it came about, also as an undo.
 */
export function draftsOnlyStore<Store extends Pick<ContentStore, 'write'>>(store: Store): Store {
  const write: ContentStore['write'] = (work) => store.write((tx) => work(draftsOnly(tx)));
  return { ...store, write };
}

function draftsOnly(tx: ContentTransaction): ContentTransaction {
  return {
    ...tx,
    async saveEntry(entry) {
      if (isNoticed(await tx.entry(entry.id), entry)) throw refusal();
      await tx.saveEntry(entry);
    },
    // Pictures have no drafts: what is new is shown nowhere, whatever else is done to one may be seen at once.
    async saveAsset(asset) {
      if ((await tx.asset(asset.id)) !== null) throw refusal();
      await tx.saveAsset(asset);
    },
    saveSiteDocument: () => Promise.reject(refusal()),
    saveRedirect: () => Promise.reject(refusal()),
  };
}

/** Tells whether a write alters, now or by a plan, what visitors see, or deletes or restores something. */
function isNoticed(before: Entry | null, after: Entry): boolean {
  const { published, publishedAt, deletedAt } = after;
  if (before === null) return published !== null || after.publishAt !== null || deletedAt !== null;
  const isPublishedSo = sameDocument(before.published, published) && before.publishedAt === publishedAt;
  return !isPublishedSo || !samePlan(before, after) || before.deletedAt !== deletedAt;
}

function refusal(): ForbiddenError {
  return new ForbiddenError(ONLY_DRAFTS);
}
