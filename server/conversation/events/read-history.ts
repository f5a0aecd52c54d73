import type { ContentBackend } from '#server/site/content-backend';
import { changeOfRestoreStep } from '#server/core/ids';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { ChangeSet } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import type { Session } from '#server/core/conversation/sessions';
import type { Checkpoint, CheckpointChange, HistoryPage, OpeningRequest } from '#server/core/conversation/history';
import type { Undoable } from '#server/core/site/site-lists';
import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';

/** Maximum number of changes that are read for one session; more than years of work. */
const MOST_CHANGES = 20_000;
/**
 * Manual changes elsewhere on the site belong to a conversation for this time after its last change; ms. A choice, not
 * measured.
 */
const WORKING_DAY = 12 * 60 * 60 * 1000;

/** Where the history of a conversation is read from. */
export interface HistorySources {
  readonly content: Pick<ContentBackend, 'changes'>;
  readonly compactions: { list(sessionId: string): Promise<CompactionRecord[]> };
  readonly requestsOf: (turnIds: readonly string[]) => Promise<ReadonlyMap<string, OpeningRequest>>;
}

/** Which page of the history is read. */
export interface HistoryQuery {
  /** Default 200. */
  readonly limit?: number | undefined;
  /** Id of a checkpoint; the page contains the ones before it. */
  readonly cursor?: string | undefined;
}

/**
 * Reads a page of a conversation's history, newest first. @throws InvalidInputError if the cursor is not a checkpoint
 */
export async function readHistory(
  sources: HistorySources,
  { id, ownerId, createdAt }: Pick<Session, 'id' | 'ownerId' | 'createdAt'>,
  { limit = 200, cursor }: HistoryQuery,
): Promise<HistoryPage> {
  const [changes, compactions] = await Promise.all([
    sources.content.changes({ sessionId: id, handSince: createdAt, limit: MOST_CHANGES }),
    sources.compactions.list(id),
  ]);
  const knots = groupCheckpoints(ofThread(changes, id, ownerId), compactions);
  const from = cursor === undefined ? 0 : knots.findIndex((knot) => knot.id === cursor) + 1;
  if (cursor !== undefined && from === 0) throw new InvalidInputError(serverText('cursor-invalid'));
  const page = knots.slice(from, from + limit);
  const requests = await sources.requestsOf(page.flatMap(({ turnId }) => turnId ?? []));
  const items = page.map((knot): Checkpoint => {
    const request = requests.get(knot.turnId ?? '');
    return request === undefined ? knot : { ...knot, ...request };
  });
  return { items, total: knots.length, nextCursor: from + limit < knots.length ? (items.at(-1)?.id ?? null) : null };
}

/**
 * Returns the session's changes, all other changes of the same targets, and the owner's changes up to `WORKING_DAY`
 * after the session's last change.
 */
function ofThread(changes: readonly ChangeSet[], sessionId: string, ownerId: string): ChangeSet[] {
  const own = changes.filter(({ origin }) => origin.sessionId === sessionId);
  const targets = new Set(own.map(({ targetId }) => targetId));
  const end = (own[0]?.createdAt ?? -Infinity) + WORKING_DAY;
  return changes.filter(({ origin, targetId, createdAt }) => {
    if (origin.sessionId === sessionId || targets.has(targetId)) return true;
    return (origin.userId ?? ownerId) === ownerId && createdAt <= end;
  });
}

/**
 * Groups changes into checkpoints, newest first: one for each answer, each manual step and each summary. A manual undo
 * is no checkpoint: the undone change is marked.
 * @param changes newest first
 */
export function groupCheckpoints(
  changes: readonly ChangeSet[],
  compactions: readonly CompactionRecord[],
): Checkpoint[] {
  const takenAlong = findTakenAlong(changes);
  const groups = new Map<string, ChangeSet[]>();
  for (const change of changes) {
    const { turnId, toolCallId } = change.origin;
    if (change.action === 'undo' && turnId === undefined) continue;
    const isRestored = changeOfRestoreStep(toolCallId) !== null;
    const key = turnId ?? (isRestored && toolCallId !== undefined ? toolCallId : change.id);
    groups.set(key, [change, ...(groups.get(key) ?? [])]);
  }
  const knots = [...groups].map(([id, own]): Checkpoint => {
    const newest = own.at(-1)!;
    const { turnId = null, actor, userName } = newest.origin;
    return {
      id,
      kind: turnId === null ? 'hand' : 'answer',
      at: newest.createdAt,
      turnId,
      messageId: null,
      words: null,
      who: { actor, ...(userName !== undefined && { userName }) },
      changes: own.map((change) => knotChange(change, takenAlong.has(change.id))),
    };
  });
  const summaries = compactions
    .filter(({ strategy, status }) => status === 'completed' && strategy !== PRUNE_STRATEGY)
    .map(summaryKnot);
  return merged(knots, summaries);
}

