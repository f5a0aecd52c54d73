import { applyOperations } from '#server/content/document-operations';
import { commitEntry } from '#server/content/embedded/commit-entry';
import {
  type AssetState,
  assetStateFromJson,
  type ContentTransaction,
  type JournalEntry,
  type JournalLine,
  type WriteContext,
} from '#server/content/embedded/content-store';
import { NO_PLAN, samePlan, stateFromJson, stateOf, stillAhead } from '#server/content/embedded/entry-state';
import { type EntryDocument, type PatchOp, sameDocument } from '#server/core/content';
import type { ChangeSet, SiteDocumentKey } from '#server/core/changes';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { type JsonValue, sameJson, toJson } from '#server/core/json';
import { homeOnceAt } from '#server/content/embedded/home-page';
import { quotedTitle } from '#server/content/change-summary';
import { commitAsset } from '#server/content/embedded/assets';
import { type ChangeChain, linkUndo, subjectOf, tailOf } from '#server/content/embedded/change-chains';
import {
  commitSiteDocument,
  readNavigation,
  readSettings,
  readStanding,
  settingsFromJson,
  standingFromJson,
} from '#server/content/embedded/site-document-writes';
import { changedSettings } from '#server/content/site-settings';
import { withoutStandingChange } from '#server/content/standing-instructions';

/* Takes one recorded change back: of an entry, a picture or a document of the site. */

/**
 * Takes back the newest of a chain, whatever came after it.
 * @returns the target's journal with the undo at its end
 */
export async function takeBack(
  tx: ContentTransaction,
  chain: ChangeChain,
  journal: readonly JournalLine[],
  context: WriteContext,
): Promise<[...JournalLine[], JournalLine]> {
  const tail = tailOf(chain);
  const record = await tx.journalEntry(tail.change.id);
  if (record === null) throw new NotFoundError('change', tail.change.id);
  const { verb, change } = subjectOf(chain);
  const undo = await undoRecord(tx, record, journal, `${verb}: ${change.summary}`, context);
  await linkUndo(tx, chain, undo);
  const seq = (journal.at(-1)?.seq ?? 0) + 1;
  return [...journal, { ...tail, change: undo, seq, undoes: tail.change.id }];
}

/** The undo at the end of a journal. */
export function newestOf(journal: readonly [...JournalLine[], JournalLine]): ChangeSet {
  return (journal.at(-1) as JournalLine).change;
}

async function undoRecord(
  tx: ContentTransaction,
  record: JournalEntry,
  journal: readonly JournalLine[],
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const { targetType } = record.change;
  if (targetType === 'page' || targetType === 'post') return undoEntryChange(tx, record, journal, summary, context);
  if (targetType === 'asset') return undoAssetChange(tx, record, summary, context);
  return undoSiteDocumentChange(tx, targetType, record, summary, context);
}

/** The section that an operation gives a place. */
function placedBy(operation: PatchOp): string[] {
  if (operation.op === 'insert-section') return [operation.section.id];
  return operation.op === 'move-section' ? [operation.sectionId] : [];
}

/** The order of an entry's sections once `change` is taken back: each where it was, among what others put there. */
async function orderWithout(
  tx: ContentTransaction,
  change: ChangeSet,
  journal: readonly JournalLine[],
): Promise<string[]> {
  const first = await tx.journalEntryAt(change.targetId, 1);
  const start = first === null ? null : stateFromJson(first.before ?? first.after);
  const steps = journal.map(({ change: { id, operations }, undoes }) => ({ id, undoes, operations }));
  const undo = { id: '', undoes: change.id, operations: [] };
  return orderAfter(
    (start?.draft.sections ?? []).map(({ id }) => id),
    [...steps, undo],
  );
}

/** Moves of just these sections that bring them where `order` has them; none where it does not name what is there. */
function movesInto(order: readonly string[], { sections }: EntryDocument, movable: ReadonlySet<string>): PatchOp[] {
  let present = sections.map(({ id }) => id);
  if (present.length !== order.length || !present.every((id) => order.includes(id))) return [];
  return order.flatMap((sectionId, place): PatchOp[] => {
    const former = order[place - 1];
    const others = present.filter((id) => id !== sectionId);
    const index = former === undefined ? 0 : others.indexOf(former) + 1;
    if (!movable.has(sectionId) || present[index] === sectionId) return [];
    present = others.toSpliced(index, 0, sectionId);
    return [{ op: 'move-section', sectionId, index }];
  });
}

