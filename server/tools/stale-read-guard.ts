import type { ContentBackend } from '#server/site/content-backend';
import { documentField } from '#server/site/entry-document';
import type { Entry, EntryDocument, PatchOp } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet, SiteDocumentKey } from '#server/core/site/changes';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { ExpectedValue, FieldPlace } from '#server/core/site/expected-values';
import { valuesReplacedBy } from '#server/core/site/replaced-values';
import { type JsonValue, sameJson } from '#server/core/json';
import type { PresenceStore, Writer } from '#server/core/site/presence';
import { shorten } from '#server/core/text/short-text';
import { touches } from '#server/site/document-paths';

/**
 * Revisions that the model of a conversation has seen: the newest at which it read or wrote an entry (by its id), one
 * section (by the section's id), or one detail (`pag_k2x9d1.title`).
 */
export class SeenRevisions {
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
  /** Key under which its seen revision is recorded. */
  readonly key: string;
  /** Its name in a refusal. */
  readonly name: string;
  readonly read: (document: EntryDocument) => JsonValue | undefined;
  readonly place: FieldPlace;
  /** True if the piece is equal in both states. */
  readonly isSame: (before: EntryDocument, now: EntryDocument) => boolean;
}

/** Largest number of changes that are searched for one by another author. */
const MAX_CHANGES = 100;
/** Largest part of the current content, in characters, that a refusal contains. */
const SHOWN_CHARS = 3_000;

/**
 * The content for the tools of a conversation: a section, detail or setting that another author has changed since the
 * model saw it is not overwritten. The refusal contains the current content, which the model has then seen. All other
 * writes are merged as without this guard. A field with another person's cursor in it is not overwritten either, see
 * besideWriters.
 * @param note called with every piece that a write or a refusal shows
 * @param writersIn default: no people are writing
 */
export function staleReadGuard(
  content: ContentBackend,
  sights: SeenRevisions,
  note: (key: string, revision: number) => void,
  writersIn: PresenceStore['writersIn'] = () => Promise.resolve([]),
): ContentBackend {
  const beside = withPresence(content, writersIn, note);
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
      // No other write to these values may happen between this check and the write; writes elsewhere in the entry may.
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
 * The content for all tools, including those of other programs: a field with a person's cursor in it is not
 * overwritten. The refusal names who is writing there, and contains the current content.
 * @param note called with every piece that a refusal shows
 */
export function withPresence(
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

/** Changes by other authors, newest first, to pieces that were seen before these changes. */
async function changedSinceSeen(
  content: ContentBackend,
  targetId: SiteDocumentKey,
  sights: SeenRevisions,
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

/** Moving or adding a section does not overwrite anything. */
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
  // A piece that no longer exists is refused by the write itself; a piece that did not exist yet has not been seen.
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
  sights: SeenRevisions,
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
    // If another person was typing at that time, the seen state is no longer stored, but the later change is known.
    const isChanged =
      seen === null
        ? journal.some((change) => change.revision > revision && !isOwn(change, origin) && touches(change, piece.place))
        : !piece.isSame(seen, entry.draft);
    if (isChanged) changed.push(piece);
  }
  return changed;
}

/**
 * Null if the journal has no such state: it does not reach back that far, or a person continued typing from that state.
 */
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

/** A value that a write replaces while a person is writing it. */
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