function knotChange(
  { id, targetType, targetId, slug, title, action, summary, summaryMessage, undoneBy, createdAt }: ChangeSet,
  isTakenAlong: boolean,
): CheckpointChange {
  const texts = { summary, summaryMessage };
  return { id, targetType, targetId, slug, title, action, ...texts, undoneBy, isTakenAlong, createdAt };
}

function summaryKnot({ id, summaryMessageId, createdAt }: CompactionRecord): Checkpoint {
  const nothing = { turnId: null, words: null, who: null, changes: [] };
  return { id, kind: 'summary', at: createdAt, messageId: summaryMessageId, ...nothing };
}

/**
 * Merges two lists, each newest first; the order within each is kept, even if times are equal or the clock was set
 * back.
 */
function merged(knots: readonly Checkpoint[], summaries: readonly Checkpoint[]): Checkpoint[] {
  const all: Checkpoint[] = [];
  let next = 0;
  for (const summary of summaries.toSorted((a, b) => b.at - a.at)) {
    for (let knot = knots[next]; knot !== undefined && knot.at > summary.at; knot = knots[next]) {
      all.push(knot);
      next += 1;
    }
    all.push(summary);
  }
  return [...all, ...knots.slice(next)];
}

/** Changes that have no effect because their target was restored to an earlier point and that restore is active. */
function findTakenAlong(changes: readonly ChangeSet[]): ReadonlySet<string> {
  const places = new Map(changes.map(({ id }, index) => [id, index]));
  const taken = new Set<string>();
  for (const [index, { targetId, origin, undoneBy, action }] of changes.entries()) {
    const point = places.get(changeOfRestoreStep(origin.toolCallId) ?? '');
    if (point === undefined || undoneBy !== null || action === 'undo') continue;
    for (const earlier of changes.slice(index + 1, point)) {
      if (earlier.targetId === targetId && concernsDraft(earlier)) taken.add(earlier.id);
    }
  }
  return taken;
}

function concernsDraft({ action }: ChangeSet): boolean {
  return action !== 'publish' && action !== 'unpublish' && action !== 'schedule';
}

interface UndoableSources {
  readonly content: Pick<ContentBackend, 'newestStanding'>;
  readonly compactions: {
    /** Newest first. */
    list(sessionId: string, query: { most: number; status: 'completed' }): Promise<CompactionRecord[]>;
  };
}

function summaryOf({ strategy, prunedPartIds, messagesCompacted, tokensBefore, tokensAfter }: CompactionRecord) {
  const tokens = { before: tokensBefore, after: tokensAfter };
  return strategy === PRUNE_STRATEGY
    ? serverText('results-cleared', { count: prunedPartIds.length, ...tokens })
    : serverText('messages-summarized', { count: messagesCompacted, ...tokens });
}

/**
 * Finds what an undo in this session reverses: its newest active change to the site, or its newest active compaction or
 * prune, whichever is later. Null if there is neither. No later state depends on the newest compaction, so it can be
 * undone.
 */
export async function findUndoable(sources: UndoableSources, sessionId: string): Promise<Undoable | null> {
  const change = await sources.content.newestStanding(sessionId);
  const [record] = await sources.compactions.list(sessionId, { most: 1, status: 'completed' });
  if (record && (change === null || record.createdAt >= change.createdAt)) {
    const kind = record.strategy === PRUNE_STRATEGY ? 'prune' : 'compaction';
    const summary = summaryOf(record);
    const texts = { summary: summary.text, summaryMessage: messageOfText(summary) };
    return { kind, id: record.id, ...texts, createdAt: record.createdAt };
  }
  if (change === null) return null;
  const { id, summary, summaryMessage, createdAt } = change;
  return { kind: 'change', id, summary, summaryMessage, createdAt };
}
