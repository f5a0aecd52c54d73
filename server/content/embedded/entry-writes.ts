import type { ContentReader, ContentTransaction, WriteContext } from '#server/content/embedded/content-store';
import { applyOperations, diffDocuments, touches } from '#server/content/document-operations';
import { nothingToPublish, quotedTitle, summarizeCreation, summarizeOperations } from '#server/content/change-summary';
import type {
  EntriesChange,
  EntryPatch,
  NewEntry,
  PatchOptions,
  PublishOptions,
} from '#server/content/content-backend';
import { type Entry, type EntryDocument, type PatchOp, sameDocument } from '#server/core/content';
import type { ChangeSet, EntryChange, Publication, WriteOptions } from '#server/core/changes';
import { commitEntry, type EntryWrite } from '#server/content/embedded/commit-entry';
import { joinableChange } from '#server/content/embedded/join-change';
import { freeId, marksWhenPublished, NO_PLAN, stateOf } from '#server/content/embedded/entry-state';
import { newDocument } from '#server/content/entry-document';
import { describeSectionType } from '#server/content/section-types';
import type { ChangedValue, ExpectedValue } from '#server/core/expected-values';
import { sameJson, toJson } from '#server/core/json';
import { currentValue } from '#server/core/replaced-values';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';

/** Farther ahead a time of publication is a mistake: seconds or microseconds taken for milliseconds. */
const FARTHEST_MS = 10 * 366 * 24 * 60 * 60 * 1000;

/** Most characters of a path that leads on to an entry. */
const MAX_PATH_LENGTH = 2_000;

/** An entry, trashed or not. @throws NotFoundError */
export async function storedEntry(tx: ContentReader, entryId: string): Promise<Entry> {
  const entry = await tx.entry(entryId);
  if (entry === null) throw new NotFoundError('entry', entryId.slice(0, 80));
  return entry;
}

/** @throws NotFoundError for a trashed one too */
async function liveEntry(tx: ContentTransaction, entryId: string): Promise<Entry> {
  const entry = await storedEntry(tx, entryId);
  if (entry.deletedAt === null) return entry;
  const said = `${quotedTitle(entry.draft.title)} is in the trash: restore it first.`;
  throw new NotFoundError('entry', entryId, undefined, said);
}

/** Changes that are looked at to find who wrote a value. */
const MAX_CHANGES = 50;

/**
 * Refuses a write where a value that it replaces is another one by now: what others wrote meanwhile is not lost. A
 * value that already is what the write makes of it is no hindrance.
 * @param after the document as the write leaves it
 * @param recent reads the newest changes of the entry, newest first
 * @throws ConflictError whose details are of changedValuesSchema
 */
async function requireExpected(
  entry: Pick<Entry, 'id' | 'draft'>,
  after: EntryDocument,
  expected: readonly ExpectedValue[],
  recent: (limit: number) => Promise<readonly ChangeSet[]>,
): Promise<void> {
  const differing = expected.filter((each) => {
    const now = currentValue(entry.draft, each);
    return !sameJson(now, each.value) && !sameJson(now, currentValue(after, each));
  });
  if (differing.length === 0) return;
  const journal = await recent(MAX_CHANGES);
  const changed = differing.map((each): ChangedValue => {
    const origin = journal.find((change) => touches(change, each))?.origin;
    const by = origin && { actor: origin.actor, ...(origin.userName !== undefined && { userName: origin.userName }) };
    return { ...each, value: currentValue(entry.draft, each), by: by ?? null };
  });
  const names = changed.map(({ sectionId, field }) => [sectionId, field].filter(Boolean).join(' › ')).join(', ');
  throw new ConflictError(
    `Not saved: somebody else has changed ${names} of ${quotedTitle(entry.draft.title)} meanwhile. Look at what is there now, and save again.`,
    { details: toJson({ changed }) },
  );
}

/** A write to one entry, inside a transaction. */
export type EntryWriter = (
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
  options?: WriteOptions,
) => Promise<EntryChange>;

