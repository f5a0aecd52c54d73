import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Message, NewMessage } from '#server/core/messages';
import type { NewPart, ToolCallPart, ToolOutput } from '#server/core/parts';
import type { StoreTransaction } from '#server/store/database';
import { insertMessages, withParts, type MessageExtras } from '#server/store/message-rows';
import { partToRow } from '#server/store/part-codec';
import { messageParts, messages } from '#server/store/schema';

/**
 * Gives every call of the turn's last step that has no result one, as failed: with the results that the step has
 * already, or in a tool message right behind the calls.
 */
export async function answerOpenCalls(
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
  if (last) await addResults(tx, last, parts, now);
  else await insertBehind(tx, assistant, { role: 'tool', parts, turnId, parentId: assistant.parentId }, now);
}

function resultOf(part: Message['parts'][number]): string | undefined {
  return part.type === 'tool-result' ? part.content.toolCallId : undefined;
}

function failedResult({ content: { toolCallId, toolName } }: ToolCallPart, output: ToolOutput): NewPart {
  return { type: 'tool-result', content: { toolCallId, toolName, output }, state: 'error' };
}

/** The turn's last assistant message and the tool messages that answer it. */
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

async function addResults(tx: StoreTransaction, message: Message, parts: readonly NewPart[], createdAt: number) {
  const next = (message.parts.at(-1)?.order ?? -1) + 1;
  const place = { messageId: message.id, sessionId: message.sessionId, createdAt };
  await tx.insert(messageParts).values(parts.map((part, i) => partToRow(part, { ...place, order: next + i })));
}

/** Inserts a message right behind another, also when the session has gone on since. */
export async function insertBehind(
  tx: StoreTransaction,
  before: Pick<Message, 'sessionId' | 'seq'>,
  message: NewMessage,
  now: number,
  extras?: MessageExtras,
): Promise<void> {
  const { sessionId, seq } = before;
  const [inserted] = await insertMessages(tx, sessionId, [message], now, extras);
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
