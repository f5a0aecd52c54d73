import { and, eq, inArray } from 'drizzle-orm';
import { answerOpenCalls } from '#server/store/answer-open-calls';
import type { StoreTransaction } from '#server/store/database';
import { approvals, turns } from '#server/store/schema';

/** Why a call was denied that the user said nothing about. */
export const WROTE_SOMETHING_ELSE = 'The user wrote something else instead.';

/**
 * Denies every call of the session that waits for approval, with those approved beside it, which have not run either.
 * Each gets a result that says so, and its turn is over.
 */
export async function denyPending(tx: StoreTransaction, sessionId: string, now: number): Promise<void> {
  const waiting = await tx
    .selectDistinct({ turnId: approvals.turnId })
    .from(approvals)
    .where(and(eq(approvals.sessionId, sessionId), eq(approvals.status, 'pending')));
  for (const { turnId } of waiting) {
    await tx
      .update(approvals)
      .set({ status: 'denied', reason: WROTE_SOMETHING_ELSE, decidedAt: now })
      .where(and(eq(approvals.turnId, turnId), inArray(approvals.status, ['pending', 'approved'])));
    await tx
      .update(turns)
      .set({ status: 'completed', endedAt: now })
      .where(and(eq(turns.id, turnId), eq(turns.status, 'waiting_approval')));
    const denied = await tx
      .select({ partId: approvals.partId, reason: approvals.reason })
      .from(approvals)
      .where(eq(approvals.turnId, turnId));
    const reasons = new Map(denied.map(({ partId, reason }) => [partId, reason]));
    const denial = (reason = WROTE_SOMETHING_ELSE) => ({ type: 'execution-denied', reason }) as const;
    await answerOpenCalls(tx, turnId, ({ id }) => denial(reasons.get(id) ?? undefined), now);
  }
}
