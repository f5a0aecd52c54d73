import type { Entry, EntryDocument, PatchOp } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { ServerText } from '#server/core/coded-message';
import { ConflictError } from '#server/core/errors';
import type {
  ChangedValue,
  ExpectedValue,
  FieldPlace,
  WriteConflict,
} from '#server/core/site/write-checks/write-conflict';
import { isJsonObject, type JsonValue, sameJson, toJson } from '#server/core/json';
import type { Writer } from '#server/core/site/presence';
import type { SeenRevisions } from '#server/core/site/write-checks/seen-revisions';
import { currentValue, valuesReplacedBy } from '#server/core/site/write-checks/replaced-values';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';
import { touches } from '#server/site/document-paths';

/* The check for concurrent changes: all writes to a site use it. See docs/internals/concurrent-changes.md. */

/** What a writer knows about the target of its write. Each given part is checked in the transaction of the write. */
export interface WriteConditions {
  /** Revision of the whole target. Any later change to it is a conflict. */
  readonly ifRevision?: number | undefined;
  /** The replaced values as the writer knows them. A conflict if one has changed; changes elsewhere are kept. */
  readonly expects?: readonly ExpectedValue[] | undefined;
  /** What a model has seen. A conflict if another author has changed a replaced piece since it was seen. */
  readonly seen?: SeenRevisions | undefined;
  /** The people who are writing in the target now. A conflict if one of them is in a replaced field. */
  readonly writers?: readonly Writer[] | undefined;
}

/** Key under which the seen revision of a place in an entry is recorded. */
export function seenKey(entryId: string, { sectionId, field }: FieldPlace): string {
  return sectionId ?? `${entryId}.${field}`;
}

/** The pieces of an entry that operations replace: details and whole sections. Moving or adding a section replaces none. */
export function replacedPieces(operations: readonly PatchOp[]): FieldPlace[] {
  return operations.flatMap((operation): FieldPlace[] => {
    if (operation.op === 'set' || operation.op === 'unset') return [{ sectionId: null, field: operation.field }];
    const isSection = operation.op === 'set-section' || operation.op === 'remove-section';
    return isSection ? [{ sectionId: operation.sectionId, field: null }] : [];
  });
}

/** @param message describes the conflict */
function conflictError(message: ServerText | string, conflict: WriteConflict): ConflictError {
  return new ConflictError(message, { details: toJson(conflict) });
}

/**
 * Refuses a write that is based on another revision of its target.
 * @param target.message describes the conflict
 * @throws ConflictError whose details match writeConflictSchema
 */
export function requireRevision(
  target: {
    readonly id: string;
    readonly revision: number;
    readonly message: (revision: number, expected: number) => ServerText | string;
  },
  { ifRevision }: WriteConditions,
): void {
  const { id, revision, message } = target;
  if (ifRevision === undefined || ifRevision === revision) return;
  throw conflictError(message(revision, ifRevision), { targetId: id, revision, changed: [], writers: [] });
}

/** Largest number of changes that are searched for those of other authors, and for the author of a value. */
const MAX_CHANGES = 100;

/** A write to an entry that is decided but not yet stored. */
interface EntryWrite {
  readonly entry: Entry;
  readonly operations: readonly PatchOp[];
  /** The document after the write. */
  readonly after: EntryDocument;
  readonly origin: ChangeOrigin;
  /** Reads the newest changes of the entry, newest first. */
  readonly changes: (limit: number) => Promise<readonly ChangeSet[]>;
  /** The draft at a revision; null if it is not stored. */
  readonly draftAt: (revision: number) => Promise<EntryDocument | null>;
}

/**
 * Refuses a write to an entry that would overwrite what another author has changed, or what a person is writing.
 * `ifRevision` is not checked here but by `requireRevision`, before the operations are applied.
 * @throws ConflictError whose details match writeConflictSchema
 */
export async function requireUnchanged(
  write: EntryWrite,
  { expects = [], seen, writers = [] }: WriteConditions,
): Promise<void> {
  const { entry, operations } = write;
  const places = [...differingFrom(write, expects), ...(seen ? await changedSinceSeen(write, seen) : [])];
  if (places.length === 0) return requireNoWriters(entry, operations, writers);
  const journal = await write.changes(MAX_CHANGES);
  const changed = places.map(({ sectionId, field }): ChangedValue => {
    const place = { sectionId, field };
    const origin = journal.find((change) => touches(change, place))?.origin;
    return { ...place, value: currentValue(entry.draft, place), by: authorOf(origin) };
  });
  const fields = changed.map(({ sectionId, field }) => [sectionId, field].filter(Boolean).join(' › ')).join(', ');
  throw conflictError(serverText('values-changed', { fields, title: shortTitle(entry.draft.title) }), {
    targetId: entry.id,
    revision: entry.revision,
    changed,
    writers: writersOfReplaced(entry.draft, operations, writers),
  });
}

function authorOf(origin: ChangeOrigin | undefined): ChangedValue['by'] {
  if (origin === undefined) return null;
  const { actor, userName } = origin;
  return { actor, ...(userName !== undefined && { userName }) };
}

/** Expected values that have changed. A changed value that already equals the result of the write is no conflict. */
function differingFrom({ entry, after }: EntryWrite, expected: readonly ExpectedValue[]): FieldPlace[] {
  return expected.filter((each) => {
    const now = currentValue(entry.draft, each);
    return !sameJson(now, each.value) && !sameJson(now, currentValue(after, each));
  });
}

