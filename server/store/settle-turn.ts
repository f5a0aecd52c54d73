import { and, asc, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Message, NewMessage } from '#server/core/messages';
import type { NewPart, ToolCallPart } from '#server/core/parts';
import type { StoreTransaction } from '#server/store/database';
import { insertMessages, withParts } from '#server/store/message-rows';
import { partToRow } from '#server/store/part-codec';
import { messageParts, messages, sessions, turns } from '#server/store/schema';

/** What the model reads as the result of a call whose tool was cut off. */
export const INTERRUPTED_TOOL =
  'Interrupted: the server stopped before this tool finished. Check the current state before repeating it.';

/**
 * Closes everything that a turn left open whose lease has run out, so that the session can go on: streaming messages
 * become `interrupted` and keep their text, tool calls without a result get one that says so, the turn becomes
 * `interrupted`, and an expired compaction lets go of the session.
 *
 * Returns false, with nothing changed, when the turn is not running or its lease still holds.
 */
export async function settleTurn(tx: StoreTransaction, turnId: string, now: number): Promise<boolean> {
  const turn = await tx
    .update(turns)
    .set({ status: 'interrupted', endedAt: now })
    .where(and(eq(turns.id, turnId), eq(turns.status, 'running'), lte(turns.leaseExpiresAt, now)))
    .returning({ sessionId: turns.sessionId })
    .get();
  if (!turn) return false;
  await answerOpenCalls(tx, turnId, now);
  await closeParts(tx, turnId);
  await tx
    .update(messages)
    .set({ status: 'interrupted' })
    .where(and(eq(messages.turnId, turnId), eq(messages.status, 'streaming')));
  await tx
    .update(sessions)
    .set({
      currentlyCompacting: false,
      compactingSince: null,
      compactionLeaseOwner: null,
      compactionLeaseExpiresAt: null,
    })
    .where(and(eq(sessions.id, turn.sessionId), lte(sessions.compactionLeaseExpiresAt, now)));
  return true;
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

async function answerOpenCalls(tx: StoreTransaction, turnId: string, now: number): Promise<void> {
  const lastStep = await loadLastStep(tx, turnId);
  if (!lastStep) return;
  const { assistant, results } = lastStep;
  const answered = new Set(toolCallIds(results?.parts ?? [], 'tool-result'));
  const parts = assistant.parts
    .filter((part): part is ToolCallPart => part.type === 'tool-call' && !answered.has(part.content.toolCallId))
    .map(({ content }) => interruptedResult(content.toolCallId, content.toolName));
  if (parts.length === 0) return;
  if (results) await addResults(tx, results, parts, now);
  else await insertBehind(tx, assistant, { role: 'tool', parts, turnId, parentId: assistant.parentId }, now);
}

function interruptedResult(toolCallId: string, toolName: string): NewPart {
  const output = { type: 'error-text', value: INTERRUPTED_TOOL } as const;
  return { type: 'tool-result', content: { toolCallId, toolName, output }, state: 'error' };
}

function toolCallIds(parts: Message['parts'], type: 'tool-call' | 'tool-result'): string[] {
  return parts.flatMap((part) => (part.type === type && 'toolCallId' in part.content ? [part.content.toolCallId] : []));
}

/** The turn's last assistant message and the tool message that answers it, if there is one. */
async function loadLastStep(
  tx: StoreTransaction,
  turnId: string,
): Promise<{ assistant: Message; results: Message | undefined } | undefined> {
  const ofTurn = and(eq(messages.turnId, turnId), eq(messages.isSummary, false));
  const row = await tx
    .select()
    .from(messages)
    .where(and(ofTurn, eq(messages.role, 'assistant')))
    .orderBy(desc(messages.seq))
    .get();
  if (!row) return undefined;
  const toolRow = await tx
    .select()
    .from(messages)
    .where(and(ofTurn, eq(messages.role, 'tool'), gt(messages.seq, row.seq)))
    .orderBy(asc(messages.seq))
    .get();
  const [assistant] = await withParts(tx, [row]);
  const [results] = toolRow ? await withParts(tx, [toolRow]) : [];
  return assistant && { assistant, results };
}

async function addResults(tx: StoreTransaction, message: Message, parts: readonly NewPart[], createdAt: number) {
  const next = (message.parts.at(-1)?.order ?? -1) + 1;
  const place = { messageId: message.id, sessionId: message.sessionId, createdAt };
  await tx.insert(messageParts).values(parts.map((part, i) => partToRow(part, { ...place, order: next + i })));
}

/** Inserts a message right behind another, also when the session has gone on since. */
async function insertBehind(tx: StoreTransaction, before: Message, message: NewMessage, now: number): Promise<void> {
  const { sessionId, seq } = before;
  const [inserted] = await insertMessages(tx, sessionId, [message], now);
  if (inserted!.seq === seq + 1) return;
  // `seq` is unique at every moment, so the later messages step aside below zero while all move up by one.
  await tx
    .update(messages)
    .set({ seq: sql`case when ${messages.id} = ${inserted!.id} then -(${seq} + 1) else -(${messages.seq} + 1) end` })
    .where(and(eq(messages.sessionId, sessionId), gt(messages.seq, seq)));
  await tx
    .update(messages)
    .set({ seq: sql`-${messages.seq}` })
    .where(and(eq(messages.sessionId, sessionId), sql`${messages.seq} < 0`));
}