/** See ContentBackend.create. */
export async function createEntry(
  tx: ContentTransaction,
  entry: NewEntry,
  context: WriteContext,
): Promise<EntryChange> {
  const draft = newDocument(entry);
  const id = await freeId(
    entry.type === 'page' ? 'pag' : 'pos',
    async (candidate) => (await tx.entry(candidate)) !== null,
  );
  return commitEntry(tx, {
    ...context,
    id,
    type: entry.type,
    before: null,
    after: { draft, published: null, publishedAt: null, ...NO_PLAN, deletedAt: null },
    action: 'create',
    summary: summarizeCreation(entry.type, draft),
  });
}

/** @throws ConflictError unless the entry is still at this revision */
export function checkRevision(entry: Entry, ifRevision: number | undefined): void {
  if (ifRevision === undefined || ifRevision === entry.revision) return;
  throw new ConflictError(
    `${quotedTitle(entry.draft.title)} has changed: it is at revision ${entry.revision}, not ${ifRevision}. Read it again.`,
    { details: { revision: entry.revision } },
  );
}

/** Outcome of a write: the new state and its change. */
type EntryDecision = Pick<EntryWrite, 'after' | 'action' | 'summary' | 'operations' | 'inverse'>;

/** Writes to a live entry what `decide` makes of it. @throws NotFoundError, ConflictError at another revision */
export async function changeEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
  { ifRevision }: WriteOptions,
  decide: (before: Entry) => EntryDecision,
): Promise<EntryChange> {
  const before = await liveEntry(tx, entryId);
  checkRevision(before, ifRevision);
  return commitEntry(tx, { ...context, id: before.id, type: before.type, before, ...decide(before) });
}

/** @throws InvalidInputError for a section of which no field is set, with the fields that there are */
function requireFields({ draft }: Entry, operations: readonly PatchOp[]): void {
  for (const operation of operations) {
    if (operation.op !== 'set-section' || Object.keys(operation.fields).length > 0) continue;
    const type = draft.sections.find(({ id }) => id === operation.sectionId)?.type;
    if (type === undefined) continue;
    throw new InvalidInputError(
      `Name at least one field to set. The fields of ${type} are: ${describeSectionType(type)}`,
    );
  }
}

/** See ContentBackend.patch. */
export async function patchEntry(
  tx: ContentTransaction,
  entryId: string,
  operations: readonly PatchOp[],
  context: WriteContext,
  { ifRevision, expects = [], joins, summary }: PatchOptions = {},
): Promise<EntryChange> {
  if (operations.length === 0) throw new InvalidInputError('There is nothing to change.');
  const before = await liveEntry(tx, entryId);
  checkRevision(before, ifRevision);
  requireFields(before, operations);
  const applied = applyOperations(before.draft, operations);
  await requireExpected(before, applied.document, expects, (limit) => tx.changes({ targetId: before.id, limit }));
  const write: EntryWrite = {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), draft: applied.document },
    action: 'update',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: summary ?? summarizeOperations(applied.operations, before.draft),
  };
  return commitEntry(tx, joins === undefined ? write : { ...write, joins: await joinableChange(tx, joins, write) });
}

/** See ContentBackend.patchAll. Changes of one edit are known by its call and its time. */
export async function patchEntries(
  tx: ContentTransaction,
  patches: readonly EntryPatch[],
  context: WriteContext,
): Promise<EntriesChange> {
  const { origin } = context;
  const together = { ...context, origin: { ...origin, toolCallId: origin.toolCallId ?? createId('edt') } };
  const changes: EntryChange[] = [];
  for (const { entryId, operations, ifRevision, summary } of patches) {
    changes.push(await patchEntry(tx, entryId, operations, together, { ifRevision, summary }));
  }
  return { changes };
}

