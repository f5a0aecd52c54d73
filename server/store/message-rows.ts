import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { type CoalescedMetadata, type Message, type NewMessage, usageSchema } from '#server/core/messages';
import { type NewPart, type Part, type ToolOutput, toolOutputSchema } from '#server/core/parts';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { isSession } from '#server/store/delete-session';
import { parseJsonColumn, partFromRow, type PartRow, partToRow } from '#server/store/part-codec';
import { messageParts, messages, sessions } from '#server/store/schema/sessions';

/** Rows per INSERT: 15 columns each stay far below SQLite's 32,766 parameters. */
const ROWS_PER_INSERT = 500;

/** What only the store itself sets on a new message. */
export interface MessageExtras {
  readonly isSummary?: boolean;
  readonly finishReason?: string;
  /** Of an import that is not through yet: the session is not marked as used. */
  readonly supersededBy?: string;
}

/**
 * Appends messages to a session in their order and marks the session as used.
 *
 * @throws NotFoundError when the session does not exist.
 */
export async function insertMessages(
  tx: StoreTransaction,
  sessionId: string,
  newMessages: readonly NewMessage[],
  createdAt: number,
  extras: MessageExtras = {},
): Promise<Message[]> {
  const touched = await tx
    .update(sessions)
    .set({ updatedAt: extras.supersededBy === undefined ? createdAt : sql`${sessions.updatedAt}` })
    .where(isSession(sessionId))
    .run();
  if (touched.rowsAffected === 0) throw new NotFoundError('session', sessionId);

  const firstSeq = await nextSeq(tx, sessionId);
  const rows = newMessages.map((message, index) => ({
    ...messageToRow(message, sessionId, createdAt, extras),
    seq: firstSeq + index,
  }));
  const partRows = rows.flatMap((row, index) =>
    newMessages[index]!.parts.map((part, order) => partToRow(part, { messageId: row.id, sessionId, order, createdAt })),
  );
  const stored = messagesFromRows(rows, partRows);
  for (const chunk of chunks(rows)) await tx.insert(messages).values(chunk);
  for (const chunk of chunks(partRows)) await tx.insert(messageParts).values(chunk);
  return stored;
}

async function nextSeq(tx: StoreTransaction, sessionId: string): Promise<number> {
  const last = await tx
    .select({ seq: sql<number>`coalesce(max(${messages.seq}), 0)` })
    .from(messages)
    .where(eq(messages.sessionId, sessionId))
    .get();
  return (last?.seq ?? 0) + 1;
}

function messageToRow(
  message: NewMessage,
  sessionId: string,
  createdAt: number,
  { isSummary = false, finishReason, supersededBy }: MessageExtras,
): Omit<MessageRow, 'seq'> {
  return {
    id: message.id ?? createId('msg'),
    sessionId,
    role: message.role,
    status: message.status ?? 'complete',
    isSummary,
    parentId: message.parentId ?? null,
    turnId: message.turnId ?? null,
    modelId: message.modelId ?? null,
    finishReason: finishReason ?? message.finishReason ?? null,
    error: message.error ?? null,
    usage: message.usage ? JSON.stringify(message.usage) : null,
    metadata: message.metadata ? JSON.stringify(message.metadata) : null,
    content: null,
    supersededBy: supersededBy ?? null,
    createdAt,
  };
}

function chunks<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / ROWS_PER_INSERT);
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROWS_PER_INSERT, (i + 1) * ROWS_PER_INSERT));
}

