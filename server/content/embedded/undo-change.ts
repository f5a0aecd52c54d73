import { applyOperations } from '#server/content/apply-operations';
import { commitEntry } from '#server/content/embedded/commit-entry';
import type { ContentTransaction, JournalEntry } from '#server/content/embedded/content-store';
import type { EntryState } from '#server/content/embedded/entry-state';
import { sameDocument, stateFromJson, stateOf } from '#server/content/embedded/entry-state';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import { commitSiteDocument, readSettings, settingsFromJson } from '#server/content/embedded/site-document-writes';
import { operationsOverlap } from '#server/content/overlapping-changes';
import { changedSettings } from '#server/content/site-settings';
import type { ChangeSet } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';

/** What a change to an entry altered, besides the draft (its operations say that). */
interface AlteredState {
  readonly before: EntryState | null;
  readonly existence: boolean;
  readonly publication: boolean;
}

function alteredState(record: JournalEntry): AlteredState {
  const before = stateFromJson(record.before);
  const after = stateFromJson(record.after);
  return {
    before,
    existence: before === null || before.deletedAt !== (after?.deletedAt ?? null),
    publication: before !== null && !sameDocument(before.published, after?.published ?? null),
  };
}

function refuseLoss(lost: readonly JournalEntry[]): void {
  if (lost.length === 0) return;
  const named = lost.slice(0, 3).map(({ change }) => `${change.summary} (${change.id})`);
  const rest = lost.length > 3 ? `, and ${lost.length - 3} more` : '';
  throw new ConflictError(`Later changes would be lost: ${named.join('; ')}${rest}. Undo them first.`, {
    details: { changes: lost.map(({ change }) => change.id) },
  });
}

/** Whether undoing `change` would lose what `later` did to the same entry. */
function losesEntryChange(change: ChangeSet, altered: AlteredState, later: ChangeSet): boolean {
  if (altered.existence || later.action === 'delete') return true;
  if (altered.publication && (later.action === 'publish' || later.action === 'unpublish')) return true;
  return operationsOverlap(change.operations, later.operations);
}

async function undoEntryChange(
  tx: ContentTransaction,
  record: JournalEntry,
  later: readonly JournalEntry[],
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const { change } = record;
  const altered = alteredState(record);
  refuseLoss(later.filter((entry) => losesEntryChange(change, altered, entry.change)));
  const current = await tx.entry(change.targetId);
  if (current === null) throw new NotFoundError('entry', change.targetId);
  const applied = applyOperations(current.draft, change.inverse);
  const former = altered.before;
  const { change: undo } = await commitEntry(tx, {
    ...context,
    id: current.id,
    type: current.type,
    before: current,
    after: {
      ...stateOf(current),
      draft: applied.document,
      ...(altered.publication && former !== null && { published: former.published, publishedAt: former.publishedAt }),
      ...(altered.existence && { deletedAt: former === null ? context.now : former.deletedAt }),
    },
    action: 'undo',
    operations: applied.operations,
    inverse: applied.inverse,
    summary,
  });
  return undo;
}

async function undoNavigationChange(
  tx: ContentTransaction,
  record: JournalEntry,
  later: readonly JournalEntry[],
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  refuseLoss(later);
  const before = (await tx.siteDocument('navigation'))?.value ?? [];
  return commitSiteDocument(tx, {
    ...context,
    key: 'navigation',
    before,
    after: record.before,
    action: 'undo',
    summary,
  });
}

async function undoSettingsChange(
  tx: ContentTransaction,
  record: JournalEntry,
  later: readonly JournalEntry[],
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const changedBy = ({ before, after }: JournalEntry) =>
    changedSettings(settingsFromJson(before), settingsFromJson(after));
  const names = changedBy(record);
  refuseLoss(later.filter((entry) => changedBy(entry).some((name) => names.includes(name))));
  const former = settingsFromJson(record.before);
  const before = await readSettings(tx);
  const after = { ...before, ...Object.fromEntries(names.map((name) => [name, former[name]])) };
  return commitSiteDocument(tx, { ...context, key: 'settings', before, after, action: 'undo', summary });
}

/** The change to take back: the named one, or the session's newest that stands. */
async function chooseChange(tx: ContentTransaction, changeId: string | undefined, sessionId: string | undefined) {
  if (changeId === undefined && sessionId === undefined) throw new InvalidInputError('Say which change to undo.');
  const id = changeId ?? (await tx.newestStandingChange(sessionId ?? ''))?.id;
  if (id === undefined) throw new ConflictError('There is nothing to undo.');
  const record = await tx.journalEntry(id);
  if (record === null) throw new NotFoundError('change', id.slice(0, 80));
  if (record.change.undoneBy !== null) {
    throw new ConflictError(`"${record.change.summary}" was already undone by ${record.change.undoneBy}.`);
  }
  return record;
}

/** See ContentBackend.undo. Undoing an undo brings the first change back, which then stands again. */
export async function undoChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  context: WriteContext,
): Promise<ChangeSet> {
  const record = await chooseChange(tx, changeId, context.origin.sessionId);
  const { change } = record;
  const broughtBack = change.action === 'undo' ? await tx.changeUndoneBy(change.id) : null;
  if (change.action === 'undo' && (broughtBack === null || broughtBack.action === 'undo')) {
    throw new ConflictError(`"${change.summary}" brought a change back; undo that change itself.`);
  }
  const summary = broughtBack === null ? `Undid: ${change.summary}` : `Brought back: ${broughtBack.summary}`;
  const undoTarget =
    change.targetType === 'navigation'
      ? undoNavigationChange
      : change.targetType === 'settings'
        ? undoSettingsChange
        : undoEntryChange;
  const undo = await undoTarget(tx, record, await tx.standingChangesAfter(change.id), summary, context);
  await tx.setUndoneBy(change.id, undo.id);
  if (broughtBack !== null) await tx.setUndoneBy(broughtBack.id, null);
  return undo;
}