/** Operations that undo a change; each section returns to its place among the current ones. */
async function revertingOperations(
  tx: ContentTransaction,
  { change }: JournalEntry,
  journal: readonly JournalLine[],
  draft: EntryDocument,
): Promise<readonly PatchOp[]> {
  const { inverse } = change;
  const placed = new Set(inverse.flatMap(placedBy));
  if (placed.size === 0) return inverse;
  const { document } = applyOperations(draft, inverse);
  return [...inverse, ...movesInto(await orderWithout(tx, change, journal), document, placed)];
}

/**
 * Takes a change to an entry back: what it altered is as it was, the rest stays as it is by now. What came later must
 * have been looked at before.
 * @throws ConflictError for a slug or section id that is taken since
 */
async function undoEntryChange(
  tx: ContentTransaction,
  record: JournalEntry,
  journal: readonly JournalLine[],
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const { change } = record;
  const current = await tx.entry(change.targetId);
  if (current === null) throw new NotFoundError('entry', change.targetId);
  const [former, latter] = [stateFromJson(record.before), stateFromJson(record.after)];
  const applied = applyOperations(current.draft, await revertingOperations(tx, record, journal, current.draft));
  const altersExistence = former === null || former.deletedAt !== latter?.deletedAt;
  const plan = stillAhead(former, context.now);
  const altersPlan = former !== null && !samePlan(former, latter ?? NO_PLAN);
  const losesPlan = altersPlan && plan.publishAt !== former.publishAt && change.origin.actor !== 'schedule';
  const altersPublication = former !== null && !sameDocument(former.published, latter?.published ?? null);
  const altersMarks = former !== null && !sameJson(former.marks, latter?.marks);
  const { change: undo } = await commitEntry(tx, {
    ...context,
    id: current.id,
    type: current.type,
    before: current,
    after: stateOf({
      ...current,
      draft: applied.document,
      ...(altersPublication && { published: former.published, publishedAt: former.publishedAt }),
      ...(altersPlan && plan),
      ...(altersExistence && { deletedAt: former === null ? context.now : former.deletedAt }),
      ...(altersMarks && { marks: former.marks }),
    }),
    action: 'undo',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: losesPlan ? `${summary} (the time it was planned for has passed)` : summary,
  });
  return undo;
}

/** One change to an order, or the taking back of one. */
export interface OrderStep {
  readonly id: string;
  /** The step that it takes back; null: its operations say what it does. */
  readonly undoes: string | null;
  readonly operations: readonly PatchOp[];
}

/** A place that a section was put to. It stays when the section leaves, so that it can come back to it. */
interface SectionPlace {
  readonly sectionId: string;
  isTaken: boolean;
}

/** Places that a step gave up and took, in its order. */
interface Move {
  readonly left: SectionPlace | undefined;
  readonly taken: SectionPlace | undefined;
}

/** All places that sections ever had, in one order that never changes. */
class Places {
  readonly #places: SectionPlace[];

  constructor(sectionIds: readonly string[]) {
    this.#places = sectionIds.map((sectionId) => ({ sectionId, isTaken: true }));
  }

  get order(): string[] {
    return this.#places.filter(({ isTaken }) => isTaken).map(({ sectionId }) => sectionId);
  }

  leave(sectionId: string): SectionPlace | undefined {
    const place = this.#places.find((each) => each.isTaken && each.sectionId === sectionId);
    if (place !== undefined) place.isTaken = false;
    return place;
  }

  /** Right after what is at `index - 1` now. */
  take(sectionId: string, index: number): SectionPlace {
    const place = { sectionId, isTaken: true };
    const taken = this.#places.filter(({ isTaken }) => isTaken);
    const former = taken[Math.min(index, taken.length) - 1];
    this.#places.splice(former === undefined ? 0 : this.#places.indexOf(former) + 1, 0, place);
    return place;
  }
}

function moveFor(places: Places, operation: PatchOp): Move[] {
  switch (operation.op) {
    case 'insert-section':
      return [{ left: undefined, taken: places.take(operation.section.id, operation.index ?? Infinity) }];
    case 'remove-section':
      return [{ left: places.leave(operation.sectionId), taken: undefined }];
    case 'move-section': {
      const left = places.leave(operation.sectionId);
      return [{ left, taken: places.take(operation.sectionId, operation.index) }];
    }
    default:
      return [];
  }
}

