import type { ContentBackend } from '#server/content/content-backend';
import { broughtBackTo } from '#server/core/ids';
import type { CompactionRecord } from '#server/core/compactions';
import type { ChangeSet } from '#server/core/changes';
import { InvalidInputError } from '#server/core/errors';
import { PRUNE_STRATEGY } from '#server/core/engine-words';
import type { Session } from '#server/core/sessions';
import type { Knot, KnotChange, ThreadPage, OpeningRequest } from '#server/core/thread';
import type { Undoable } from '#server/core/site-lists';

/** Changes of one session that are read; more than years of work. */
const MOST_CHANGES = 20_000;
/** Work by hand elsewhere on the site belongs to a conversation for this long after its last change; ms. */
const WORKING_DAY = 12 * 60 * 60 * 1000;

export interface ThreadSources {
  readonly content: Pick<ContentBackend, 'changes'>;
  readonly compactions: { list(sessionId: string): Promise<CompactionRecord[]> };
  readonly requestsOf: (turnIds: readonly string[]) => Promise<ReadonlyMap<string, OpeningRequest>>;
}

export interface ThreadQuery {
  /** Default 200. */
  readonly limit?: number | undefined;
  /** Id of a knot: those before it. */
  readonly cursor?: string | undefined;
}

/** Reads a page of a conversation's thread, newest first. @throws InvalidInputError for a cursor that names no knot */
export async function readThread(
  sources: ThreadSources,
  { id, ownerId, createdAt }: Pick<Session, 'id' | 'ownerId' | 'createdAt'>,
  { limit = 200, cursor }: ThreadQuery,
): Promise<ThreadPage> {
  const [changes, compactions] = await Promise.all([
    sources.content.changes({ sessionId: id, handSince: createdAt, limit: MOST_CHANGES }),
    sources.compactions.list(id),
  ]);
  const knots = groupKnots(ofThread(changes, id, ownerId), compactions);
  const from = cursor === undefined ? 0 : knots.findIndex((knot) => knot.id === cursor) + 1;
  if (cursor !== undefined && from === 0)
    throw new InvalidInputError('This cursor is not valid. Start again without one.');
  const page = knots.slice(from, from + limit);
  const requests = await sources.requestsOf(page.flatMap(({ turnId }) => turnId ?? []));
  const items = page.map((knot): Knot => {
    const request = requests.get(knot.turnId ?? '');
    return request === undefined ? knot : { ...knot, ...request };
  });
  return { items, total: knots.length, nextCursor: from + limit < knots.length ? (items.at(-1)?.id ?? null) : null };
}

/** Returns the session's changes, and those made by hand in the same places or by its owner while it was at work. */
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
 * Groups changes into knots, newest first: one for each answer, each step by hand and each summary. An undo by hand is
 * no knot: what it took back says so.
 * @param changes newest first
 */
export function groupKnots(changes: readonly ChangeSet[], compactions: readonly CompactionRecord[]): Knot[] {
  const takenAlong = findTakenAlong(changes);
  const groups = new Map<string, ChangeSet[]>();
  for (const change of changes) {
    const { turnId, toolCallId } = change.origin;
    if (change.action === 'undo' && turnId === undefined) continue;
    const isBroughtBack = broughtBackTo(toolCallId) !== null;
    const key = turnId ?? (isBroughtBack && toolCallId !== undefined ? toolCallId : change.id);
    groups.set(key, [change, ...(groups.get(key) ?? [])]);
  }
  const knots = [...groups].map(([id, own]): Knot => {
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
  { id, targetType, targetId, slug, title, action, summary, undoneBy, createdAt }: ChangeSet,
  isTakenAlong: boolean,
): KnotChange {
  return { id, targetType, targetId, slug, title, action, summary, undoneBy, isTakenAlong, createdAt };
}

function summaryKnot({ id, summaryMessageId, createdAt }: CompactionRecord): Knot {
  const nothing = { turnId: null, words: null, who: null, changes: [] };
  return { id, kind: 'summary', at: createdAt, messageId: summaryMessageId, ...nothing };
}

/** Both newest first; the order of each stays, also where times tie or a clock went back. */
function merged(knots: readonly Knot[], summaries: readonly Knot[]): Knot[] {
  const all: Knot[] = [];
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

/** Changes whose effect is gone because their target was brought back to an earlier point, and that stands. */
function findTakenAlong(changes: readonly ChangeSet[]): ReadonlySet<string> {
  const places = new Map(changes.map(({ id }, index) => [id, index]));
  const taken = new Set<string>();
  for (const [index, { targetId, origin, undoneBy, action }] of changes.entries()) {
    const point = places.get(broughtBackTo(origin.toolCallId) ?? '');
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
    /** The newest first. */
    list(sessionId: string, query: { most: number; status: 'completed' }): Promise<CompactionRecord[]>;
  };
}

const number = new Intl.NumberFormat('en-US');
const counted = (count: number, noun: string) => `${number.format(count)} ${noun}${count === 1 ? '' : 's'}`;

function summaryOf({
  strategy,
  prunedPartIds,
  messagesCompacted,
  tokensBefore,
  tokensAfter,
}: CompactionRecord): string {
  const tokens = `${number.format(tokensBefore)} → ${number.format(tokensAfter)} tokens`;
  return strategy === PRUNE_STRATEGY
    ? `Cleared ${counted(prunedPartIds.length, 'old result')} (${tokens})`
    : `Summarized ${counted(messagesCompacted, 'message')} (${tokens})`;
}

/**
 * Finds what an undo in this session takes back: its newest active change to the site, or its newest active compaction
 * or prune, whichever is later. Null when there is neither. A newest compaction has nothing built on it, so it can be
 * undone.
 */
export async function findUndoable(sources: UndoableSources, sessionId: string): Promise<Undoable | null> {
  const change = await sources.content.newestStanding(sessionId);
  const [record] = await sources.compactions.list(sessionId, { most: 1, status: 'completed' });
  if (record && (change === null || record.createdAt >= change.createdAt)) {
    const kind = record.strategy === PRUNE_STRATEGY ? 'prune' : 'compaction';
    return { kind, id: record.id, summary: summaryOf(record), createdAt: record.createdAt };
  }
  if (change === null) return null;
  return { kind: 'change', id: change.id, summary: change.summary, createdAt: change.createdAt };
}
