import { commitAsset } from '#server/content/embedded/assets';
import {
  blockersOf,
  chainsOf,
  type ChangeChain,
  standsAt,
  subjectOf,
  tailOf,
} from '#server/content/embedded/change-chains';
import {
  type AssetState,
  assetStateFromJson,
  type ContentTransaction,
  type JournalEntry,
  type JournalLine,
  type WriteContext,
} from '#server/content/embedded/content-store';
import {
  commitSiteDocument,
  readNavigation,
  readSettings,
  readStanding,
  settingsFromJson,
  standingFromJson,
} from '#server/content/embedded/site-document-writes';
import { undoEntryChange } from '#server/content/embedded/undo-entry';
import { changedSettings } from '#server/content/site-settings';
import { withoutStandingChange } from '#server/content/standing-instructions';
import { broughtBackTo } from '#server/core/ids';
import type { Undone, UndoneTogether } from '#server/content/content-backend';
import type { ChangeSet, SiteDocumentKey } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { type JsonValue, toJson } from '#server/core/json';

/** Links an undo to the newest change of a chain, and marks which changes of the chain are now in effect. */
export async function linkUndo(tx: ContentTransaction, chain: ChangeChain, undo: ChangeSet): Promise<void> {
  await tx.setUndoes(undo.id, tailOf(chain).change.id);
  await tx.setUndoneBy(tailOf(chain).change.id, undo.id);
  for (const [index, { change }] of chain.slice(0, -1).entries()) {
    if (change.action === 'undo') continue;
    await tx.setUndoneBy(change.id, standsAt(chain, index) ? undo.id : null);
  }
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

/** Sentence about later changes that an undo would lose. */
export function lossMessage(blockers: readonly ChangeSet[]): string {
  const named = blockers.slice(0, 3).map(({ summary, id }) => `${summary} (${id})`);
  const rest = blockers.length > 3 ? `, and ${blockers.length - 3} more` : '';
  return `Later changes would be lost: ${named.join('; ')}${rest}. Undo them first.`;
}

/** The change to undo: the named one, or the session's newest that is in effect. */
async function chooseChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  sessionId: string | undefined,
): Promise<ChangeSet> {
  if (changeId === undefined && sessionId === undefined) throw new InvalidInputError('Say which change to undo.');
  const id = changeId ?? (await tx.newestStandingChange(sessionId ?? ''))?.id;
  if (id === undefined) throw new ConflictError('There is nothing to undo.');
  const record = await tx.journalEntry(id);
  if (record === null) throw new NotFoundError('change', id.slice(0, 80));
  const { change } = record;
  if (change.undoneBy === null) return change;
  throw new ConflictError(`"${change.summary}" was already undone by ${change.undoneBy}.`);
}

/** A chain, with all of its target's journal. */
interface FoundChain {
  readonly chain: ChangeChain;
  readonly journal: readonly JournalLine[];
  readonly chains: readonly ChangeChain[];
}

async function chainOf(tx: ContentTransaction, { id, targetId }: ChangeSet): Promise<FoundChain> {
  const journal = await tx.journalOf(targetId);
  const chains = chainsOf(journal);
  const chain = chains.find((each) => each.some(({ change }) => change.id === id));
  if (chain === undefined) throw new NotFoundError('change', id);
  return { chain, journal, chains };
}

/** Most entries of one edit. */
const MAX_TOGETHER = 1_000;

/** The chains of the other changes that were made in one edit with this one, and stand as it does. */
async function madeTogether(tx: ContentTransaction, chain: ChangeChain): Promise<FoundChain[]> {
  const [{ change }] = chain;
  const { sessionId, turnId, toolCallId } = change.origin;
  const isBroughtBack = broughtBackTo(toolCallId) !== null;
  if (toolCallId === undefined || (change.action !== 'update' && !isBroughtBack)) return [];
  const ofCall = await tx.changes({ sessionId, turnId, toolCallId, limit: MAX_TOGETHER });
  const others = ofCall.filter(
    ({ id, action, createdAt }) =>
      id !== change.id &&
      createdAt === change.createdAt &&
      (action === 'update' || (isBroughtBack && action !== 'undo')),
  );
  const found = await Promise.all(others.map((other) => chainOf(tx, other)));
  return found.filter((other) => standsAt(other.chain, 0) === standsAt(chain, 0));
}

/** See ContentBackend.undo. Undoing an undo brings the first change back into effect. */
export async function undoChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  context: WriteContext,
): Promise<Undone> {
  const change = await chooseChange(tx, changeId, context.origin.sessionId);
  const named = await chainOf(tx, change);
  if (change.action === 'undo' && subjectOf(named.chain).verb === 'Undid') {
    throw new ConflictError(`"${change.summary}" brought a change back; undo that change itself.`);
  }
  const undone = await undoThese(tx, { changeIds: [change.id], along: false }, context);
  const first = undone.find(({ targetId }) => targetId === change.targetId);
  const together = undone.filter((each) => each !== first);
  return { ...first!, ...(together.length > 0 && { together }) };
}

/**
 * Takes back changes that are in effect, with what was made in one edit with them, the newest first, so that each finds
 * the content as it left it. `along`: with all later ones in the same places, which else are a ConflictError.
 */
export async function undoThese(
  tx: ContentTransaction,
  { changeIds, along }: UndoneTogether,
  context: WriteContext,
): Promise<readonly ChangeSet[]> {
  const all = new Map<string, FoundChain>();
  const waiting = [...changeIds];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const record = await tx.journalEntry(id);
    if (record === null) throw new NotFoundError('change', id.slice(0, 80));
    if (record.change.undoneBy !== null) continue;
    const found = await chainOf(tx, record.change);
    for (const each of [found, ...(await madeTogether(tx, found.chain))]) {
      const key = tailOf(each.chain).change.id;
      if (all.has(key)) continue;
      all.set(key, each);
      if (along) waiting.push(...blockersOf(each.chain, each.chains).map((blocker) => blocker.id));
    }
  }
  const chosen = [...all.values()].toSorted((a, b) => tailOf(b.chain).seq - tailOf(a.chain).seq);
  const ids = new Set(chosen.flatMap(({ chain }) => chain.map(({ change }) => change.id)));
  const lost = chosen.flatMap(({ chain, chains }) => blockersOf(chain, chains)).filter(({ id }) => !ids.has(id));
  if (lost.length > 0) throw new ConflictError(lossMessage(lost), { details: { changes: lost.map(({ id }) => id) } });
  const journals = new Map<string, readonly JournalLine[]>();
  const undone: ChangeSet[] = [];
  for (const { chain, journal } of chosen) {
    const { targetId } = chain[0].change;
    const after = await takeBack(tx, chain, journals.get(targetId) ?? journal, context);
    journals.set(targetId, after);
    undone.push(newestOf(after));
  }
  return undone;
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