function reversed(moves: readonly Move[]): Move[] {
  return moves.map(({ left, taken }) => ({ left: taken, taken: left })).toReversed();
}

function goBack({ left, taken }: Move): void {
  if (left !== undefined) left.isTaken = false;
  if (taken !== undefined) taken.isTaken = true;
}

/**
 * The order of sections after some steps, from the order before them. Indexes mean what they meant when the step was
 * made; taking a step back gives its sections the places that they had, among whatever is there by then. So the order
 * only depends on which steps stand, not on the order in which others were taken back.
 */
export function orderAfter(sectionIds: readonly string[], steps: readonly OrderStep[]): string[] {
  const places = new Places(sectionIds);
  const done = new Map<string, readonly Move[]>();
  for (const { id, undoes, operations } of steps) {
    const former = undoes === null ? undefined : done.get(undoes);
    const moves =
      former === undefined ? operations.flatMap((operation) => moveFor(places, operation)) : reversed(former);
    if (former !== undefined) moves.forEach(goBack);
    done.set(id, moves);
  }
  return places.order;
}

/** Fields of an asset that belong together: its bytes go with everything read from them. */
const FIELD_GROUPS = [
  ['hash', 'mediaType', 'size', 'width', 'height'],
  ['filename'],
  ['alt'],
  ['tags'],
  ['deletedAt'],
] as const satisfies readonly (readonly (keyof AssetState)[])[];
type FieldGroup = (typeof FIELD_GROUPS)[number];

/** All of them where it did not exist before. */
function alteredGroups({ before, after }: JournalEntry): readonly FieldGroup[] {
  const [former, latter] = [assetStateFromJson(before), assetStateFromJson(after)];
  return FIELD_GROUPS.filter((group) =>
    group.some((field) => JSON.stringify(former?.[field]) !== JSON.stringify(latter?.[field])),
  );
}

/** Takes a change to an asset back: what it altered is as it was. What came later must have been looked at before. */
async function undoAssetChange(
  tx: ContentTransaction,
  record: JournalEntry,
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const id = record.change.targetId;
  const current = await tx.asset(id);
  if (current === null) throw new NotFoundError('picture', id);
  const former = assetStateFromJson(record.before);
  const restored = Object.fromEntries(
    former === null ? [] : alteredGroups(record).flatMap((group) => group.map((field) => [field, former[field]])),
  ) as Partial<AssetState>;
  const after = { ...current, ...(former === null ? { deletedAt: context.now } : restored) };
  const { change } = await commitAsset(tx, { ...context, id, before: current, after, action: 'undo', summary });
  return change;
}

interface Values {
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** The current value, and the value without one change; its other parts keep their current values. */
const withoutChange: Record<SiteDocumentKey, (tx: ContentTransaction, record: JournalEntry) => Promise<Values>> = {
  navigation: async (tx, record) => ({ before: toJson(await readNavigation(tx)), after: record.before }),

  settings: async (tx, record) => {
    const before = await readSettings(tx);
    const former = settingsFromJson(record.before);
    const names = changedSettings(former, settingsFromJson(record.after));
    const home = names.includes('homeSlug') ? await homeOnceAt(tx, former.homeSlug) : null;
    if (home !== null) {
      const title = quotedTitle(home.draft.title);
      throw new ConflictError(`${title} is not published as "${former.homeSlug}" any more: undo its publication.`);
    }
    const after = { ...before, ...Object.fromEntries(names.map((name) => [name, former[name]])) };
    return { before: toJson(before), after: toJson(after) };
  },

  'standing-instructions': async (tx, record) => {
    const { revision: _revision, ...before } = await readStanding(tx);
    const after = withoutStandingChange(before, standingFromJson(record.before), standingFromJson(record.after));
    if (after === null) throw new ConflictError(`${record.change.summary}: it was changed again since.`);
    return { before: toJson(before), after: toJson(after) };
  },
};

/** Takes a change to a site document back. What came later must have been looked at before. */
async function undoSiteDocumentChange(
  tx: ContentTransaction,
  key: SiteDocumentKey,
  record: JournalEntry,
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const values = await withoutChange[key](tx, record);
  return commitSiteDocument(tx, { ...context, ...values, key, action: 'undo', summary });
}
