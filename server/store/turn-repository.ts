import { and, asc, eq, lte, notExists, sql } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage, QueuedMessage, Turn, TurnStatus } from '#server/core/messages';
import { enqueue, findFormer, type BeginOutcome, type Lease, type TurnRequest } from '#server/store/begin-turn';
import type { Database, StoreTransaction } from '#server/store/database';
import { insertMessages } from '#server/store/message-rows';
import { queuedMessageFromRow } from '#server/store/queued-message-codec';
import { queuedMessages, sessions, turns } from '#server/store/schema';
import { settleTurn } from '#server/store/settle-turn';
import { storableText } from '#server/store/storable-text';

interface DequeuedTurn {
  readonly turn: Turn;
  readonly message: Message;
  readonly modelId: string | null;
}

/** Turns and the messages that wait for one. */
export interface TurnRepository {
  /**
   * Stores the message and starts its turn; queues it instead while a turn of the session runs or its compaction holds
   * an unexpired lease.
   *
   * @throws NotFoundError when there is no such session.
   * @throws QueueFullError when 100 messages wait already.
   */
  begin(request: TurnRequest): Promise<BeginOutcome>;
  /** Starts a turn for the oldest queued message; null when none waits, or something else holds the session. */
  beginQueued(sessionId: string, lease: Lease): Promise<DequeuedTurn | null>;
  /** Extends the lease. False: the turn is no longer ours, stop working on it. */
  renew(turnId: string, leaseOwner: string, leaseMs: number): Promise<boolean>;
  /** Ends a running turn. False: it had been ended already, nothing was changed. */
  finish(turnId: string, end: { status: Exclude<TurnStatus, 'running'>; error?: string | null }): Promise<boolean>;
  find(turnId: string): Promise<Turn | null>;
  running(sessionId: string): Promise<Turn | null>;
  /** Running turns whose lease has run out. */
  expired(): Promise<Turn[]>;
  /**
   * Closes what a turn with an expired lease has left open (see settle-turn). False: somebody renewed, ended or settled
   * it first.
   */
  settle(turnId: string): Promise<{ settled: boolean }>;
  /** Sessions where messages wait and no turn runs. */
  sessionsWithQueue(): Promise<string[]>;
  readonly queue: {
    /** The oldest first. */
    list(sessionId: string): Promise<QueuedMessage[]>;
  };
}

/** `now` gives epoch milliseconds. */
export function createTurnRepository(db: Database, now: () => number = Date.now): TurnRepository {
  const running = (sessionId: string) => and(eq(turns.sessionId, sessionId), eq(turns.status, 'running'));

  /** True while a turn runs or a compaction holds the session. */
  async function isHeld(tx: StoreTransaction, sessionId: string): Promise<boolean> {
    const session = await tx
      .select({
        compacting: sql<number>`${sessions.currentlyCompacting} and ${sessions.compactionLeaseExpiresAt} > ${now()}`,
        turns: sql<number>`exists (select 1 from ${turns} where ${running(sessionId)})`,
      })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .get();
    if (!session) throw new NotFoundError('session', sessionId);
    return Boolean(session.compacting) || Boolean(session.turns);
  }

  async function start(
    tx: StoreTransaction,
    { sessionId, message, modelId, clientRequestId, leaseOwner, leaseMs }: TurnRequest,
  ): Promise<{ turn: Turn; message: Message }> {
    const time = now();
    const turnId = createId('trn');
    const [stored] = await insertMessages(tx, sessionId, [{ modelId, ...message, turnId }], time);
    const turn = await tx
      .insert(turns)
      .values({
        id: turnId,
        sessionId,
        userMessageId: stored!.id,
        status: 'running',
        leaseOwner,
        leaseExpiresAt: time + leaseMs,
        clientRequestId,
        startedAt: time,
      })
      .returning(turnColumns)
      .get();
    return { turn, message: stored! };
  }

  return {
    begin: (request) =>
      db.write(async (tx) => {
        const former = await findFormer(tx, request.sessionId, request.clientRequestId);
        if (former) return former;
        if (await isHeld(tx, request.sessionId)) return enqueue(tx, request, now());
        return { kind: 'started', ...(await start(tx, request)) };
      }),

    beginQueued: (sessionId, lease) =>
      db.write(async (tx) => {
        const row = await tx
          .select()
          .from(queuedMessages)
          .where(eq(queuedMessages.sessionId, sessionId))
          .orderBy(asc(queuedMessages.id))
          .get();
        if (!row || (await isHeld(tx, sessionId))) return null;
        const { parts, modelId, clientRequestId } = queuedMessageFromRow(row);
        await tx.delete(queuedMessages).where(eq(queuedMessages.id, row.id));
        const message: NewMessage = { role: 'user', parts };
        return { ...(await start(tx, { sessionId, message, modelId, clientRequestId, ...lease })), modelId };
      }),

    async renew(turnId, leaseOwner, leaseMs) {
      const mine = and(eq(turns.id, turnId), eq(turns.leaseOwner, leaseOwner), eq(turns.status, 'running'));
      const changes = { leaseExpiresAt: now() + leaseMs };
      return (await db.write((tx) => tx.update(turns).set(changes).where(mine).run())).rowsAffected > 0;
    },

    async finish(turnId, { status, error = null }) {
      const open = and(eq(turns.id, turnId), eq(turns.status, 'running'));
      const changes = { status, error: error && storableText(error), endedAt: now() };
      return (await db.write((tx) => tx.update(turns).set(changes).where(open).run())).rowsAffected > 0;
    },

    find: async (turnId) => (await db.read.select(turnColumns).from(turns).where(eq(turns.id, turnId)).get()) ?? null,
    running: async (sessionId) =>
      (await db.read.select(turnColumns).from(turns).where(running(sessionId)).get()) ?? null,
    expired: () =>
      db.read
        .select(turnColumns)
        .from(turns)
        .where(and(eq(turns.status, 'running'), lte(turns.leaseExpiresAt, now())))
        .orderBy(asc(turns.leaseExpiresAt)),

    settle: (turnId) => db.write(async (tx) => ({ settled: await settleTurn(tx, turnId, now()) })),

    async sessionsWithQueue() {
      const runningThere = db.read
        .select({ one: sql`1` })
        .from(turns)
        .where(and(eq(turns.sessionId, queuedMessages.sessionId), eq(turns.status, 'running')));
      const rows = await db.read
        .selectDistinct({ sessionId: queuedMessages.sessionId })
        .from(queuedMessages)
        .where(notExists(runningThere));
      return rows.map(({ sessionId }) => sessionId);
    },

    queue: {
      async list(sessionId) {
        const rows = await db.read
          .select()
          .from(queuedMessages)
          .where(eq(queuedMessages.sessionId, sessionId))
          .orderBy(asc(queuedMessages.id));
        return rows.map(queuedMessageFromRow);
      },
    },
  };
}

const turnColumns = {
  id: turns.id,
  sessionId: turns.sessionId,
  userMessageId: turns.userMessageId,
  status: turns.status,
  leaseOwner: turns.leaseOwner,
  leaseExpiresAt: turns.leaseExpiresAt,
  error: turns.error,
  startedAt: turns.startedAt,
  endedAt: turns.endedAt,
} as const;
