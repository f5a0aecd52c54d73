import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { CANCELLED, CANCELLED_BY_USER, INTERRUPTED_TOOL } from '#server/core/turns';
import { answerOpenCalls, insertBehind } from '#server/store/answer-open-calls';
import type { ToolCallPart } from '#server/core/parts';
import { releaseDead } from '#server/store/compaction-lease';
import type { StoreTransaction } from '#server/store/database';
import type { LeaseWatch } from '#server/store/lease-watch';
import { approvals, messageParts, messages, sessions, turns } from '#server/store/schema';
import { leaseOf, turnColumns } from '#server/store/turn-rows';

/** The result of a call that was open when its turn failed. */
const FAILED_TOOL =
  'Not finished: the turn failed for an internal reason. Check the current state before repeating it.';

/**
 * Closes everything that a turn left open whose lease has run out, so that the session can go on: streaming messages
 * become `interrupted` and keep their text, tool calls without a result get one that says so, the turn becomes
 * `interrupted`, or `cancelled` when the user had asked for that, and an expired compaction lets go of the session.
 *
 * Returns false, with nothing changed, when the turn is not running or its lease still holds.
 */
export async function settleTurn(
  tx: StoreTransaction,
  turnId: string,
  now: number,
  watch: LeaseWatch,
): Promise<boolean> {
  const isRunning = and(eq(turns.id, turnId), eq(turns.status, 'running'));
  const found = await tx.select(turnColumns).from(turns).where(isRunning).get();
  if (!found || !watch.hasRunOut(leaseOf(found), now)) return false;
  const turn = await tx
    .update(turns)
    .set({
      status: sql`case when ${turns.cancelRequestedAt} is null then 'interrupted' else 'cancelled' end`,
      endedAt: now,
    })
    .where(isRunning)
    .returning({ sessionId: turns.sessionId, status: turns.status })
    .get();
  if (!turn) return false;
  const isCancelled = turn.status === 'cancelled';
  // What a call that ran has done before its server died nobody knows.
  const wordsFor = ({ state }: ToolCallPart) =>
    isCancelled && state === 'pending' ? CANCELLED_BY_USER : INTERRUPTED_TOOL;
  await answerOpenCalls(tx, turnId, (call) => ({ type: 'error-text', value: wordsFor(call) }), now);
  await closeParts(tx, turnId);
  if (isCancelled) await markCancelled(tx, turnId, now);
  await tx
    .update(messages)
    .set({ status: 'interrupted' })
    .where(and(eq(messages.turnId, turnId), eq(messages.status, 'streaming')));
  await tx
    .update(approvals)
    .set({ status: 'denied', reason: INTERRUPTED_TOOL, decidedAt: now })
    .where(and(eq(approvals.turnId, turnId), eq(approvals.status, 'pending')));
  await releaseDead(tx, { watch, now }, eq(sessions.id, turn.sessionId));
  return true;
}

/** Closes what a turn has left open that fails where it could not close it itself: nothing of it goes on. */
export async function closeFailedTurn(tx: StoreTransaction, turnId: string, now: number): Promise<void> {
  await answerOpenCalls(tx, turnId, () => ({ type: 'error-text', value: FAILED_TOOL }), now);
  await closeParts(tx, turnId);
  await tx
    .update(messages)
    .set({ status: 'failed' })
    .where(and(eq(messages.turnId, turnId), eq(messages.status, 'streaming')));
}

/** Text and reasoning end where they are; calls that are still open have failed. */
async function closeParts(tx: StoreTransaction, turnId: string): Promise<void> {
  const ofTurn = tx.select({ id: messages.id }).from(messages).where(eq(messages.turnId, turnId));
  const open = and(inArray(messageParts.messageId, ofTurn), inArray(messageParts.state, ['pending', 'running']));
  await tx
    .update(messageParts)
    .set({ state: sql`case ${messageParts.type} when 'tool-call' then 'error' else 'completed' end` })
    .where(open);
}

/** An answer that was still going on ends with a message that says it was stopped. */
async function markCancelled(tx: StoreTransaction, turnId: string, now: number): Promise<void> {
  const last = await tx
    .select()
    .from(messages)
    .where(and(eq(messages.turnId, turnId), eq(messages.isSummary, false)))
    .orderBy(desc(messages.seq))
    .get();
  if (!last) return;
  if (last.role !== 'assistant') {
    const { sessionId, seq, parentId, modelId } = last;
    const empty = { role: 'assistant', status: 'interrupted', parts: [], turnId, modelId } as const;
    const answers = last.role === 'user' ? last.id : parentId;
    await insertBehind(tx, { sessionId, seq }, { ...empty, parentId: answers }, now, { finishReason: CANCELLED });
  } else if (last.status === 'streaming') {
    await tx.update(messages).set({ finishReason: CANCELLED }).where(eq(messages.id, last.id));
  }
}
