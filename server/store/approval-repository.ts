import { and, asc, count, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { Approval, ApprovalDecision } from '#server/core/approvals';
import { commonScopes } from '#server/core/access-rights';
import { toolEffectSchema } from '#server/core/tool-effect';
import type { ApprovalStore, AskedCall } from '#server/core/turn-store';
import { lapsedKeys } from '#server/store/api-key-repository';
import type { Database, StoreTransaction } from '#server/store/database';
import type { LeaseWatch } from '#server/store/leases';
import { parseJsonColumn, partFromRow, storableText } from '#server/store/part-codec';
import { users } from '#server/store/schema/people';
import { messageParts, messages, sessions } from '#server/store/schema/sessions';
import { approvals, turns } from '#server/store/schema/turns';
import { readSessionState, turnColumns } from '#server/store/turn-rows';

/** Calls for editors that are listed at once. */
const MOST_EDITORIAL = 100;

/** `now` gives epoch milliseconds. */
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
              : and(ne(approvals.status, 'pending'), inArray(approvals.toolCallId, [...decided])),
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
