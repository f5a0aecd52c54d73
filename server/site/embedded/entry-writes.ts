import type { ContentReader, ContentTransaction, WriteContext } from '#server/site/embedded/content-store';
import { applyOperations } from '#server/site/document-operations';
import { nothingToPublish, summarizeCreation, summarizeOperations } from '#server/site/change-summary';
import type { EntriesChange, EntryPatch, NewEntry, PatchOptions, PublishOptions } from '#server/site/content-backend';
import {
  type Entry,
  type EntryDocument,
  type PatchOp,
  sameDocument,
  type SectionContent,
} from '#server/core/site/content';
import type { EntryChange, Publication, WriteOptions } from '#server/core/site/changes';
import { commitEntry, type EntryWrite } from '#server/site/embedded/commit-entry';
import { mergeableChange } from '#server/site/embedded/merge-change';
import { marksWhenPublished, NO_SCHEDULE, stateFromJson, stateOf } from '#server/site/embedded/entry-state';
import { readSettings } from '#server/site/embedded/site-settings-writes';
import { newDocument } from '#server/site/entry-document';
import { describeSectionType, hasDefaultTexts, withDefaults } from '#server/site/section-types';
import { requireRevision, requireUnchanged, type WriteConditions } from '#server/site/concurrent-changes';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { createId, createFreeShortId } from '#server/core/ids';
import { shortTitle } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import { diffDocuments } from '#server/site/diff-documents';
import type { ServerText } from '#server/core/coded-message';
import { notesFrom } from '#server/core/message-data';

/** Largest distance of a scheduled publication, ten years; a later time is a mistake, such as microseconds. */
const MAX_SCHEDULE_AHEAD_MS = 10 * 366 * 24 * 60 * 60 * 1000;

/** Longest path, in characters, that redirects to an entry. */
const MAX_PATH_LENGTH = 2_000;

/** An entry, trashed or not. @throws NotFoundError */
export async function storedEntry(tx: ContentReader, entryId: string): Promise<Entry> {
  const entry = await tx.entry(entryId);
  if (entry === null) throw new NotFoundError('entry', entryId.slice(0, 80));
  return entry;
}

/** @throws NotFoundError, also for a trashed entry */
async function liveEntry(tx: ContentTransaction, entryId: string): Promise<Entry> {
  const entry = await storedEntry(tx, entryId);
  if (entry.deletedAt === null) return entry;
  const title = shortTitle(entry.draft.title);
  throw new NotFoundError('entry', entryId, undefined, serverText('entry-in-trash', { title }));
}

/** A write to one entry, inside a transaction. */
export type EntryWriter = (
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
  options?: WriteOptions,
) => Promise<EntryChange>;

/** New sections whose omitted texts are in the language of the site. */
async function withDefaultTexts<T extends SectionContent>(tx: ContentReader, sections: readonly T[]): Promise<T[]> {
  if (!sections.some(({ type }) => hasDefaultTexts(type))) return [...sections];
  const { language } = await readSettings(tx);
  return sections.map((section) =>
    hasDefaultTexts(section.type) ? { ...section, fields: withDefaults(section, language) } : section,
  );
}

/** Operations whose new sections are complete; see `withDefaultTexts`. */
async function withInsertedTexts(tx: ContentReader, operations: readonly PatchOp[]): Promise<PatchOp[]> {
  const completed: PatchOp[] = [];
  for (const operation of operations) {
    if (operation.op !== 'insert-section') completed.push(operation);
    else
      for (const section of await withDefaultTexts(tx, [operation.section])) completed.push({ ...operation, section });
  }
  return completed;
}

