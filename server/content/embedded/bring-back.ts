import { applyOperations } from '#server/content/apply-operations';
import { quotedTitle } from '#server/content/change-summary';
import type { BringBackSelection } from '#server/content/content-backend';
import { diffDocuments } from '#server/content/diff-documents';
import { commitAsset } from '#server/content/embedded/assets';
import { type ChangeChain, chainsOf, standsAt, tailOf, touchedPaths } from '#server/content/embedded/change-chains';
import { commitEntry, withoutLostParent } from '#server/content/embedded/commit-entry';
import {
  assetStateFromJson,
  assetStateOf,
  type ContentTransaction,
  type JournalLine,
  type WriteContext,
} from '#server/content/embedded/content-store';
import { NO_PLAN, stateOf } from '#server/content/embedded/entry-state';
import { entryStateAt } from '#server/content/embedded/past-site';
import { commitSiteDocument } from '#server/content/embedded/site-document-writes';
import { lossMessage } from '#server/content/embedded/undo-change';
import { bringBackStep, createShortId } from '#server/core/ids';
import {
  type BroughtBack,
  type ChangeOrigin,
  type ChangeSet,
  type Entry,
  entryTypes,
  type SiteDocumentKey,
  siteDocumentKeys,
} from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { sameJson } from '#server/core/json';

/** One thing that is brought back to a place in the journal. */
interface Target {
  readonly id: string;
  readonly seq: number;
  /** The end of each sentence about it: `after: Changed the title`. */
  readonly point: string;
}

/** See ContentBackend.bringBack. */
export async function bringBack(
  tx: ContentTransaction,
  changeId: string,
  selection: BringBackSelection,
  { origin, now }: WriteContext,
  overOthers: boolean,
): Promise<BroughtBack> {
  const record = await tx.journalEntry(changeId);
  const seq = await tx.seqOf(changeId);
  if (record === null || seq === null) throw new NotFoundError('change', changeId.slice(0, 80));
  const sessionId = 'sessionId' in selection ? selection.sessionId : origin.sessionId;
  const ids = selection.targetId === undefined ? await tx.targetsOfSession(sessionId ?? '') : [selection.targetId];
  const later: JournalLine[] = [];
  const targets: Target[] = [];
  for (const id of ids) {
    const lost = laterSteps(await tx.journalOf(id), seq);
    const isOurs = lost.some(({ change }) => change.origin.sessionId === sessionId);
    // Of a session's things only those that it changed since.
    if (lost.length === 0 || (selection.targetId === undefined && !isOurs)) continue;
    later.push(...lost);
    targets.push({ id, seq, point: record.change.summary });
  }
  const newestFirst = later.toSorted((a, b) => b.seq - a.seq).map(({ change }) => change);
  const others = newestFirst.filter((change) => isOfOthers(change, sessionId, origin));
  const along = newestFirst.filter((change) => !others.includes(change));
  if (others.length > 0 && !overOthers) {
    throw new ConflictError(lossMessage(others), { details: { changes: others.map(({ id }) => id) } });
  }
  const step = { ...origin, toolCallId: bringBackStep(changeId, createShortId('chg').slice(4)) };
  const changes: ChangeSet[] = [];
  for (const target of await inOrder(tx, targets)) {
    const change = await writeBack(tx, target, { origin: step, now });
    if (change !== null) changes.push(change);
  }
  if (changes.length === 0) throw new ConflictError('Nothing was changed since: it is as it was then.');
  return { changes, along, others };
}

/** Steps after a place of the journal whose effect goes: those that stand, and undos of what stood then. */
function laterSteps(journal: readonly JournalLine[], seq: number): JournalLine[] {
  return chainsOf(journal).flatMap((chain) => {
    const until = chain.findLastIndex((line) => line.seq <= seq);
    const isLater = tailOf(chain).seq > seq;
    const stood = until >= 0 && until % 2 === 0;
    if (!isLater || stood === standsAt(chain, 0) || concernsVisitorsOnly(chain)) return [];
    return [until < 0 ? chain[0] : tailOf(chain)];
  });
}

/** Publications, and plans of them, stay. */
function concernsVisitorsOnly(chain: ChangeChain): boolean {
  return touchedPaths(chain).every((path) => path === 'published' || path === 'publishAt');
}