/** Reads the parts of messages that are known to be one after the other in a session. */
export async function withParts(reader: Pick<StoreReader, 'select'>, rows: readonly MessageRow[]): Promise<Message[]> {
  const [first, last] = [rows.at(0), rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const partRows = await reader
    .select({ part: messageParts })
    .from(messages)
    .innerJoin(messageParts, eq(messageParts.messageId, messages.id))
    .where(and(eq(messages.sessionId, first.sessionId), sql`${messages.seq} between ${first.seq} and ${last.seq}`))
    .orderBy(asc(messages.seq), asc(messageParts.order));
  return messagesFromRows(
    rows,
    partRows.map(({ part }) => part),
  );
}

/**
 * Moves the content of legacy messages into parts, which keep the ids they were read with. Leaves all other messages
 * as they are. Returns how many parts it made.
 */
export async function backfillLegacyMessages(tx: StoreTransaction, messageIds: readonly string[]): Promise<number> {
  const rows = await tx
    .select()
    .from(messages)
    .where(
      and(
        inArray(messages.id, [...messageIds]),
        sql`${messages.content} is not null`,
        sql`not exists (select 1 from ${messageParts} where ${messageParts.messageId} = ${messages.id})`,
      ),
    );
  const partRows = rows.flatMap((row) => (row.content === null ? [] : legacyPartRows(row, row.content)));
  for (const chunk of chunks(partRows)) await tx.insert(messageParts).values(chunk);
  return partRows.length;
}

export type MessageRow = typeof messages.$inferSelect;

const metadataSchema: z.ZodType<CoalescedMetadata> = z.object({
  coalesced: z.literal(true),
  messageCount: z.number(),
  originalMessages: z.array(z.string()),
  firstQueuedAt: z.number(),
  lastQueuedAt: z.number(),
});

/**
 * The message that a row and the rows of its parts (in order) hold. A message without parts is read from its legacy
 * content, when it has that.
 *
 * @throws CorruptRowError when a JSON column cannot be read.
 */
function messageFromRows(row: MessageRow, partRows: readonly PartRow[]): Message {
  const { content, usage, metadata, ...columns } = row;
  const place = { table: 'messages', id: row.id };
  const rows = partRows.length === 0 && content !== null ? legacyPartRows(row, content) : partRows;
  return {
    ...columns,
    usage: usage === null ? null : parseJsonColumn(usageSchema, usage, place),
    metadata: metadata === null ? null : parseJsonColumn(metadataSchema, metadata, place),
    parts: rows.map(partFromRow),
  };
}

/** Puts part rows to their messages, keeping the order of both. */
export function messagesFromRows(rows: readonly MessageRow[], partRows: readonly PartRow[]): Message[] {
  const byMessage = Map.groupBy(partRows, (part) => part.messageId);
  return rows.map((row) => messageFromRows(row, byMessage.get(row.id) ?? []));
}

/** The rows that the parts of a legacy message would have; their ids stay the same on every read. */
export function legacyPartRows(row: MessageRow, content: string): PartRow[] {
  return parseLegacyContent(content).map((part: NewPart, order) => ({
    ...partToRow(part, { messageId: row.id, sessionId: row.sessionId, order, createdAt: row.createdAt }),
    id: legacyPartId(row.id, order),
  }));
}

/** The id of a legacy message's part, for as long as it has no row of its own and afterwards. */
function legacyPartId(messageId: string, order: number): Part['id'] {
  return `${messageId}.${order}`;
}

/** The message that a legacy part id belongs to; null for the id of an ordinary part. */
export function messageIdOfLegacyPart(partId: string): string | null {
  return /^(.+)\.\d+$/.exec(partId)?.[1] ?? null;
}

/*
 * Messages from before parts existed hold everything in one column: a JSON string, `{text}`, or an array of parts in
 * the shapes that older SDK versions used. Nothing is dropped: what is not understood is kept as its own text.
 */

const textSchema = z.object({ type: z.enum(['text', 'reasoning']), text: z.string() });
const toolCallSchema = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  toolName: z.string(),
  input: jsonValueSchema.optional(),
  args: jsonValueSchema.optional(),
});
const toolResultSchema = z.object({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  toolName: z.string(),
  output: jsonValueSchema.optional(),
  result: jsonValueSchema.optional(),
  isError: z.boolean().optional(),
});
const fileSchema = z.object({
  type: z.enum(['file', 'image']),
  url: z.string().optional(),
  data: z.string().optional(),
  image: z.string().optional(),
  mediaType: z.string().optional(),
  mimeType: z.string().optional(),
  filename: z.string().optional(),
});
const wholeTextSchema = z.union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)]);

/** The parts of a legacy message. Content that is not JSON is plain text. */
export function parseLegacyContent(content: string): NewPart[] {
  const value = parseJson(content);
  if (Array.isArray(value)) return value.map(parseLegacyPart);
  const text = wholeTextSchema.safeParse(value);
  return [textPart(text.success ? text.data : content)];
}

function parseJson(content: string): JsonValue | undefined {
  try {
    return JSON.parse(content) as JsonValue;
  } catch {
    return undefined;
  }
}

function parseLegacyPart(value: JsonValue): NewPart {
  if (typeof value === 'string') return textPart(value);
  return (
    parseText(value) ??
    parseToolCall(value) ??
    parseToolResult(value) ??
    parseFile(value) ??
    textPart(JSON.stringify(value))
  );
}

function textPart(text: string): NewPart {
  return { type: 'text', content: { text } };
}

function parseText(value: JsonValue): NewPart | undefined {
  const { data } = textSchema.safeParse(value);
  return data && { type: data.type, content: { text: data.text } };
}

function parseToolCall(value: JsonValue): NewPart | undefined {
  const { data } = toolCallSchema.safeParse(value);
  if (!data) return undefined;
  const { toolCallId, toolName, input, args } = data;
  return { type: 'tool-call', content: { toolCallId, toolName, input: input ?? args ?? {} } };
}

function parseToolResult(value: JsonValue): NewPart | undefined {
  const { data } = toolResultSchema.safeParse(value);
  if (!data) return undefined;
  const { toolCallId, toolName, isError = false } = data;
  const output = parseOutput(data.output ?? data.result ?? null, isError);
  const failed = output.type === 'error-text' || output.type === 'error-json';
  return {
    type: 'tool-result',
    content: { toolCallId, toolName, output },
    state: failed ? 'error' : 'completed',
  };
}

function parseOutput(value: JsonValue, isError: boolean): ToolOutput {
  const { data } = toolOutputSchema.safeParse(value);
  if (data) return data;
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value };
}

function parseFile(value: JsonValue): NewPart | undefined {
  const { data } = fileSchema.safeParse(value);
  const source = data?.url ?? data?.data ?? data?.image;
  if (!data || source === undefined) return undefined;
  const mediaType = data.mediaType ?? data.mimeType ?? (data.type === 'image' ? 'image/*' : 'application/octet-stream');
  const url = /^(data|https?):/.test(source) ? source : `data:${mediaType};base64,${source}`;
  return {
    type: 'file',
    content: data.filename === undefined ? { mediaType, url } : { mediaType, url, filename: data.filename },
  };
}
