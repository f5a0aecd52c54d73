import type { ContentBackend } from '#server/content/content-backend';
import { documentField } from '#server/content/entry-document';
import { touches } from '#server/content/document-operations';
import type { Entry, EntryDocument, PatchOp } from '#server/core/content';
import type { ChangeOrigin, ChangeSet, SiteDocumentKey } from '#server/core/changes';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { ExpectedValue } from '#server/core/expected-values';
import { valuesReplacedBy } from '#server/core/replaced-values';
import { type JsonValue, sameJson } from '#server/core/json';
import type { PresenceStore, Writer } from '#server/core/presence';
import { shorten } from '#server/core/short-text';

/**
 * Revisions that a conversation's model has seen: the newest at which it read or wrote an entry (by its id),
 * one section (by the section's id), or one detail (`pag_k2x9d1.title`).
 */
export class Sights {
  readonly #revisions: Map<string, number>;

  constructor(stored: Readonly<Record<string, number>> = {}) {
    this.#revisions = new Map(Object.entries(stored));
  }

  note(key: string, revision: number): void {
    this.#revisions.set(key, Math.max(revision, this.#revisions.get(key) ?? 0));
  }

  /** Revision at which a piece of an entry was last seen; null: never. */
  of(entryId: string, key: string): number | null {
    const seen = [this.#revisions.get(entryId), this.#revisions.get(key)].filter((revision) => revision !== undefined);
    return seen.length === 0 ? null : Math.max(...seen);
  }
}

/** A piece of an entry that a write replaces. */
interface Piece {
  /** By which it is seen. */
  readonly key: string;
  /** Its name in a refusal. */
  readonly name: string;
  readonly read: (document: EntryDocument) => JsonValue | undefined;
  readonly place: Omit<ExpectedValue, 'value'>;
  /** True if nobody has changed it from one state to the other. */
  readonly isSame: (before: EntryDocument, now: EntryDocument) => boolean;
}

/** Changes that are looked at to find one by somebody else. */
const MAX_CHANGES = 100;
/** Characters of what is there now, as a refusal tells it. */
const SHOWN_CHARS = 3_000;

/**
 * The content as a conversation's tools write to it: a section, detail or setting that somebody else has changed since the model
 * saw it is not overwritten. The refusal says what is there now, so the model has seen that by then. Everything else is
 * merged as it is without this. Nor is a field overwritten while somebody's cursor is in it, see besideWriters.
 * @param note told of every piece that is seen by a write or a refusal
 * @param writersIn default: nobody writes by hand
 */
export function guardedContent(
  content: ContentBackend,
  sights: Pick<Sights, 'of'>,
  note: (key: string, revision: number) => void,
  writersIn: PresenceStore['writersIn'] = () => Promise.resolve([]),
): ContentBackend {
  const beside = besideWriters(content, writersIn, note);
  return {
    ...beside,
    async create(entry, origin, options) {
      const written = await content.create(entry, origin, options);
      if (options?.dryRun !== true) note(written.entry.id, written.entry.revision);
      return written;
    },
    async patch(entryId, operations, origin, options = {}) {
      if (options.dryRun === true) return content.patch(entryId, operations, origin, options);
      const entry = await content.get(entryId);
      const pieces = operations.flatMap((operation) => pieceOf(entryId, operation));
      const changed = await changedByOthers(content, entry, pieces, sights, origin);
      if (changed.length > 0) {
        for (const { key } of changed) note(key, entry.revision);
        throw new ConflictError(refusal(entry, changed));
      }
      const isSeen = pieces.some(({ key }) => sights.of(entryId, key) !== null);
      // Nobody may come between this check and the write; whoever writes elsewhere in the entry meanwhile may.
      const expects = isSeen ? valuesReplacedBy(entry.draft, operations) : [];
      const written = await beside.patch(entryId, operations, origin, { ...options, expects });
      for (const { key } of pieces) note(key, written.entry.revision);
      return written;
    },
    async setNavigation(items, origin, options = {}) {
      const [change] = await changedSinceSeen(content, 'navigation', sights, origin);
      if (options.dryRun !== true && change !== undefined) {
        note('navigation', change.revision);
        const now = shown(await content.navigation());
        throw new ConflictError(
          `Not written: somebody else has changed the menu since you saw it. It is now: ${now}. ${KEEP}`,
        );
      }
      const written = await content.setNavigation(items, origin, options);
      if (options.dryRun !== true) note('navigation', written.revision);
      return written;
    },
    async updateSettings(wanted, origin, options = {}) {
      const changes = await changedSinceSeen(content, 'settings', sights, origin);
      const fields = await Promise.all(changes.map(async ({ id }) => (await content.change(id)).fields));
      const altered = new Set(fields.flat().map(({ field }) => field));
      const inBoth = Object.entries(await content.settings()).filter(([name]) => altered.has(name) && name in wanted);
      if (options.dryRun !== true && inBoth.length > 0) {
        note('settings', changes[0]!.revision);
        const names = inBoth.map(([name]) => name).join(', ');
        const now = shown(Object.fromEntries(inBoth));
        throw new ConflictError(
          `Not written: somebody else has changed ${names} of the settings since you saw them. It is now: ${now}. ${KEEP}`,
        );
      }
      const written = await content.updateSettings(wanted, origin, options);
      if (options.dryRun !== true) note('settings', written.revision);
      return written;
    },
  };
}

/**
 * The content as all tools write to it, those of other programs too: a field is not overwritten while somebody's cursor
 * is in it. The refusal says who writes there, and what is there now.
 * @param note told of every piece that a refusal shows
 */
export function besideWriters(
  content: ContentBackend,
  writersIn: PresenceStore['writersIn'],
  note: (key: string, revision: number) => void = () => undefined,
): ContentBackend {
  /** @throws ConflictError */
  async function requireUnused(entryId: string, operations: readonly PatchOp[]): Promise<void> {
    const writers = await writersIn(entryId);
    const entry = writers.length === 0 ? null : await content.find(entryId);
    const inUse = entry === null ? [] : valuesInUse(entry.draft, operations, writers);
    if (entry === null || inUse.length === 0) return;
    for (const { sectionId, field } of inUse) note(sectionId ?? `${entry.id}.${field}`, entry.revision);
    throw new ConflictError(inUseRefusal(entry, inUse));
  }
  async function requireUndoable(changeId: string | undefined, sessionId: string | undefined): Promise<void> {
    const id = changeId ?? (await content.newestStanding(sessionId ?? ''))?.id;
    if (id === undefined) return;
    const { change } = await content.change(id);
    if (change.inverse.length > 0) await requireUnused(change.targetId, change.inverse);
  }
  return {
    ...content,
    async patch(entryId, operations, origin, options) {
      if (options?.dryRun !== true) await requireUnused(entryId, operations);
      return content.patch(entryId, operations, origin, options);
    },
    async patchAll(patches, origin, options) {
      if (options?.dryRun !== true)
        for (const { entryId, operations } of patches) await requireUnused(entryId, operations);
      return content.patchAll(patches, origin, options);
    },
    async undo(changeId, origin, options) {
      if (options?.dryRun !== true) await requireUndoable(changeId, origin.sessionId);
      return content.undo(changeId, origin, options);
    },
  };
}

/** Changes by somebody else of what was seen before them, newest first. */
async function changedSinceSeen(
  content: ContentBackend,
  targetId: SiteDocumentKey,
  sights: Pick<Sights, 'of'>,
  origin: ChangeOrigin,
): Promise<ChangeSet[]> {
  const seen = sights.of(targetId, targetId);
  if (seen === null) return [];
  const journal = await content.changes({ targetId, limit: MAX_CHANGES });
  return journal.filter((change) => change.revision > seen && !isOwn(change, origin));
}

function shown(value: unknown): string {
  return shorten(JSON.stringify(value), SHOWN_CHARS);
}

const KEEP = 'Keep what they wrote unless the user wants otherwise, and write again.';

/** Moving or adding a section takes nothing from anybody. */
function pieceOf(entryId: string, operation: PatchOp): Piece[] {
  if (operation.op === 'set' || operation.op === 'unset') {
    const { field } = operation;
    const read = (document: EntryDocument) => documentField(document, field);
    const isSame = (before: EntryDocument, now: EntryDocument) => sameJson(read(before), read(now));
    return [{ key: `${entryId}.${field}`, name: field, read, place: { sectionId: null, field }, isSame }];
  }
  if (operation.op !== 'set-section' && operation.op !== 'remove-section') return [];
  const { sectionId } = operation;
  const read = ({ sections }: EntryDocument) => sections.find(({ id }) => id === sectionId)?.fields;
  // One that is gone is refused where it is written; one that was not there yet has not been seen.
  const isSame = (before: EntryDocument, now: EntryDocument) => {
    const [former, present] = [read(before), read(now)];
    return former === undefined || present === undefined || sameJson(former, present);
  };
  return [{ key: sectionId, name: sectionId, read, place: { sectionId, field: null }, isSame }];
}

async function changedByOthers(
  content: ContentBackend,
  entry: Entry,
  pieces: readonly Piece[],
  sights: Pick<Sights, 'of'>,
  origin: ChangeOrigin,
): Promise<Piece[]> {
  const old = pieces.filter(({ key }) => (sights.of(entry.id, key) ?? entry.revision) < entry.revision);
  if (old.length === 0) return [];
  const journal = await content.changes({ targetId: entry.id, limit: MAX_CHANGES });
  const changed: Piece[] = [];
  for (const piece of old) {
    const revision = sights.of(entry.id, piece.key)!;
    if (!journal.some((change) => change.revision > revision && !isOwn(change, origin))) continue;
    const seen = await documentAt(content, entry.id, revision);
    // Somebody who was typing then: what it was is gone, that it was changed since is not.
    const isChanged =
      seen === null
        ? journal.some((change) => change.revision > revision && !isOwn(change, origin) && touches(change, piece.place))
        : !piece.isSame(seen, entry.draft);
    if (isChanged) changed.push(piece);
  }
  return changed;
}

/** Null where the journal has no such state: it does not reach back so far, or somebody went on typing from there. */
async function documentAt(content: ContentBackend, id: string, revision: number): Promise<EntryDocument | null> {
  try {
    return await content.version(id, revision);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function isOwn({ origin }: ChangeSet, { sessionId }: ChangeOrigin): boolean {
  return origin.actor === 'assistant' && origin.sessionId === sessionId;
}

function refusal({ id, draft }: Entry, changed: readonly Piece[]): string {
  const now = Object.fromEntries(changed.map(({ name, read }) => [name, read(draft) ?? null]));
  const names = changed.map(({ name }) => name).join(', ');
  return `Not written: somebody else has changed ${names} of "${draft.title}" (${id}) since you saw it. It reads now: ${shown(now)}. ${KEEP}`;
}

/** A value that a write replaces while somebody writes it. */
type ValueInUse = ExpectedValue & { readonly writers: readonly Writer[] };

function valuesInUse(
  draft: EntryDocument,
  operations: readonly PatchOp[],
  writers: readonly Writer[],
): readonly ValueInUse[] {
  if (writers.length === 0) return [];
  return valuesReplacedBy(draft, operations).flatMap((value) => {
    const { sectionId, field } = value;
    const inIt = writers.filter(
      (writer) => writer.sectionId === sectionId && (field === null || writer.field.split('.')[0] === field),
    );
    return inIt.length === 0 ? [] : [{ ...value, writers: inIt }];
  });
}

function inUseRefusal({ id, draft }: Entry, inUse: readonly ValueInUse[]): string {
  const names = [...new Set(inUse.flatMap(({ writers }) => writers.map(({ name }) => name ?? 'The user')))];
  const who = `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} writing there now`;
  const places = inUse.map(({ sectionId, field }) => [sectionId, field].filter((part) => part !== null).join(' › '));
  const now = Object.fromEntries(inUse.map(({ value }, index) => [places[index], value]));
  return `Not written: ${who}, in ${places.join(', ')} of "${draft.title}" (${id}). It reads now: ${shown(now)}. Leave that to them and say so. Other fields and sections can be changed meanwhile, without this one.`;
}