/** See ContentBackend.create. */
export async function createEntry(
  tx: ContentTransaction,
  entry: NewEntry,
  context: WriteContext,
): Promise<EntryChange> {
  const draft = newDocument({ ...entry, sections: await withDefaultTexts(tx, entry.sections ?? []) });
  const id = await createFreeShortId(
    entry.type === 'page' ? 'pag' : 'pos',
    async (candidate) => (await tx.entry(candidate)) !== null,
  );
  return commitEntry(tx, {
    ...context,
    id,
    type: entry.type,
    before: null,
    after: { draft, published: null, publishedAt: null, ...NO_SCHEDULE, deletedAt: null },
    action: 'create',
    summary: summarizeCreation(entry.type, draft),
  });
}

/** @throws ConflictError unless the entry is still at this revision */
export function checkRevision({ id, revision, draft }: Entry, conditions: WriteConditions): void {
  const title = shortTitle(draft.title);
  const message = (present: number, expected: number) =>
    serverText('entry-changed', { title, revision: present, expected });
  requireRevision({ id, revision, message }, conditions);
}

/** Outcome of a write: the new state and its change. */
interface EntryDecision {
  readonly after: EntryWrite['after'];
  readonly action: EntryWrite['action'];
  readonly summary: ServerText;
  readonly operations?: readonly PatchOp[];
  readonly inverse?: readonly PatchOp[];
}

/** Writes the result of `decide` to a live entry. @throws NotFoundError, ConflictError at another revision */
export async function changeEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
  options: WriteOptions,
  decide: (before: Entry) => EntryDecision,
): Promise<EntryChange> {
  const before = await liveEntry(tx, entryId);
  checkRevision(before, options);
  return commitEntry(tx, { ...context, id: before.id, type: before.type, before, ...decide(before) });
}

/** @throws InvalidInputError for a section without any set field; the error names the available fields */
function requireFields({ draft }: Entry, operations: readonly PatchOp[]): void {
  for (const operation of operations) {
    if (operation.op !== 'set-section' || Object.keys(operation.fields).length > 0) continue;
    const type = draft.sections.find(({ id }) => id === operation.sectionId)?.type;
    if (type === undefined) continue;
    throw new InvalidInputError(serverText('no-field-named', { type, fields: describeSectionType(type) }));
  }
}

/** See ContentBackend.patch. */
export async function patchEntry(
  tx: ContentTransaction,
  entryId: string,
  operations: readonly PatchOp[],
  context: WriteContext,
  { joins, summary, ...conditions }: PatchOptions = {},
): Promise<EntryChange> {
  if (operations.length === 0) throw new InvalidInputError(serverText('nothing-to-change'));
  const before = await liveEntry(tx, entryId);
  checkRevision(before, conditions);
  requireFields(before, operations);
  const applied = applyOperations(before.draft, await withInsertedTexts(tx, operations));
  await requireUnchanged(
    {
      entry: before,
      operations,
      after: applied.document,
      origin: context.origin,
      changes: (limit) => tx.changes({ targetId: entryId, limit }),
      draftAt: async (revision) =>
        stateFromJson((await tx.journalEntryAt(entryId, revision))?.after ?? null)?.draft ?? null,
    },
    conditions,
  );
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
  return commitEntry(tx, joins === undefined ? write : { ...write, joins: await mergeableChange(tx, joins, write) });
}

/** See ContentBackend.patchAll. Changes of one edit share their tool call and their time. */
export async function patchEntries(
  tx: ContentTransaction,
  patches: readonly EntryPatch[],
  context: WriteContext,
): Promise<EntriesChange> {
  const { origin } = context;
  const together = { ...context, origin: { ...origin, toolCallId: origin.toolCallId ?? createId('edt') } };
  const changes: EntryChange[] = [];
  for (const { entryId, operations, ...options } of patches) {
    changes.push(await patchEntry(tx, entryId, operations, together, options));
  }
  return { changes };
}

