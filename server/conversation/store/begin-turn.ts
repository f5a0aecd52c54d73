import { tooManyRunning, serverStopping } from '#server/core/messages/coded-errors';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { strictest } from '#server/core/conversation/approvals';
import type { Message } from '#server/core/conversation/messages';
import type {
  BeginOutcome,
  DequeuedTurn,
  Lease,
  QueuedMessage,
  Turn,
  TurnRequest,
} from '#server/core/conversation/turns';
import { DEFAULT_SESSION_TITLE } from '#server/core/conversation/sessions';
import { commonScopes } from '#server/core/admin/access-rights';
import type { DrainedQueue, QueueChoice, QueueLease } from '#server/core/conversation/turn-store';
import { builtOnce, type StoreTransaction } from '#server/platform/database/database';
import type { LeaseWatch } from '#server/platform/database/leases';
import { addTurnStart } from '#server/conversation/store/event-repository';
import { insertMessages } from '#server/conversation/store/message-writer';
import { dequeue, enqueue, readQueue, readSendable, takeOverHeld } from '#server/conversation/store/queue-repository';
import { findReplaceable, supersede } from '#server/conversation/store/replace-message';
import { sessions } from '#server/platform/database/schema/sessions';
import { turns } from '#server/platform/database/schema/turns';
import { denyPending } from '#server/conversation/store/settle-turn';
import {
  countRunningTurns,
  readSessionState,
  type SessionState,
  setQueueHeld,
  turnColumns,
} from '#server/conversation/store/turn-rows';
import { coalesceMessages, countFitting } from '#server/conversation/store/coalesce-messages';
import { findAccepted, rememberAccepted, rememberMessage } from '#server/conversation/store/accepted-requests';

/** Releases the session's queue; sets the title if the session has none; marks it as used, unless `:usedAt` is null. */
const goOn = builtOnce((tx: StoreTransaction) => {
  const { title, id } = sessions;
  const named = sql`case when ${title} = ${DEFAULT_SESSION_TITLE} then ${sql.placeholder('title')} else ${title} end`;
  const updatedAt = sql`coalesce(${sql.placeholder('usedAt')}, ${sessions.updatedAt})`;
  return tx
    .update(sessions)
    .set({ queueHeld: false, title: named, updatedAt })
    .where(eq(id, sql.placeholder('sessionId')))
    .prepare();
});

/**
 * Stores the message and starts its turn, after the queued messages, or queues it: while a turn runs, while the session
 * is being compacted, and if not all queued messages fit into one message (it then stays after those). Sending a
 * message releases a held queue. The first message sets the session's title. A message that replaces another is never
 * queued.
 *
 * @throws NotFoundError if the session does not exist.
 * @throws QueueFullError
 * @throws RateLimitedError if it would start and too many of its owner's turns run.
 * @throws ConflictError if it cannot replace the other message (see replace-message).
 */
export async function beginTurn(
  tx: StoreTransaction,
  request: TurnRequest,
  now: number,
  watch: LeaseWatch,
): Promise<BeginOutcome> {
  const { sessionId, clientRequestId, title = DEFAULT_SESSION_TITLE } = request;
  const former = clientRequestId === null ? null : await findAccepted(tx, sessionId, clientRequestId);
  if (former && former.id !== request.replaces) return former;
  const outcome = await startOrQueue(tx, request, now, watch);
  tx.later(() => goOn(tx).run({ sessionId, title, usedAt: outcome.kind === 'started' ? now : null }));
  rememberAccepted(tx, request, outcome, now);
  return outcome;
}

