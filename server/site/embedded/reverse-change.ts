import { applyOperations } from '#server/site/document-operations';
import { commitEntry } from '#server/site/embedded/commit-entry';
import type { ContentTransaction, JournalEntry, JournalLine, WriteContext } from '#server/site/embedded/content-store';
import { type AssetState, assetStateFromJson } from '#server/site/embedded/asset-state';
import { NO_SCHEDULE, sameSchedule, stateFromJson, stateOf, upcomingSchedule } from '#server/site/embedded/entry-state';
import { type EntryDocument, type PatchOp, sameDocument } from '#server/core/site/content';
import type { ChangeSet, SiteDocumentKey } from '#server/core/site/changes';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { type JsonValue, sameJson, toJson } from '#server/core/json';
import { serverText } from '#server/core/messages/server-text';
import { homeOnceAt } from '#server/site/embedded/home-page';
import { changeText, quotedTitle, summarizeUndo } from '#server/site/change-summary';
import { commitAsset } from '#server/site/embedded/assets';
import { type ChangeChain, linkUndo, undoneSubject, tailOf } from '#server/site/embedded/change-chains';
import {
  commitSiteDocument,
  readNavigation,
  readSettings,
  readStanding,
  settingsFromJson,
  standingFromJson,
} from '#server/site/embedded/site-settings-writes';
import { designFromJson, readStoredDesign } from '#server/site/embedded/design-writes';
import { changedParts } from '#server/core/site/design/design';
import { changedSettings } from '#server/site/site-settings';
import { orderAfter } from '#server/site/section-order';
import { withoutStandingChange } from '#server/site/standing-changes';
import type { ServerText } from '#server/core/coded-message';

/* Undoes one recorded change: of an entry, a picture or a document of the site. */

/**
 * Undoes the newest change of a chain, regardless of later changes.
 * @returns the target's journal with the undo at its end
 */
export async function reverseChange(
  tx: ContentTransaction,
  chain: ChangeChain,
  journal: readonly JournalLine[],
  context: WriteContext,
): Promise<[...JournalLine[], JournalLine]> {
  const tail = tailOf(chain);
  const record = await tx.journalEntry(tail.change.id);
  if (record === null) throw new NotFoundError('change', tail.change.id);
  const undo = await undoRecord(tx, record, journal, summarizeUndo(undoneSubject(chain)), context);
  await linkUndo(tx, chain, undo);
  const seq = (journal.at(-1)?.seq ?? 0) + 1;
  return [...journal, { ...tail, change: undo, seq, undoes: tail.change.id }];
}

/** The newest change of a journal, which `reverseChange` returned. */
export function newestOf(journal: readonly [...JournalLine[], JournalLine]): ChangeSet {
  return (journal.at(-1) as JournalLine).change;
}

async function undoRecord(
  tx: ContentTransaction,
  record: JournalEntry,
  journal: readonly JournalLine[],
  summary: ServerText,
  context: WriteContext,
): Promise<ChangeSet> {
  const { targetType } = record.change;
  if (targetType === 'page' || targetType === 'post') return undoEntryChange(tx, record, journal, summary, context);
  if (targetType === 'asset') return undoAssetChange(tx, record, summary, context);
  return undoSiteDocumentChange(tx, targetType, record, summary, context);
}

/** The section that an operation places. */
function placedSections(operation: PatchOp): string[] {
  if (operation.op === 'insert-section') return [operation.section.id];
  return operation.op === 'move-section' ? [operation.sectionId] : [];
}

/**
 * The order of an entry's sections after `change` is undone; see `section-order`.
 */
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

/**
 * Moves of only these sections that bring them to their places in `order`; none if `order` does not match the current
 * sections.
 */
