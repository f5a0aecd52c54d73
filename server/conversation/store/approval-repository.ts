import { and, asc, count, eq, inArray, isNotNull, ne, type SQL, sql } from 'drizzle-orm';
import { ConflictError, NotFoundError } from '#server/core/errors';
import {
  type Approval,
  type ApprovalDecision,
  approvalIdOf,
  partIdOfApproval,
} from '#server/core/conversation/approvals';
import { commonScopes } from '#server/core/admin/access-rights';
import { type ToolEffect, toolEffectSchema } from '#server/core/conversation/tool-effect';
import type { ApprovalStore, AskedCall } from '#server/core/conversation/turn-store';
import { serverText } from '#server/core/messages/server-text';
import { lapsedKeys } from '#server/platform/auth/store/api-key-repository';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import type { LeaseWatch } from '#server/platform/database/leases';
import { parseJsonColumn, storableText } from '#server/platform/database/json-column';
import { partFromRow } from '#server/conversation/store/part-codec';
import { users } from '#server/platform/database/schema/people';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { approvals, turns } from '#server/platform/database/schema/turns';
import { addTurnStart } from '#server/conversation/store/event-repository';
import { readSessionState, turnColumns } from '#server/conversation/store/turn-rows';

/** Maximum number of calls in the list for editors. */
const MOST_EDITORIAL = 100;

/** `now` returns epoch milliseconds. */
export function createApprovalRepository(db: Database, now: () => number, watch: LeaseWatch): ApprovalStore {
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
    approvalsOf: (partIds) =>
      partIds.length === 0
        ? Promise.resolve([])
        : load(sql`${approvals.partId} in (select value from json_each(${JSON.stringify(partIds)}))`),
    shortenedApprovals: (sessionId) =>
      load(
        and(
          eq(approvals.status, 'pending'),
          isNotNull(approvals.effect),
          sql`json_extract(${approvals.effect}, '$.digest') is null`,
          sessionId === undefined ? undefined : eq(approvals.sessionId, sessionId),
        ),
      ),
    replaceEffect: (partId, effect) =>
      db.write(async (tx) => {
        await tx
          .update(approvals)
          .set({ effect: storableText(JSON.stringify(effect)) })
          .where(and(eq(approvals.partId, partId), eq(approvals.status, 'pending')));
      }),

    async editorialCalls({ sessionId, sites = null, decided } = {}) {
      const rows = await db.read
        .select({
          approval: approvals,
          part: messageParts,
          userId: sessions.ownerId,
          userName: users.name,
          siteId: sessions.siteId,
        })
        .from(approvals)
        .innerJoin(messageParts, eq(messageParts.id, approvals.partId))
        .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
        .innerJoin(users, eq(users.id, sessions.ownerId))
        .where(
          and(
            decided === undefined
              ? eq(approvals.status, 'pending')
              : and(ne(approvals.status, 'pending'), inArray(approvals.partId, decided.map(partIdOfApproval))),
            eq(users.role, 'author'),
            eq(users.banned, false),
            sql`(${users.sites} is null or exists (select 1 from json_each(${users.sites}) where value = ${sessions.siteId}))`,
            sessionId === undefined ? undefined : eq(approvals.sessionId, sessionId),
            sites === null ? undefined : inArray(sessions.siteId, [...sites]),
          ),
        )
        .orderBy(asc(approvals.createdAt), asc(approvals.partId))
        .limit(MOST_EDITORIAL);
      return rows.map(({ userId, userName, siteId, ...row }) => {
        const { status: _status, reason: _reason, decidedAt: _at, ...call } = approvalFromRows(row);
        return { ...call, userId, userName, siteId, createdAt: row.approval.createdAt };
      });
    },

    decide: (sessionId, decisions, { leaseOwner, leaseMs }, decider) =>
      db.write(async (tx) => {
        const time = now();
        const session = await readSessionState(tx, sessionId, time, watch);
        if (session?.compacting) throw new ConflictError(serverText('compaction-before-decision'));
        for (const decision of decisions) await recordDecision(tx, sessionId, decision, time);
        const left = await tx.select({ count: count() }).from(approvals).where(pendingIn(sessionId)).get();
        const pending = left?.count ?? 0;
        if (pending > 0) return { turn: null, pending };
        const isPaused = and(eq(turns.sessionId, sessionId), eq(turns.status, 'waiting_approval'));
        const paused = await tx.select(turnColumns).from(turns).where(isPaused).get();
        // Lapsed keys no longer count: the person who decides takes over the turn.
        const former = paused?.keyIds ?? [];
        const lapsed = await lapsedKeys(tx, former, time);
        const keyIds = new Set(former.filter((id) => !lapsed.has(id)));
        if (decider && decider.keyId !== null) keyIds.add(decider.keyId);
        const isTaken = paused !== undefined && lapsed.size > 0;
        // A key of the turn has lapsed and no call was approved: the turn is stopped as soon as it runs.
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
        if (turn) addTurnStart(tx, turn, time);
        return { turn: turn ?? null, pending };
      }),
  };
}