/** The replaced pieces that another author has changed since they were seen, unless they were changed back. */
async function changedSinceSeen(
  { entry, operations, origin, changes, draftAt }: EntryWrite,
  seen: SeenRevisions,
): Promise<FieldPlace[]> {
  const seenAt = (place: FieldPlace) => seen.of(entry.id, seenKey(entry.id, place)) ?? entry.revision;
  const old = replacedPieces(operations).filter((place) => seenAt(place) < entry.revision);
  if (old.length === 0) return [];
  const journal = await changes(MAX_CHANGES);
  const changed: FieldPlace[] = [];
  for (const place of old) {
    const byOthers = journal.filter((change) => change.revision > seenAt(place) && !isOwn(change, origin));
    if (byOthers.length === 0) continue;
    const former = await draftAt(seenAt(place));
    // If another person was typing at that time, the seen state is no longer stored, but the later change is known.
    const isChanged =
      former === null ? byOthers.some((change) => touches(change, place)) : !isSamePiece(former, entry.draft, place);
    if (isChanged) changed.push(place);
  }
  return changed;
}

/** A section that no longer exists is refused by the write itself; one that did not exist yet has not been seen. */
function isSamePiece(former: EntryDocument, present: EntryDocument, place: FieldPlace): boolean {
  const [before, now] = [currentValue(former, place), currentValue(present, place)];
  return (place.sectionId !== null && (before === null || now === null)) || sameJson(before, now);
}

/** True for a change by the same conversation. */
function isOwn({ origin }: ChangeSet, { sessionId }: ChangeOrigin): boolean {
  return origin.actor === 'assistant' && origin.sessionId === sessionId;
}

/** The writers who are in a field that operations replace, with its value. */
function writersOfReplaced(
  draft: EntryDocument,
  operations: readonly PatchOp[],
  writers: readonly Writer[],
): WriteConflict['writers'] {
  if (writers.length === 0) return [];
  return valuesReplacedBy(draft, operations).flatMap((value) =>
    writers
      .filter(({ sectionId, field }) => sectionId === value.sectionId && isWithin(field, value.field))
      .map(({ name }) => ({ ...value, name })),
  );
}

/** True if a written field (`items.2.question`) is part of a replaced one; null: all fields of a section are replaced. */
function isWithin(written: string, replaced: string | null): boolean {
  return replaced === null || written.split('.')[0] === replaced;
}

/**
 * Refuses operations that replace a field in which a person is writing.
 * @throws ConflictError whose details match writeConflictSchema
 */
export function requireNoWriters(entry: Entry, operations: readonly PatchOp[], writers: readonly Writer[]): void {
  const inUse = writersOfReplaced(entry.draft, operations, writers);
  if (inUse.length === 0) return;
  throw conflictError(`Not saved: somebody is writing in "${shortTitle(entry.draft.title)}" where this would write.`, {
    targetId: entry.id,
    revision: entry.revision,
    changed: [],
    writers: inUse,
  });
}

/** A write to the menu, the settings or the standing instructions. */
interface DocumentWrite {
  readonly id: string;
  /** In a sentence: `menu`. */
  readonly name: string;
  readonly revision: number;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly origin: ChangeOrigin;
  /** Reads the changes of the document above a revision with the values before and after them, oldest first. */
  readonly journal: (
    above: number,
  ) => Promise<readonly { readonly change: ChangeSet; readonly before: JsonValue; readonly after: JsonValue }[]>;
}

/**
 * Refuses a write to a document of the site that would overwrite what another author has changed. Settings are compared
 * one by one; the menu is one value.
 * @throws ConflictError whose details match writeConflictSchema
 */
export async function requireDocumentUnchanged(write: DocumentWrite, conditions: WriteConditions): Promise<void> {
  const { id, name, revision, before, after, origin, journal } = write;
  const message = (present: number, expected: number) =>
    `The ${name} changed meanwhile: revision ${present}, not ${expected}. Read again.`;
  requireRevision({ id, revision, message }, conditions);
  const seenAt = (field: string | null) =>
    conditions.seen?.of(id, field === null ? id : seenKey(id, { sectionId: null, field })) ?? revision;
  const old = differences(before, after).filter((field) => seenAt(field) < revision);
  if (old.length === 0) return;
  const byOthers = (await journal(Math.min(...old.map(seenAt)))).filter(({ change }) => !isOwn(change, origin));
  const changed = old.flatMap((field): ChangedValue[] => {
    const last = byOthers.findLast(
      (line) => line.change.revision > seenAt(field) && differences(line.before, line.after).includes(field),
    );
    const value = field === null || !isJsonObject(before) ? before : (before[field] ?? null);
    return last === undefined ? [] : [{ sectionId: null, field, value, by: authorOf(last.change.origin) }];
  });
  if (changed.length === 0) return;
  const fields = changed.flatMap(({ field }) => field ?? []).join(', ');
  throw conflictError(`Not saved: somebody else has changed ${fields === '' ? `the ${name}` : fields} meanwhile.`, {
    targetId: id,
    revision,
    changed,
    writers: [],
  });
}

/** Names of the fields that differ; `[null]` for two different values without fields. */
function differences(before: JsonValue, after: JsonValue): (string | null)[] {
  if (sameJson(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [null];
  return Object.keys({ ...before, ...after }).filter((name) => !sameJson(before[name] ?? null, after[name] ?? null));
}