function movesTo(order: readonly string[], { sections }: EntryDocument, movable: ReadonlySet<string>): PatchOp[] {
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

/** Operations that undo a change; each section returns to its former place among the current ones. */
async function revertingOperations(
  tx: ContentTransaction,
  { change }: JournalEntry,
  journal: readonly JournalLine[],
  draft: EntryDocument,
): Promise<readonly PatchOp[]> {
  const { inverse } = change;
  const placed = new Set(inverse.flatMap(placedSections));
  if (placed.size === 0) return inverse;
  const { document } = applyOperations(draft, inverse);
  return [...inverse, ...movesTo(await orderWithout(tx, change, journal), document, placed)];
}

/**
 * Undoes a change to an entry: what it altered returns to the former state, the rest keeps its current state. The
 * caller must have checked later changes before.
 * @throws ConflictError for a slug or section id that has been taken since
 */
async function undoEntryChange(
  tx: ContentTransaction,
  record: JournalEntry,
  journal: readonly JournalLine[],
  summary: ServerText,
  context: WriteContext,
): Promise<ChangeSet> {
  const { change } = record;
  const current = await tx.entry(change.targetId);
  if (current === null) throw new NotFoundError('entry', change.targetId);
  const [former, latter] = [stateFromJson(record.before), stateFromJson(record.after)];
  const applied = applyOperations(current.draft, await revertingOperations(tx, record, journal, current.draft));
  const altersExistence = former === null || former.deletedAt !== latter?.deletedAt;
  const plan = upcomingSchedule(former, context.now);
  const altersSchedule = former !== null && !sameSchedule(former, latter ?? NO_SCHEDULE);
  const losesSchedule = altersSchedule && plan.publishAt !== former.publishAt && change.origin.actor !== 'schedule';
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
      ...(altersSchedule && plan),
      ...(altersExistence && { deletedAt: former === null ? context.now : former.deletedAt }),
      ...(altersMarks && { marks: former.marks }),
    }),
    action: 'undo',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: losesSchedule ? serverText('journal-plan-passed', { change: summary }) : summary,
  });
  return undo;
}

/** Fields of an asset that belong together: its bytes, and all data read from them. */
const FIELD_GROUPS = [
  ['hash', 'mediaType', 'size', 'width', 'height'],
  ['filename'],
  ['alt'],
  ['tags'],
  ['deletedAt'],
] as const satisfies readonly (readonly (keyof AssetState)[])[];
type FieldGroup = (typeof FIELD_GROUPS)[number];

/** The groups whose fields a change altered; all groups if the asset did not exist before. */
function alteredGroups({ before, after }: JournalEntry): readonly FieldGroup[] {
  const [former, latter] = [assetStateFromJson(before), assetStateFromJson(after)];
  return FIELD_GROUPS.filter((group) =>
    group.some((field) => JSON.stringify(former?.[field]) !== JSON.stringify(latter?.[field])),
  );
}

/**
 * Undoes a change to an asset: what it altered returns to the former state. The caller must have checked later changes
 * before.
 */
async function undoAssetChange(
  tx: ContentTransaction,
  record: JournalEntry,
  summary: ServerText,
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
      throw new ConflictError(serverText('home-not-published', { title, slug: former.homeSlug }));
    }
    const after = { ...before, ...Object.fromEntries(names.map((name) => [name, former[name]])) };
    return { before: toJson(before), after: toJson(after) };
  },

  'standing-instructions': async (tx, record) => {
    const { revision: _revision, ...before } = await readStanding(tx);
    const after = withoutStandingChange(before, standingFromJson(record.before), standingFromJson(record.after));
    if (after === null) throw new ConflictError(serverText('changed-again', { text: changeText(record.change) }));
    return { before: toJson(before), after: toJson(after) };
  },

  design: async (tx, record) => {
    const before = await readStoredDesign(tx);
    const [former, latter] = [designFromJson(record.before), designFromJson(record.after)];
    const parts = changedParts(former, latter).map((name) => [name, former[name]]);
    const isPublication = !sameJson(toJson(former.published), toJson(latter.published));
    const published = isPublication ? { published: former.published } : {};
    return { before: toJson(before), after: toJson({ ...before, ...Object.fromEntries(parts), ...published }) };
  },
};

/** Undoes a change to a site document. The caller must have checked later changes before. */
async function undoSiteDocumentChange(
  tx: ContentTransaction,
  key: SiteDocumentKey,
  record: JournalEntry,
  summary: ServerText,
  context: WriteContext,
): Promise<ChangeSet> {
  const values = await withoutChange[key](tx, record);
  return commitSiteDocument(tx, { ...context, ...values, key, action: 'undo', summary });
}