async function startOrQueue(
  tx: StoreTransaction,
  request: TurnRequest,
  now: number,
  watch: LeaseWatch,
): Promise<Exclude<BeginOutcome, { kind: 'repeated' }>> {
  const { sessionId, message, modelId, approvalPolicy = 'ask', scopes, keyId = null } = request;
  const { maxTokens, maxRunning, replaces } = request;
  const { id = createId('msg'), parts } = message;
  const sender = { modelId, approvalPolicy, scopes, keyId };
  const newest = { id, sessionId, parts, ...sender, heldReason: null, startsTurn: true, createdAt: now };
  if (replaces !== undefined) {
    const replaceable = await findReplaceable(tx, sessionId, replaces, now, watch);
    await requirePlace(tx, sessionId, maxRunning);
    await denyPending(tx, sessionId, now);
    await supersede(tx, sessionId, replaceable, newest.id);
    return { kind: 'started', ...(await start(tx, { ...request, waiting: [], newest, isMarked: true }, now)) };
  }
  // Read together: on a server each is a round trip.
  const [session, waiting] = await Promise.all([
    readSessionState(tx, sessionId, now, watch),
    readSendable(tx, sessionId, now),
  ]);
  if (!session) throw new NotFoundError('session', sessionId);
  if (session.running) return enqueue(tx, request, now);
  if (session.asking) await denyPending(tx, sessionId, now);
  if (session.compacting) return enqueue(tx, request, now);

  const all = [...waiting, newest] as const;
  if (countFitting(all, maxTokens) < all.length) return enqueue(tx, request, now);
  if (!hasPlace(session, maxRunning)) throw tooManyRunning(maxRunning ?? 0);
  // A denial may have added messages.
  const place = session.asking ? undefined : session.lastSeq;
  return {
    kind: 'started',
    ...(await start(tx, { ...request, waiting, newest, lastSeq: place, isMarked: true }, now)),
  };
}

/** Starts a turn for the queued messages; null if none may start or the session is busy. @throws StoppingError */
export async function beginQueuedTurn(
  tx: StoreTransaction,
  sessionId: string,
  { maxTokens, maxRunning, closing, ...lease }: QueueLease,
  { only, release }: QueueChoice,
  now: number,
  watch: LeaseWatch,
): Promise<DequeuedTurn | null> {
  if (release) {
    await setQueueHeld(tx, sessionId, false);
    await takeOverHeld(tx, await readQueue(tx, sessionId), release, now);
  }
  const session = await readSessionState(tx, sessionId, now, watch);
  if (!session || session.running || session.compacting) return null;
  const isAskedFor = release !== undefined || only !== undefined;
  // Messages written before the question must not answer it.
  if (!isAskedFor && session.asking) return null;
  const queue = await readSendable(tx, sessionId, now, session.held && !isAskedFor);
  const waiting =
    only === undefined ? queue.slice(0, countFitting(queue, maxTokens)) : queue.filter(({ id }) => id === only);
  if (waiting.length === 0 || !hasPlace(session, maxRunning)) return null;
  if (session.asking) await denyPending(tx, sessionId, now);
  const started = await start(tx, { sessionId, waiting, ...lease }, now);
  // Checked last: a turn started in a stopping process would end without any message.
  if (closing?.aborted) throw serverStopping();
  return started;
}

/**
 * Moves the queued messages into the running turn as one user message; null if that is not allowed or no message can be
 * sent.
 */
export async function drainQueue(
  tx: StoreTransaction,
  turnId: string,
  { leaseOwner, maxTokens }: { readonly leaseOwner: string; readonly maxTokens: number },
  now: number,
  watch: LeaseWatch,
): Promise<DrainedQueue | null> {
  const turn = await tx
    .select(turnColumns)
    .from(turns)
    .where(
      and(
        eq(turns.id, turnId),
        eq(turns.leaseOwner, leaseOwner),
        eq(turns.status, 'running'),
        isNull(turns.cancelRequestedAt),
      ),
    )
    .get();
  if (!turn) return null;
  const session = await readSessionState(tx, turn.sessionId, now, watch);
  if (!session || session.compacting) return null;
  const queue = await readSendable(tx, turn.sessionId, now, session.held);
  const next = queue.findIndex(({ startsTurn }) => startsTurn);
  const joining = next === -1 ? queue : queue.slice(0, next);
  const waiting = joining.slice(0, countFitting(joining, maxTokens));
  if (waiting.length === 0) return null;
  const approvalPolicy = strictest([turn.approvalPolicy, ...waiting.map((item) => item.approvalPolicy)]);
  const scopes = waiting.reduce((common, item) => commonScopes(common, item.scopes), turn.scopes);
  const keyIds = keysOf(waiting, turn.keyIds ?? []);
  tx.later(() => tx.update(turns).set({ approvalPolicy, scopes, keyIds }).where(eq(turns.id, turnId)));
  return { ...(await storeTogether(tx, turn, { waiting }, now)), approvalPolicy, scopes };
}

