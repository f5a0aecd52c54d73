import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Message } from '#server/core/conversation/messages';
import { CANCELLED, CANCELLED_BY_USER, INPUT_CUT, INTERRUPTED_TOOL } from '#server/core/conversation/turns';
import type { NewPart, PartState, ToolCallPart } from '#server/core/conversation/parts';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { releaseDead } from '#server/conversation/store/compaction-lease';
import type { StoreTransaction } from '#server/platform/database/database';
import type { LeaseWatch } from '#server/platform/database/leases';
import { withParts } from '#server/conversation/store/message-rows';
import { appendParts, insertBehind } from '#server/conversation/store/message-writer';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { approvals, turns } from '#server/platform/database/schema/turns';
import { leaseOf, turnColumns } from '#server/conversation/store/turn-rows';

const OPEN_STATES: PartState[] = ['input-streaming', 'pending', 'running'];

/** The result of a call that was open when its turn failed. */
const FAILED_TOOL =
  'Not finished: the turn failed for an internal reason. Check the current state before repeating it.';

/**
 * Closes everything that a turn with an expired lease left open, so that the session can continue: streaming messages
 * become `interrupted` and keep their text, tool calls without a result get one with that reason, the turn becomes
 * `interrupted`, or `cancelled` if the user had requested that, and an expired compaction lease is released.
 *
 * Returns false, with nothing changed, if the turn is not running or its lease is still valid.
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
  // It is unknown what a call did that was running when its server died.
  const wordsFor = ({ state }: ToolCallPart) => {
    if (isCancelled && state !== 'running') return CANCELLED_BY_USER;
    return state === 'input-streaming' ? INPUT_CUT : INTERRUPTED_TOOL;
  };
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

/** Closes what a failed turn left open because it could not close it itself; nothing of the turn continues. */
export async function closeFailedTurn(tx: StoreTransaction, turnId: string, now: number): Promise<void> {
  const wordsFor = ({ state }: ToolCallPart) => (state === 'input-streaming' ? INPUT_CUT : FAILED_TOOL);
  await answerOpenCalls(tx, turnId, (call) => ({ type: 'error-text', value: wordsFor(call) }), now);
  await closeParts(tx, turnId);
  await tx
    .update(messages)
    .set({ status: 'failed' })
    .where(and(eq(messages.turnId, turnId), eq(messages.status, 'streaming')));
}

/** Ends text and reasoning where they are; calls that are still open become failed. */
async function closeParts(tx: StoreTransaction, turnId: string): Promise<void> {
  const ofTurn = tx.select({ id: messages.id }).from(messages).where(eq(messages.turnId, turnId));
  const open = and(inArray(messageParts.messageId, ofTurn), inArray(messageParts.state, OPEN_STATES));
  await tx
    .update(messageParts)
    .set({ state: sql`case ${messageParts.type} when 'tool-call' then 'error' else 'completed' end` })
    .where(open);
}

/** If the answer was incomplete, ends it with a message that it was stopped. */
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

/**
 * Adds a failed result for every call of the turn's last step without one: to the step's existing results, or in a tool
 * message directly after the calls.
 */
async function answerOpenCalls(
  tx: StoreTransaction,
  turnId: string,
  outputOf: (call: ToolCallPart) => ToolOutput,
  now: number,
): Promise<void> {
  const step = await readLastStep(tx, turnId);
  if (!step) return;
  const { assistant, results } = step;
  const answered = new Set(results.flatMap(({ parts }) => parts).map(resultOf));
  const open = assistant.parts.filter(
    (part): part is ToolCallPart => part.type === 'tool-call' && !answered.has(part.content.toolCallId),
  );
  if (open.length === 0) return;
  const openIds = open.map(({ id }) => id);
  await tx.update(messageParts).set({ state: 'error' }).where(inArray(messageParts.id, openIds));
  const parts = open.map((call) => failedResult(call, outputOf(call)));
  const last = results.at(-1);
  if (last) await appendParts(tx, last, parts, now);
  else await insertBehind(tx, assistant, { role: 'tool', parts, turnId, parentId: assistant.parentId }, now);
}

function resultOf(part: Message['parts'][number]): string | undefined {
  return part.type === 'tool-result' ? part.content.toolCallId : undefined;
}

function failedResult({ content: { toolCallId, toolName } }: ToolCallPart, output: ToolOutput): NewPart {
  return { type: 'tool-result', content: { toolCallId, toolName, output }, state: 'error' };
}

/** The turn's last assistant message and the tool messages with its results. */
async function readLastStep(
  tx: StoreTransaction,
  turnId: string,
): Promise<{ assistant: Message; results: Message[] } | undefined> {
  const ofTurn = and(eq(messages.turnId, turnId), eq(messages.isSummary, false));
  const row = await tx
    .select()
    .from(messages)
    .where(and(ofTurn, eq(messages.role, 'assistant')))
    .orderBy(desc(messages.seq))
    .get();
  if (!row) return undefined;
  const toolRows = await tx
    .select()
    .from(messages)
    .where(and(ofTurn, eq(messages.role, 'tool'), gt(messages.seq, row.seq)))
    .orderBy(asc(messages.seq));
  const [assistant] = await withParts(tx, [row]);
  return assistant && { assistant, results: await withParts(tx, toolRows) };
}

/** Reason stored with a declined call for which the user gave no decision. */
export const WROTE_SOMETHING_ELSE = 'The user wrote something else instead.';

/**
 * Denies every call of the session that waits for approval, and the calls of the same step that are approved but have
 * not run. Each gets a result with that reason, and its turn ends.
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
