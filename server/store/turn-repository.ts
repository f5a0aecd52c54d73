import { and, asc, count, eq, inArray, isNull, ne, notExists, or, sql, type SQL } from 'drizzle-orm';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { Approval, ApprovalDecision, Persisted } from '#server/core/messages';
import { commonScopes } from '#server/core/people';
import { toolEffectSchema } from '#server/core/tool-effect';
import type { ApprovalStore, AskedCall, TurnStore } from '#server/core/turn-store';
import { endLapsedKeyWork, lapsedKeys } from '#server/store/api-key-repository';
import { deleteAbandonedImports } from '#server/store/append-conversation';
import { beginQueuedTurn, beginTurn, drainQueue, findAccepted } from '#server/store/begin-turn';
import { compactedSessions, compactionLease, releaseDead } from '#server/store/compaction-lease';
import type { Database, StoreTransaction } from '#server/store/database';
import { LeaseWatch } from '#server/store/leases';
import { parseJsonColumn, partFromRow, storableText } from '#server/store/part-codec';
import { createQueueRepository, holdQueueBehind, withdrawReleases } from '#server/store/queue-repository';
import { findReplaceable } from '#server/store/replace-message';
import { users } from '#server/store/schema/people';
import { messageParts, messages, sessions } from '#server/store/schema/sessions';
import { approvals, queuedMessages, turns } from '#server/store/schema/turns';
import { closeFailedTurn, settleTurn } from '#server/store/settle-turn';
import { leaseOf, readSessionState, runningIn, setQueueHeld, turnColumns } from '#server/store/turn-rows';

/** Calls for editors that are listed at once. */
const MOST_EDITORIAL = 100;
/** A process that stood still may renew its compaction's lease this late; milliseconds. */
const LATE_RENEWAL_MS = 5_000;

/** `now` gives epoch milliseconds. */
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
        // A turn that ends just now must not start what waits.
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

    finish: (turnId, { status, error, approvals: asked = [], holdsQueue = false }) =>
      db.write(async (tx) => {
        const asks = status === 'waiting_approval';
        const open = and(
          eq(turns.id, turnId),
          eq(turns.status, 'running'),
          asks ? isNull(turns.cancelRequestedAt) : undefined,
        );
        const changes = { status, error: error && storableText(error), endedAt: now() };
        const { rowsAffected } = await tx.update(turns).set(changes).where(open).run();
        if (rowsAffected === 0) return false;
        await askApprovals(tx, turnId, asked, now());
        if (status === 'failed') await closeFailedTurn(tx, turnId, now());
        if (holdsQueue) await holdQueueBehind(tx, turnId);
        return true;
      }),

    find: async (turnId) => (await db.read.select(turnColumns).from(turns).where(eq(turns.id, turnId)).get()) ?? null,
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

    async sessionsWithQueue() {
      const one = { one: sql`1` };
      const ofSession = eq(turns.sessionId, queuedMessages.sessionId);
      const running = db.read
        .select(one)
        .from(turns)
        .where(and(ofSession, eq(turns.status, 'running')));
      const asking = db.read
        .select(one)
        .from(approvals)
        .where(and(eq(approvals.sessionId, queuedMessages.sessionId), eq(approvals.status, 'pending')));
      const rows = await db.read
        .selectDistinct({ sessionId: queuedMessages.sessionId })
        .from(queuedMessages)
        .innerJoin(sessions, eq(sessions.id, queuedMessages.sessionId))
        .where(
          and(
            or(eq(sessions.queueHeld, false), eq(queuedMessages.isReleased, true)),
            isNull(queuedMessages.heldReason),
            notExists(running),
            notExists(asking),
          ),
        );
      return rows.map(({ sessionId }) => sessionId);
    },
  };
}

/** Tells how much of the turn's answer is stored. */
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

