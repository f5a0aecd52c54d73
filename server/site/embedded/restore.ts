import { applyOperations } from '#server/site/document-operations';
import { changeText } from '#server/site/change-summary';
import type { RestoreSelection } from '#server/site/content-backend';
import { commitAsset } from '#server/site/embedded/assets';
import { chainsOf, type ChangeChain, isInEffectAt, tailOf, touchedPaths } from '#server/site/embedded/change-chains';
import { commitEntry, withoutLostParent } from '#server/site/embedded/commit-entry';
import type { ContentTransaction, JournalLine, WriteContext } from '#server/site/embedded/content-store';
import { assetStateFromJson, assetStateOf } from '#server/site/embedded/asset-state';
import { NO_SCHEDULE, stateOf, type EntryState } from '#server/site/embedded/entry-state';
import { entryStateAt } from '#server/site/embedded/past-site';
import { homeOnceAt } from '#server/site/embedded/home-page';
import { commitSiteDocument, settingsFromJson } from '#server/site/embedded/site-settings-writes';
import { lossMessage } from '#server/site/embedded/undo-changes';
import { restoreStepId, createShortId } from '#server/core/ids';
import { type Entry, entryTypes } from '#server/core/site/content';
import {
  type RestoreOutcome,
  type ChangeOrigin,
  type ChangeSet,
  type SiteDocumentKey,
  siteDocumentKeys,
} from '#server/core/site/changes';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { type JsonObject, type JsonValue, sameJson } from '#server/core/json';
import { serverText } from '#server/core/messages/server-text';
import { diffDocuments } from '#server/site/diff-documents';
import type { ServerText } from '#server/core/coded-message';
import { shortTitle } from '#server/core/text/short-text';

/* Restores entries, pictures and site documents to their state at a position of the journal. */

/** One target that is restored to a position of the journal. */
interface Target {
  readonly id: string;
  readonly seq: number;
  /** Summary of the change after which the target had its state; part of the summary of the restore. */
  readonly point: ServerText;
}

/** See ContentBackend.restoreTo. */
export async function restoreTo(
  tx: ContentTransaction,
  changeId: string,
  selection: RestoreSelection,
  { origin, now }: WriteContext,
  overOthers: boolean,
): Promise<RestoreOutcome> {
  const record = await tx.journalEntry(changeId);
  const seq = await tx.seqOf(changeId);
  if (record === null || seq === null) throw new NotFoundError('change', changeId.slice(0, 80));
  const sessionId = 'sessionId' in selection ? selection.sessionId : origin.sessionId;
  const ids = selection.targetId === undefined ? await tx.targetsOfSession(sessionId ?? '') : [selection.targetId];
  const later: JournalLine[] = [];
  const targets: Target[] = [];
  for (const id of ids) {
    const lost = lostChanges(await tx.journalOf(id), seq);
    const isChangedBySession = lost.some(({ change }) => change.origin.sessionId === sessionId);
    // For a session, only those targets that the session has changed since.
    if (lost.length === 0 || (selection.targetId === undefined && !isChangedBySession)) continue;
    later.push(...lost);
    targets.push({ id, seq, point: changeText(record.change) });
  }
  const newestFirst = later.toSorted((a, b) => b.seq - a.seq).map(({ change }) => change);
  const others = newestFirst.filter((change) => isByOthers(change, sessionId, origin));
  const along = newestFirst.filter((change) => !others.includes(change));
  if (others.length > 0 && !overOthers) {
    throw new ConflictError(lossMessage(others), { details: { changes: others.map(({ id }) => id) } });
  }
  const step = { ...origin, toolCallId: restoreStepId(changeId, createShortId('chg').slice(4)) };
  const changes: ChangeSet[] = [];
  for (const target of await removalsFirst(tx, targets)) {
    const change = await restoreTarget(tx, target, { origin: step, now });
    if (change !== null) changes.push(change);
  }
  if (changes.length === 0) throw new ConflictError(serverText('nothing-changed-since'));
  return { changes, along, others };
}