/** See ContentBackend.publish. The first publication dates the entry; publishing again keeps the date. */
export async function publishEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
  { publishedAt, formerPaths = [], asPlanned = false, ...options }: PublishOptions = {},
): Promise<Publication> {
  if (publishedAt !== undefined && !(Number.isSafeInteger(publishedAt) && publishedAt <= context.now))
    throw new InvalidInputError('The date of a publication must not be in the future. To plan one, schedule it.');
  const wrong = formerPaths.find((path) => !/^\/[^/\\]/.test(path) || path.length > MAX_PATH_LENGTH);
  if (wrong !== undefined) throw new InvalidInputError(`"${wrong.slice(0, 80)}" is no path of a site, like /old-name.`);
  const present = await liveEntry(tx, entryId);
  checkRevision(present, options.ifRevision);
  const isDated = publishedAt === undefined || publishedAt === present.publishedAt;
  const hasPlan = present.publishAt !== null;
  const isThere = !asPlanned && isDated && !hasPlan && sameDocument(present.draft, present.published);
  const written = isThere
    ? { entry: present, change: null, notes: [nothingToPublish(present)] }
    : await changeEntry(tx, entryId, context, options, (before) => ({
        after: stateOf({
          ...before,
          published: asPlanned ? plannedOf(before) : before.draft,
          publishedAt: publishedAt ?? before.publishedAt ?? context.now,
          ...NO_PLAN,
          marks: marksWhenPublished(before),
        }),
        action: 'publish',
        summary: `Published ${quotedTitle((asPlanned ? plannedOf(before) : before.draft).title)}`,
      }));
  for (const path of formerPaths) await tx.saveRedirect(path.toLowerCase(), entryId, context.now);
  return written;
}

/** @throws ConflictError where nothing is planned */
function plannedOf({ planned, draft }: Entry): EntryDocument {
  if (planned === null) throw new ConflictError(`${quotedTitle(draft.title)} is not planned.`);
  return planned;
}

/** See ContentBackend.unpublish. */
export const unpublishEntry: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => {
    const title = quotedTitle(before.draft.title);
    if (before.published === null) throw new ConflictError(`${title} is not published.`);
    const after = { ...stateOf(before), published: null, publishedAt: null, ...NO_PLAN };
    return { after, action: 'unpublish', summary: `Unpublished ${title}` };
  });

/** See ContentBackend.schedule. */
export function scheduleEntry(
  tx: ContentTransaction,
  entryId: string,
  publishAt: number | null,
  context: WriteContext,
  options: WriteOptions = {},
): Promise<EntryChange> {
  return changeEntry(tx, entryId, context, options, (before) => {
    checkPublishAt(before, publishAt, context.now);
    const title = quotedTitle(before.draft.title);
    const summary =
      publishAt === null
        ? `Took back the planned publication of ${title}`
        : `Planned the publication of ${title} for ${utcTime(publishAt)}`;
    const plan = publishAt === null ? NO_PLAN : { publishAt, planned: before.draft };
    return { after: { ...stateOf(before), ...plan }, action: 'schedule', summary };
  });
}

function checkPublishAt(before: Entry, publishAt: number | null, now: number): void {
  const title = quotedTitle(before.draft.title);
  if (publishAt === null && before.publishAt === null) throw new ConflictError(`${title} is not planned.`);
  if (publishAt === null) return;
  if (before.status === 'published') throw new ConflictError(`${title} has nothing that is not published.`);
  if (!Number.isSafeInteger(publishAt) || publishAt <= now) {
    throw new InvalidInputError('The time of publication must be in the future. To publish now, publish it.');
  }
  if (publishAt > now + FARTHEST_MS)
    throw new InvalidInputError('The time of publication is more than ten years away.');
}

/** A time for a sentence: `5 Jan 2027, 09:00 UTC`. */
export function utcTime(time: number): string {
  const format = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return `${new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' }).format(time)} UTC`;
}

/** See ContentBackend.discardDraft. */
export const discardDraft: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => {
    const title = quotedTitle(before.draft.title);
    if (before.published === null)
      throw new ConflictError(`${title} is not published: there is nothing to go back to.`);
    if (before.status === 'published') throw new ConflictError(`${title} has no changes that are not published.`);
    const applied = applyOperations(before.draft, diffDocuments(before.draft, before.published));
    return {
      after: { ...stateOf(before), draft: applied.document, ...NO_PLAN },
      action: 'discard',
      operations: applied.operations,
      inverse: applied.inverse,
      summary: `Discarded the unpublished changes of ${title}`,
    };
  });