/** `now` gives epoch milliseconds. */
function createApprovalRepository(db: Database, now: () => number, watch: LeaseWatch): ApprovalStore {
  async function load(where: SQL | undefined): Promise<Approval[]> {
    const rows = await db.read
      .select({ approval: approvals, part: messageParts })
      .from(approvals)
      .innerJoin(messageParts, eq(messageParts.id, approvals.partId))
      .innerJoin(messages, eq(messages.id, messageParts.messageId))
      .where(where)
      .orderBy(asc(messages.seq), asc(messageParts.order));
    return rows.map(approvalFromRows);
  }

  return {
    approvals: (turnId) => load(eq(approvals.turnId, turnId)),
    pendingApprovals: (sessionId) => load(pendingIn(sessionId)),

    async editorialCalls(sessionId) {
      const rows = await db.read
        .select({ approval: approvals, part: messageParts, userId: sessions.ownerId, userName: users.name })
        .from(approvals)
        .innerJoin(messageParts, eq(messageParts.id, approvals.partId))
        .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
        .innerJoin(users, eq(users.id, sessions.ownerId))
        .where(
          and(
            eq(approvals.status, 'pending'),
            eq(users.role, 'author'),
            eq(users.banned, false),
            sessionId === undefined ? undefined : eq(approvals.sessionId, sessionId),
          ),
        )
        .orderBy(asc(approvals.createdAt), asc(approvals.partId))
        .limit(MOST_EDITORIAL);
      return rows.map(({ userId, userName, ...row }) => {
        const { status: _status, reason: _reason, decidedAt: _at, ...call } = approvalFromRows(row);
        return { ...call, userId, userName, createdAt: row.approval.createdAt };
      });
    },

    decide: (sessionId, decisions, { leaseOwner, leaseMs }, decider) =>
      db.write(async (tx) => {
        const time = now();
        const session = await readSessionState(tx, sessionId, time, watch);
        if (session?.compacting)
          throw new ConflictError('This conversation is being compacted. Decide again in a moment.');
        for (const decision of decisions) await recordDecision(tx, sessionId, decision, time);
        const left = await tx.select({ count: count() }).from(approvals).where(pendingIn(sessionId)).get();
        const pending = left?.count ?? 0;
        if (pending > 0) return { turn: null, pending };
        const isPaused = and(eq(turns.sessionId, sessionId), eq(turns.status, 'waiting_approval'));
        const paused = await tx.select(turnColumns).from(turns).where(isPaused).get();
        // What has lapsed meanwhile stands for nothing any more: whoever decides has taken the turn over.
        const former = paused?.keyIds ?? [];
        const lapsed = await lapsedKeys(tx, former, time);
        const keyIds = new Set(former.filter((id) => !lapsed.has(id)));
        if (decider && decider.keyId !== null) keyIds.add(decider.keyId);
        const isTaken = paused !== undefined && lapsed.size > 0;
        // Nobody who may still do something wants it to go on: it is stopped as soon as it runs.
        const isUnwanted = isTaken && !(await isAnyApproved(tx, paused.id));
        const turn = await tx
          .update(turns)
          .set({
            status: 'running',
            keyIds: keyIds.size > 0 ? [...keyIds] : null,
            ...(isTaken && decider && { scopes: [...commonScopes(paused.scopes, decider.scopes)] }),
            ...(isUnwanted && { cancelRequestedAt: time }),
            leaseOwner,
            leaseExpiresAt: time + leaseMs,
            error: null,
            endedAt: null,
          })
          .where(isPaused)
          .returning(turnColumns)
          .get();
        return { turn: turn ?? null, pending };
      }),
  };
}

/** Notes that these calls of the turn wait for the user. */
async function askApprovals(
  tx: StoreTransaction,
  turnId: string,
  asked: readonly AskedCall[],
  createdAt: number,
): Promise<void> {
  const effects = new Map(asked.map(({ partId, effect }) => [partId, effect && storableText(JSON.stringify(effect))]));
  const rows = await tx
    .select()
    .from(messageParts)
    .where(inArray(messageParts.id, [...effects.keys()]));
  const calls = rows.map(partFromRow).filter((part) => part.type === 'tool-call');
  for (const { id, sessionId, content } of calls) {
    const { toolCallId } = content;
    const effect = effects.get(id) ?? null;
    await tx
      .insert(approvals)
      .values({ partId: id, sessionId, turnId, toolCallId, status: 'pending', effect, createdAt });
  }
}

/** True when a call of the turn that has not run yet was approved. */
async function isAnyApproved(tx: StoreTransaction, turnId: string): Promise<boolean> {
  const isApproved = and(eq(approvals.turnId, turnId), eq(approvals.status, 'approved'));
  const row = await tx
    .select({ id: approvals.partId })
    .from(approvals)
    .innerJoin(messageParts, eq(messageParts.id, approvals.partId))
    .where(and(isApproved, eq(messageParts.state, 'pending')))
    .get();
  return row !== undefined;
}

function pendingIn(sessionId: string) {
  return and(eq(approvals.sessionId, sessionId), eq(approvals.status, 'pending'));
}

async function recordDecision(
  tx: StoreTransaction,
  sessionId: string,
  { toolCallId, approved, reason }: ApprovalDecision,
  decidedAt: number,
): Promise<void> {
  // A model may use the id of an earlier call again: what waits is meant.
  const { rowsAffected } = await tx
    .update(approvals)
    .set({
      status: approved ? 'approved' : 'denied',
      reason: reason === undefined ? null : storableText(reason),
      decidedAt,
    })
    .where(and(pendingIn(sessionId), eq(approvals.toolCallId, toolCallId)))
    .run();
  if (rowsAffected > 0) return;
  const decided = await tx
    .select({ status: approvals.status })
    .from(approvals)
    .where(and(eq(approvals.sessionId, sessionId), eq(approvals.toolCallId, toolCallId)))
    .get();
  if (!decided) throw new NotFoundError('tool call that waits for approval', toolCallId);
  throw new ConflictError(`The tool call "${toolCallId}" was decided already.`);
}

function approvalFromRows(row: {
  approval: typeof approvals.$inferSelect;
  part: typeof messageParts.$inferSelect;
}): Approval {
  const { createdAt: _, effect, ...approval } = row.approval;
  const part = partFromRow(row.part);
  if (part.type !== 'tool-call') throw new Error(`The approval of part ${part.id} is not of a tool call.`);
  const { toolName, input } = part.content;
  return {
    ...approval,
    toolName,
    input,
    effect:
      effect === null ? null : parseJsonColumn(toolEffectSchema, effect, { table: 'approvals', id: approval.partId }),
  };
}