function isOfOthers({ origin }: ChangeSet, sessionId: string | undefined, by: ChangeOrigin): boolean {
  if (sessionId !== undefined && origin.sessionId === sessionId) return false;
  return origin.actor !== 'user' || origin.userId !== by.userId;
}

/** Puts removals first, to free addresses. */
async function inOrder(tx: ContentTransaction, targets: readonly Target[]): Promise<Target[]> {
  const leaving = await Promise.all(
    targets.map(async ({ id, seq }) => {
      const state = isEntryId(id) ? await entryStateAt(tx, id, seq) : undefined;
      return state === null || (state !== undefined && state.deletedAt !== null);
    }),
  );
  return [...targets.filter((_, index) => leaving[index]), ...targets.filter((_, index) => !leaving[index])];
}

function isEntryId(id: string): boolean {
  return /^(pag|pos)_/.test(id);
}

async function writeBack(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const key = siteDocumentKeys.find((one) => one === target.id);
  if (key !== undefined) return documentBack(tx, key, target, context);
  return isEntryId(target.id) ? entryBack(tx, target, context) : assetBack(tx, target, context);
}

function summaryOf(name: string, { point }: Target): string {
  return `Brought ${name} back to how it was after: ${point}`;
}

async function entryBack(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const before = await tx.entry(target.id);
  if (before === null || !entryTypes.includes(before.type)) throw new NotFoundError('entry', target.id.slice(0, 80));
  const state = await entryStateAt(tx, target.id, target.seq);
  if (state === null || state.deletedAt !== null) {
    if (before.deletedAt !== null) return null;
    return commit(tx, before, { ...stateOf(before), ...NO_PLAN, deletedAt: context.now }, target, context);
  }
  const isPlaced = before.deletedAt !== null || state.draft.parent !== before.draft.parent;
  const withoutLost = isPlaced ? await withoutLostParent(tx, before.id, state.draft) : [];
  const draft = applyOperations(state.draft, withoutLost).document;
  if (sameJson(draft, before.draft) && before.deletedAt === null) return null;
  return commit(tx, before, { ...stateOf(before), draft, deletedAt: null }, target, context);
}

async function commit(
  tx: ContentTransaction,
  before: Entry,
  after: ReturnType<typeof stateOf>,
  target: Target,
  context: WriteContext,
): Promise<ChangeSet> {
  const applied = applyOperations(before.draft, diffDocuments(before.draft, after.draft));
  const isGone = after.deletedAt !== null;
  const { change } = await commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...after, draft: applied.document },
    action: isGone ? 'delete' : before.deletedAt === null ? 'update' : 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: isGone
      ? `Deleted the ${before.type} ${quotedTitle(before.draft.title)}, which was not there after: ${target.point}`
      : summaryOf(quotedTitle(applied.document.title), target),
  });
  return change;
}

const DOCUMENTS: Record<SiteDocumentKey, string> = {
  navigation: 'the menu',
  settings: 'the site settings',
  'standing-instructions': 'the standing instructions',
};

async function documentBack(
  tx: ContentTransaction,
  key: SiteDocumentKey,
  target: Target,
  context: WriteContext,
): Promise<ChangeSet | null> {
  const after = await tx.stateAt(key, target.seq);
  const present = await tx.siteDocument(key);
  if (after === undefined || present === null || sameJson(after, present.value)) return null;
  const write = { before: present.value, after, action: 'update', summary: summaryOf(DOCUMENTS[key], target) } as const;
  return commitSiteDocument(tx, { ...context, ...write, key });
}

async function assetBack(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const before = await tx.asset(target.id);
  if (before === null) throw new InvalidInputError('There is no page, post or picture with this id.');
  const state = await tx.stateAt(target.id, target.seq);
  if (state === undefined) return null;
  const after = assetStateFromJson(state) ?? { ...assetStateOf(before), deletedAt: context.now };
  if (sameJson(assetStateOf(before), assetStateOf(after))) return null;
  const isGone = after.deletedAt !== null;
  const { change } = await commitAsset(tx, {
    ...context,
    id: before.id,
    before,
    after,
    action: isGone === (before.deletedAt !== null) ? 'update' : isGone ? 'delete' : 'restore',
    summary: summaryOf(`the picture ${quotedTitle(after.filename)}`, target),
  });
  return change;
}