/** See ContentBackend.publish. The first publication dates the entry; publishing again keeps the date. */
export async function publishEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
  { publishedAt, formerPaths = [], asScheduled = false, ...options }: PublishOptions = {},
): Promise<Publication> {
  if (publishedAt !== undefined && !(Number.isSafeInteger(publishedAt) && publishedAt <= context.now))
    throw new InvalidInputError(serverText('publication-date-ahead'));
  const wrong = formerPaths.find((path) => !/^\/[^/\\]/.test(path) || path.length > MAX_PATH_LENGTH);
  if (wrong !== undefined) throw new InvalidInputError(serverText('path-invalid', { path: wrong.slice(0, 80) }));
  const present = await liveEntry(tx, entryId);
  checkRevision(present, options);
  const isDated = publishedAt === undefined || publishedAt === present.publishedAt;
  const hasSchedule = present.publishAt !== null;
  const hasNothingToPublish = !asScheduled && isDated && !hasSchedule && sameDocument(present.draft, present.published);
  const written = hasNothingToPublish
    ? { entry: present, change: null, ...notesFrom([nothingToPublish(present)]) }
    : await changeEntry(tx, entryId, context, options, (before) => ({
        after: stateOf({
          ...before,
          published: asScheduled ? scheduledDocument(before) : before.draft,
          publishedAt: publishedAt ?? before.publishedAt ?? context.now,
          ...NO_SCHEDULE,
          marks: marksWhenPublished(before),
        }),
        action: 'publish',
        summary: serverText('journal-published', {
          title: shortTitle((asScheduled ? scheduledDocument(before) : before.draft).title),
        }),
      }));
  for (const path of formerPaths) await tx.saveRedirect(path.normalize('NFC').toLowerCase(), entryId, context.now);
  return written;
}

/** @throws ConflictError if nothing is scheduled */
function scheduledDocument({ planned, draft }: Entry): EntryDocument {
  if (planned === null) throw new ConflictError(serverText('not-planned', { title: shortTitle(draft.title) }));
  return planned;
}

/** See ContentBackend.unpublish. */
export const unpublishEntry: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => {
    const title = shortTitle(before.draft.title);
    if (before.published === null) throw new ConflictError(serverText('not-published', { title }));
    const after = { ...stateOf(before), published: null, publishedAt: null, ...NO_SCHEDULE };
    return { after, action: 'unpublish', summary: serverText('journal-unpublished', { title }) };
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
    const title = shortTitle(before.draft.title);
    const summary =
      publishAt === null
        ? serverText('journal-plan-cancelled', { title })
        : serverText('journal-planned', { title, time: publishAt });
    const plan = publishAt === null ? NO_SCHEDULE : { publishAt, planned: before.draft };
    return { after: { ...stateOf(before), ...plan }, action: 'schedule', summary };
  });
}

function checkPublishAt(before: Entry, publishAt: number | null, now: number): void {
  const title = shortTitle(before.draft.title);
  if (publishAt === null && before.publishAt === null) throw new ConflictError(serverText('not-planned', { title }));
  if (publishAt === null) return;
  if (before.status === 'published') throw new ConflictError(serverText('all-published', { title }));
  if (!Number.isSafeInteger(publishAt) || publishAt <= now) {
    throw new InvalidInputError(serverText('publication-in-the-past'));
  }
  if (publishAt > now + MAX_SCHEDULE_AHEAD_MS) throw new InvalidInputError(serverText('publication-too-far'));
}

/** See ContentBackend.discardDraft. */
export const discardDraft: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => {
    const title = shortTitle(before.draft.title);
    if (before.published === null) throw new ConflictError(serverText('not-published-to-discard', { title }));
    if (before.status === 'published') throw new ConflictError(serverText('no-unpublished-changes', { title }));
    const applied = applyOperations(before.draft, diffDocuments(before.draft, before.published));
    return {
      after: { ...stateOf(before), draft: applied.document, ...NO_SCHEDULE },
      action: 'discard',
      operations: applied.operations,
      inverse: applied.inverse,
      summary: serverText('journal-discarded', { title }),
    };
  });