/** Records that these calls of the turn wait for the user. */
export async function askApprovals(
  tx: StoreTransaction,
  turnId: string,
  asked: readonly AskedCall[],
  createdAt: number,
): Promise<void> {
  if (asked.length === 0) return;
  const effects = new Map(asked.map(({ partId, effect }) => [partId, effect && storableText(JSON.stringify(effect))]));
  const rows = await tx
    .select()
    .from(messageParts)
    .where(inArray(messageParts.id, [...effects.keys()]));
  const calls = rows.map(partFromRow).filter((part) => part.type === 'tool-call');
  for (const { id, sessionId, content } of calls) {
    const { toolCallId } = content;
    const effect = effects.get(id) ?? null;
    const row = { partId: id, sessionId, turnId, toolCallId, status: 'pending', effect, createdAt } as const;
    tx.later(() => tx.insert(approvals).values(row));
  }
}

/** True if a call of the turn that has not run yet was approved. */
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
  { approvalId, approved, reason }: ApprovalDecision,
  decidedAt: number,
): Promise<void> {
  const ofCall = and(eq(approvals.sessionId, sessionId), eq(approvals.partId, partIdOfApproval(approvalId)));
  const row = await tx.select().from(approvals).where(ofCall).get();
  if (!row) throw new NotFoundError('approval', approvalId);
  if (row.status !== 'pending') throw new ConflictError(serverText('call-decided', { call: row.toolCallId }));
  const effect = effectFromRow(row);
  if (approved && effect !== null && effect.digest === undefined)
    throw new ConflictError(serverText('call-of-earlier-version'));
  if (approvalIdOf(row.partId, effect) !== approvalId) throw new ConflictError(serverText('call-changed'));
  await tx
    .update(approvals)
    .set({
      status: approved ? 'approved' : 'denied',
      reason: reason === undefined ? null : storableText(reason),
      decidedAt,
    })
    .where(ofCall)
    .run();
}

function approvalFromRows(row: {
  approval: typeof approvals.$inferSelect;
  part: typeof messageParts.$inferSelect;
}): Approval {
  const { createdAt: _, effect: _effect, ...approval } = row.approval;
  const effect = effectFromRow(row.approval);
  const part = partFromRow(row.part);
  if (part.type !== 'tool-call') throw new Error(`The approval of part ${part.id} is not of a tool call.`);
  const { toolName, input } = part.content;
  return { approvalId: approvalIdOf(approval.partId, effect), ...approval, toolName, input, effect };
}

function effectFromRow({ partId, effect }: typeof approvals.$inferSelect): ToolEffect | null {
  return effect === null ? null : parseJsonColumn(toolEffectSchema, effect, { table: 'approvals', id: partId });
}