/**
 * Changes after a position of the journal whose effect a restore loses: those in effect, and undos of changes that were
 * in effect at that position.
 */
function lostChanges(journal: readonly JournalLine[], seq: number): JournalLine[] {
  return chainsOf(journal).flatMap((chain) => {
    const until = chain.findLastIndex((line) => line.seq <= seq);
    const isLater = tailOf(chain).seq > seq;
    const wasInEffect = until >= 0 && until % 2 === 0;
    if (!isLater || wasInEffect === isInEffectAt(chain, 0) || concernsVisitorsOnly(chain)) return [];
    return [until < 0 ? chain[0] : tailOf(chain)];
  });
}

/** True for publications and their schedules, which a restore does not change. */
function concernsVisitorsOnly(chain: ChangeChain): boolean {
  return touchedPaths(chain).every((path) => path === 'published' || path === 'publishAt');
}

function isByOthers({ origin }: ChangeSet, sessionId: string | undefined, by: ChangeOrigin): boolean {
  if (sessionId !== undefined && origin.sessionId === sessionId) return false;
  return origin.actor !== 'user' || origin.userId !== by.userId;
}

/** The targets, those that are removed first: so their slugs are free for the others. */
async function removalsFirst(tx: ContentTransaction, targets: readonly Target[]): Promise<Target[]> {
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

async function restoreTarget(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const key = siteDocumentKeys.find((one) => one === target.id);
  if (key !== undefined) return restoreDocument(tx, key, target, context);
  return isEntryId(target.id) ? restoreEntry(tx, target, context) : restoreAsset(tx, target, context);
}

function summaryOf(target: string, title: string, { point }: Target): ServerText {
  return serverText('journal-back-to', { target, title: shortTitle(title), point });
}

async function restoreEntry(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const before = await tx.entry(target.id);
  if (before === null || !entryTypes.includes(before.type)) throw new NotFoundError('entry', target.id.slice(0, 80));
  const state = await entryStateAt(tx, target.id, target.seq);
  if (state === null || state.deletedAt !== null) {
    if (before.deletedAt !== null) return null;
    return commit(tx, before, { ...stateOf(before), ...NO_SCHEDULE, deletedAt: context.now }, target, context);
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
  after: EntryState,
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
      ? serverText('journal-deleted-by-restore', {
          type: before.type,
          title: shortTitle(before.draft.title),
          point: target.point,
        })
      : summaryOf('entry', applied.document.title, target),
  });
  return change;
}

/** How the summary calls a document. */
const DOCUMENTS: Record<SiteDocumentKey, string> = {
  navigation: 'navigation',
  settings: 'settings',
  'standing-instructions': 'standing',
  design: 'design',
};

async function restoreDocument(
  tx: ContentTransaction,
  key: SiteDocumentKey,
  target: Target,
  context: WriteContext,
): Promise<ChangeSet | null> {
  const then = await tx.stateAt(key, target.seq);
  const present = await tx.siteDocument(key);
  if (then === undefined || present === null) return null;
  const after =
    key === 'settings'
      ? await withPublishedHome(tx, then)
      : key === 'design'
        ? { ...(then as JsonObject), published: (present.value as JsonObject)['published'] ?? null }
        : then;
  if (sameJson(after, present.value)) return null;
  const write = {
    before: present.value,
    after,
    action: 'update',
    summary: summaryOf(DOCUMENTS[key], '', target),
  } as const;
  return commitSiteDocument(tx, { ...context, ...write, key });
}

/**
 * The earlier settings, but with the home page that is currently published, so that what visitors see does not change.
 */
async function withPublishedHome(tx: ContentTransaction, value: JsonValue): Promise<JsonValue> {
  const home = await homeOnceAt(tx, settingsFromJson(value ?? {}).homeSlug);
  return home === null ? value : { ...(value as JsonObject), homeSlug: home.published?.slug ?? home.draft.slug };
}

async function restoreAsset(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const before = await tx.asset(target.id);
  if (before === null) throw new InvalidInputError(serverText('no-content-with-id'));
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
    summary: summaryOf('picture', after.filename, target),
  });
  return change;
}
