import { and, asc, count, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm';
import { TurnLostError } from '#server/core/errors';
import type { Persisted } from '#server/core/conversation/turns';
import type { TurnStore } from '#server/core/conversation/turn-store';
import { messageOfText } from '#server/core/message-data';
import { endLapsedKeyWork } from '#server/platform/auth/store/api-key-repository';
import { deleteAbandonedImports } from '#server/conversation/store/import-conversation';
import { beginQueuedTurn, beginTurn, drainQueue } from '#server/conversation/store/begin-turn';
import { findAccepted } from '#server/conversation/store/accepted-requests';
import { compactedSessions, compactionLease, releaseDead } from '#server/conversation/store/compaction-lease';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { LeaseWatch } from '#server/platform/database/leases';
import { storableText } from '#server/platform/database/json-column';
import { createQueueRepository, holdQueueBehind, withdrawReleases } from '#server/conversation/store/queue-repository';
import { findReplaceable } from '#server/conversation/store/replace-message';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { queuedMessages, turns } from '#server/platform/database/schema/turns';
import { findLeftWork, selectForgottenQueues } from '#server/conversation/store/left-work';
import { addTurnEnd } from '#server/conversation/store/event-repository';
import { closeFailedTurn, settleTurn } from '#server/conversation/store/settle-turn';
import { leaseOf, runningIn, setQueueHeld, turnColumns } from '#server/conversation/store/turn-rows';
import { createApprovalRepository, askApprovals } from '#server/conversation/store/approval-repository';

/** A paused process may renew its compaction's lease this late; milliseconds. */
const LATE_RENEWAL_MS = 5_000;

const findTurn = builtOnce((db: StoreReader) =>
  db
    .select(turnColumns)
    .from(turns)
    .where(eq(turns.id, sql.placeholder('turnId')))
    .prepare(),
);

/** `now` returns epoch milliseconds. */
export function createTurnRepository(
  db: Database,
  now: () => number = Date.now,
  watch: LeaseWatch = new LeaseWatch(now),
): TurnStore {
  return {
    ...createQueueRepository(db, now),
    ...createApprovalRepository(db, now, watch),

    findAccepted: (sessionId, clientRequestId) => findAccepted(db.read, sessionId, clientRequestId),
    begin: (request) => db.write((tx) => beginTurn(tx, request, now(), watch), 'first'),
    replaceable: async (sessionId, messageId) =>
      (await findReplaceable(db.read, sessionId, messageId, now(), watch)).turnIds,
    beginQueued: (sessionId, lease, choice = {}) =>
      db.write((tx) => beginQueuedTurn(tx, sessionId, lease, choice, now(), watch), 'first'),
    drain: (turnId, leaseOwner, maxTokens) =>
      db.write((tx) => drainQueue(tx, turnId, { leaseOwner, maxTokens }, now(), watch)),

    async renew(turnIds, { leaseOwner, leaseMs }) {
      const mine = and(inArray(turns.id, [...turnIds]), eq(turns.leaseOwner, leaseOwner), eq(turns.status, 'running'));
      const rows = await db.write((tx) =>
        tx
          .update(turns)
          .set({ leaseExpiresAt: now() + leaseMs })
          .where(mine)
          .returning({ id: turns.id, cancelRequestedAt: turns.cancelRequestedAt }),
      );
      return new Map(rows.map(({ id, cancelRequestedAt }) => [id, { cancelRequested: cancelRequestedAt !== null }]));
    },

    requestCancel: (sessionId) =>
      db.write(async (tx) => {
        const turn = await tx
          .update(turns)
          .set({ cancelRequestedAt: sql`coalesce(${turns.cancelRequestedAt}, ${now()})` })
          .where(runningIn(sessionId))
          .returning(turnColumns)
          .get();
        const waiting = await withdrawReleases(tx, sessionId);
        // A turn that is just ending must not start the queued messages.
        if (turn || waiting > 0) await setQueueHeld(tx, sessionId, true);
        return turn ? { turn, persisted: await persistedOf(tx, turn.id) } : null;
      }),

    async busySessions(ownerId) {
      const running = db.read.select({ id: turns.sessionId }).from(turns).where(eq(turns.status, 'running'));
      const waiting = db.read.select({ id: queuedMessages.sessionId }).from(queuedMessages);
      const isBusy = or(inArray(sessions.id, running), inArray(sessions.id, waiting));
      const rows = await db.read
        .select({ id: sessions.id })
        .from(sessions)
        .where(and(eq(sessions.ownerId, ownerId), isBusy));
      return rows.map(({ id }) => id);
    },

    async finish(turnId, end) {
      const { status, error, approvals: asked = [], holdsQueue = false } = end;
      const asks = status === 'waiting_approval';
      const open = and(
        eq(turns.id, turnId),
        eq(turns.status, 'running'),
        asks ? isNull(turns.cancelRequestedAt) : undefined,
      );
      try {
        await db.write(async (tx) => {
          const endedAt = now();
          const changes = {
            status,
            error: error && storableText(error.text),
            errorMessage: error && messageOfText(error),
            endedAt,
          };
          tx.later(
            () => tx.update(turns).set(changes).where(open),
            () => new TurnLostError(turnId),
          );
          await askApprovals(tx, turnId, asked, endedAt);
          if (status === 'failed') await closeFailedTurn(tx, turnId, endedAt);
          if (holdsQueue) holdQueueBehind(tx, turnId);
          addTurnEnd(tx, turnId, end, endedAt);
        });
        return true;
      } catch (failure) {
        if (failure instanceof TurnLostError) return false;
        throw failure;
      }
    },

    find: async (turnId) => (await findTurn(db.read).get({ turnId })) ?? null,
    running: async (sessionId) =>
      (await db.read.select(turnColumns).from(turns).where(runningIn(sessionId)).get()) ?? null,
    async expired() {
      const isRunning = eq(turns.status, 'running');
      const running = await db.read.select(turnColumns).from(turns).where(isRunning).orderBy(asc(turns.leaseExpiresAt));
      return running.filter((turn) => watch.hasRunOut(leaseOf(turn), now()));
    },

    settle: (turnId) => db.write(async (tx) => ({ settled: await settleTurn(tx, turnId, now(), watch) })),

    async releaseDeadCompactions() {
      const rows = await compactedSessions(db.read);
      const isAnyDead = rows.some((row) => watch.hasRunOut(compactionLease(row), now(), LATE_RENEWAL_MS));
      const late = { watch, now: now(), lateMs: LATE_RENEWAL_MS };
      const released = isAnyDead ? await db.write((tx) => releaseDead(tx, late)) : 0;
      await deleteAbandonedImports(db);
      return released;
    },

    endLapsedKeyWork: () => endLapsedKeyWork(db, now()),
    sessionsWithQueue: async () => (await selectForgottenQueues(db.read)).map(({ sessionId }) => sessionId),
    leftWork: () => findLeftWork(db.read, now(), watch, LATE_RENEWAL_MS),
  };
}

/** Reads how much of the turn's answer is stored. */
async function persistedOf(tx: StoreTransaction, turnId: string): Promise<Persisted> {
  const isOpenCall = and(eq(messageParts.type, 'tool-call'), inArray(messageParts.state, ['pending', 'running']));
  const row = await tx
    .select({ parts: count(), openCalls: sql<number>`coalesce(sum(${isOpenCall}), 0)` })
    .from(messages)
    .innerJoin(messageParts, eq(messageParts.messageId, messages.id))
    .where(and(eq(messages.turnId, turnId), eq(messages.role, 'assistant'), ne(messageParts.type, 'step-start')))
    .get();
  if (!row || row.parts === 0) return null;
  return row.openCalls > 0 ? 'tools_in_progress' : 'partial_assistant';
}