/** True if the session's owner may run another turn. */
function hasPlace({ ownersRunning }: SessionState, most: number | undefined): boolean {
  return most === undefined || ownersRunning < most;
}

/** @throws RateLimitedError */
async function requirePlace(tx: StoreTransaction, sessionId: string, most: number | undefined): Promise<void> {
  if (most !== undefined && (await countRunningTurns(tx, { sessionId })) >= most) throw tooManyRunning(most);
}

interface Taken {
  readonly waiting: readonly QueuedMessage[];
  /** A new message that was not queued. */
  readonly newest?: QueuedMessage;
  /** Position of the session's last message, if it was read in this transaction. */
  readonly lastSeq?: number | undefined;
  /** The caller marks the session as used. Default false. */
  readonly isMarked?: boolean | undefined;
}

const insertTurn = builtOnce((tx: StoreTransaction) =>
  tx
    .insert(turns)
    .values({
      id: sql.placeholder('id'),
      sessionId: sql.placeholder('sessionId'),
      userMessageId: sql.placeholder('userMessageId'),
      status: 'running',
      leaseOwner: sql.placeholder('leaseOwner'),
      leaseExpiresAt: sql.placeholder('leaseExpiresAt'),
      modelId: sql.placeholder('modelId'),
      approvalPolicy: sql.placeholder('approvalPolicy'),
      scopes: sql.placeholder('scopes'),
      keyIds: sql`${sql.placeholder('keyIds')}`,
      startedAt: sql.placeholder('startedAt'),
    })
    .prepare(),
);

/** Requires at least one message. */
async function start(
  tx: StoreTransaction,
  { sessionId, leaseOwner, leaseMs, ...taken }: Taken & Lease & { readonly sessionId: string },
  now: number,
): Promise<DequeuedTurn> {
  const { modelId } = taken.newest ?? taken.waiting.at(-1)!;
  const senders = taken.newest ? [...taken.waiting, taken.newest] : taken.waiting;
  const id = createId('trn');
  const { message, dequeued } = await storeTogether(tx, { id, sessionId, modelId }, taken, now);
  const keyIds = keysOf(senders);
  const turn: Turn = {
    id,
    sessionId,
    userMessageId: message.id,
    status: 'running',
    leaseOwner,
    leaseExpiresAt: now + leaseMs,
    modelId,
    approvalPolicy: strictest(senders.map(({ approvalPolicy }) => approvalPolicy)),
    scopes: senders.map(({ scopes }) => scopes).reduce(commonScopes),
    keyIds,
    cancelRequestedAt: null,
    error: null,
    errorMessage: null,
    startedAt: now,
    endedAt: null,
  };
  tx.later(() => insertTurn(tx).run({ ...turn, keyIds: keyIds && JSON.stringify(keyIds) }));
  addTurnStart(tx, turn, now);
  return { turn, message, dequeued };
}

/** The distinct API keys that the messages were sent with; null: none. */
function keysOf(senders: readonly QueuedMessage[], others: readonly string[] = []): readonly string[] | null {
  const keyIds = new Set([...others, ...senders.flatMap(({ keyId }) => keyId ?? [])]);
  return keyIds.size > 0 ? [...keyIds] : null;
}

/** Moves the messages into the session as one user message of the turn. */
async function storeTogether(
  tx: StoreTransaction,
  { id: turnId, sessionId, modelId }: Pick<Turn, 'id' | 'sessionId' | 'modelId'>,
  { waiting, newest, lastSeq, isMarked }: Taken,
  now: number,
): Promise<{ message: Message; dequeued: string[] }> {
  const { parts, metadata } = coalesceMessages(newest ? [...waiting, newest] : waiting);
  const id = newest?.id ?? createId('msg');
  const added = { id, role: 'user', parts, metadata, turnId, modelId } as const;
  const [message] = await insertMessages(tx, sessionId, [added], now, { lastSeq, isMarked });
  const dequeued = dequeue(tx, waiting);
  rememberMessage(tx, sessionId, dequeued, id);
  return { message: message!, dequeued };
}
