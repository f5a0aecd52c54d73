import { z } from 'zod';
import { type JsonValue, jsonValueSchema, parseJson } from '#server/core/json';
import type { NewPart } from '#server/core/conversation/parts';
import { type ToolOutput, toolOutputSchema } from '#server/core/conversation/part-types/tool-output';
import { type PartRow, partToRow } from '#server/conversation/store/part-codec';
import type { messages } from '#server/platform/database/schema/sessions';

/* Messages from before parts existed store everything in one column: a JSON string, `{text}`, or an array of parts in
   the shapes of older SDK versions. Nothing is dropped: content of unknown shape is kept as text. */

/** The rows that the parts of a legacy message would have; their ids are the same on every read. */
export function legacyPartRows(row: typeof messages.$inferSelect, content: string): PartRow[] {
  return parseLegacyContent(content).map((part: NewPart, order) => ({
    ...partToRow(part, { messageId: row.id, sessionId: row.sessionId, order, createdAt: row.createdAt }),
    id: legacyPartId(row.id, order),
  }));
}

/** The id of a legacy message's part, both before and after it gets a row. */
function legacyPartId(messageId: string, order: number): string {
  return `${messageId}.${order}`;
}

/** The message that a legacy part id belongs to; null for the id of an ordinary part. */
export function messageIdOfLegacyPart(partId: string): string | null {
  return /^(.+)\.\d+$/.exec(partId)?.[1] ?? null;
}

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
