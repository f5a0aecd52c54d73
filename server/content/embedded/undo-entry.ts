import { applyOperations } from '#server/content/apply-operations';
import { commitEntry } from '#server/content/embedded/commit-entry';
import type { ContentTransaction, JournalEntry, JournalLine } from '#server/content/embedded/content-store';
import {
  NO_PLAN,
  sameDocument,
  samePlan,
  stateFromJson,
  stateOf,
  stillAhead,
} from '#server/content/embedded/entry-state';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import { orderAfter } from '#server/content/section-order';
import type { ChangeSet, EntryDocument, PatchOp } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

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

/** What takes the operations of a change back, each section to where it was among what is there by now. */
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
export async function undoEntryChange(
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
  const { change: undo } = await commitEntry(tx, {
    ...context,
    id: current.id,
    type: current.type,
    before: current,
    after: {
      ...stateOf(current),
      draft: applied.document,
      ...(altersPublication && { published: former.published, publishedAt: former.publishedAt }),
      ...(altersPlan && plan),
      ...(altersExistence && { deletedAt: former === null ? context.now : former.deletedAt }),
    },
    action: 'undo',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: losesPlan ? `${summary} (the time it was planned for has passed)` : summary,
  });
  return undo;
}
