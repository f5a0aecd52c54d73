import { z } from 'zod';
import { withTokens } from '#server/context/part-tokens';
import { fileUrlSchema, type ImportedMessages, toDataUrl } from '#server/conversations/imported-messages';
import { fromOpenAIMessages, isOpenAIMessages } from '#server/conversations/openai-messages';
import { createBreathing, letOthersThrough } from '#server/core/breathe';
import { InvalidInputError } from '#server/core/errors';
import { jsonValueSchema } from '#server/core/json';
import { isEngineNote } from '#server/core/part-text';
import { messageStatuses, type NewMessage, roles, usageSchema } from '#server/core/messages';
import { type NewPart, partContentSchemas, type ToolOutput, toolOutputSchema } from '#server/core/parts';

/**
 * A conversation from elsewhere as messages of ours: AI SDK model messages, AI SDK UI messages, OpenAI chat messages or
 * those of our own export, told apart by their shape. Every message is kept; parts have their tokens counted.
 * @throws InvalidInputError naming the first message that fits no format
 */
export function importMessages(input: readonly unknown[]): ImportedMessages {
  const { messages, instructions } = convert(input);
  return { messages: messages.map(counted), instructions };
}

/** The same with others let through meanwhile, however long the conversation is. @throws InvalidInputError */
export async function importConversation(input: readonly unknown[]): Promise<ImportedMessages> {
  const breathe = createBreathing();
  // Whoever read the body has kept others waiting.
  await letOthersThrough();
  const read = await readerOf(input, breathe);
  const imported = read();
  await breathe();
  const messages: NewMessage[] = [];
  for (const message of imported.messages) {
    await breathe();
    messages.push(counted(message));
  }
  return { messages, instructions: imported.instructions };
}

function counted(message: NewMessage): NewMessage {
  return { ...message, parts: message.parts.map(withTokens) };
}

/** A format of messages, with what reads it. */
const formats = [
  (input: readonly unknown[]) => isExportedMessages(input) && (() => fromExportedMessages(input)),
  (input: readonly unknown[]) => isUIFormat(input) && (() => fromUIMessages(input)),
  (input: readonly unknown[]) => isOpenAIMessages(input) && (() => fromOpenAIMessages(input)),
  (input: readonly unknown[]) => isModelMessages(input) && (() => fromModelMessages(input)),
];

/** @throws InvalidInputError */
function convert(input: readonly unknown[]): ImportedMessages {
  for (const format of formats) {
    const read = format(input);
    if (read) return read();
  }
  return refuse(input);
}

/** @throws InvalidInputError */
async function readerOf(input: readonly unknown[], breathe: () => Promise<void>): Promise<() => ImportedMessages> {
  for (const format of formats) {
    const read = format(input);
    await breathe();
    if (read) return read;
  }
  return refuse(input);
}

function refuse(input: readonly unknown[]): never {
  const index = input.findIndex(
    (message) => ![isExportedMessages, isUIFormat, isOpenAIMessages, isModelMessages].some((is) => is([message])),
  );
  throw new InvalidInputError(
    index === -1
      ? 'The messages mix several formats.'
      : `Message ${index + 1} is neither an AI SDK model message, a UI message nor an OpenAI chat message.`,
  );
}

/** Ours have parts too, with their texts elsewhere. */
function isUIFormat(input: readonly unknown[]): input is Parameters<typeof fromUIMessages>[0][number][] {
  return !input.some(resemblesExported) && isUIMessages(input);
}

const metadata = z.record(z.string(), z.record(z.string(), jsonValueSchema)).optional();
const text = z.object({ type: z.literal('text'), text: z.string(), providerOptions: metadata });
const reasoning = z.object({ type: z.literal('reasoning'), text: z.string(), providerOptions: metadata });
const file = z.object({
  type: z.literal('file'),
  /** Base64 or a URL, as it is or (since AI SDK 7) tagged. */
  data: z.union([
    z.string(),
    z.object({ type: z.literal('data'), data: z.string() }),
    z.object({ type: z.literal('url'), url: fileUrlSchema }),
  ]),
  mediaType: z.string(),
  filename: z.string().optional(),
});
const image = z.object({ type: z.literal('image'), image: z.string(), mediaType: z.string().optional() });
const id = z.string().min(1).max(500);
const call = z.object({
  type: z.literal('tool-call'),
  toolCallId: id,
  toolName: id,
  input: jsonValueSchema.optional(),
  /** Before AI SDK 5. */
  args: jsonValueSchema.optional(),
  providerOptions: metadata,
});
const result = z.object({
  type: z.literal('tool-result'),
  toolCallId: id,
  toolName: id,
  output: z.union([toolOutputSchema, jsonValueSchema]).optional(),
  /** Before AI SDK 5. */
  result: jsonValueSchema.optional(),
  isError: z.boolean().optional(),
});

const contentOf = <T extends z.ZodType>(part: T) => z.union([z.string(), z.array(part)]);
const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: contentOf(z.discriminatedUnion('type', [text, file, image])) }),
  z.object({
    role: z.literal('assistant'),
    content: contentOf(z.discriminatedUnion('type', [text, reasoning, file, call, result])),
  }),
  z.object({ role: z.literal('tool'), content: z.array(result) }),
]);
type ImportedModelMessage = z.infer<typeof messageSchema>;
type ImportedPart = Exclude<Exclude<ImportedModelMessage['content'], string>[number], undefined>;

function isModelMessages(input: readonly unknown[]): input is ImportedModelMessage[] {
  return z.array(messageSchema).safeParse(input).success;
}

/** AI SDK `ModelMessage`s, current or from before version 5. */
function fromModelMessages(input: readonly unknown[]): ImportedMessages {
  const messages: NewMessage[] = [];
  const system: string[] = [];
  for (const message of z.array(messageSchema).parse(input)) {
    if (message.role === 'system') system.push(message.content);
    else messages.push({ role: message.role, parts: partsOf(message.content) });
  }
  return { messages, instructions: system.length === 0 ? null : system.join('\n\n') };
}

function partsOf(parts: string | readonly ImportedPart[]): NewPart[] {
  return typeof parts === 'string' ? [{ type: 'text', content: { text: parts } }] : parts.map(toPart);
}

function toPart(part: ImportedPart): NewPart {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const { providerOptions } = part;
      return {
        type: part.type,
        content: { text: part.text, ...(providerOptions && { providerMetadata: providerOptions }) },
      };
    }
    case 'file': {
      const { mediaType, filename } = part;
      return {
        type: 'file',
        content: { mediaType, url: fileUrl(part.data, mediaType), ...(filename && { filename }) },
      };
    }
    case 'image': {
      const mediaType = part.mediaType ?? 'image/png';
      return { type: 'file', content: { mediaType, url: toDataUrl(part.image, mediaType) } };
    }
    case 'tool-call': {
      const { toolCallId, toolName, providerOptions } = part;
      const input = part.input ?? part.args ?? {};
      const signed = providerOptions && { providerMetadata: providerOptions };
      return { type: 'tool-call', state: 'completed', content: { toolCallId, toolName, input, ...signed } };
    }
    case 'tool-result': {
      const { toolCallId, toolName } = part;
      const output = toOutput(part);
      const state = output.type.startsWith('error') ? 'error' : 'completed';
      return { type: 'tool-result', state, content: { toolCallId, toolName, output } };
    }
  }
}

function fileUrl(data: z.infer<typeof file>['data'], mediaType: string): string {
  if (typeof data === 'string') return toDataUrl(data, mediaType);
  return data.type === 'url' ? data.url : toDataUrl(data.data, mediaType);
}

function toOutput({ output, result: legacy, isError }: z.infer<typeof result>): ToolOutput {
  const value = output ?? legacy ?? null;
  const parsed = toolOutputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const json = jsonValueSchema.parse(value);
  if (typeof json === 'string') return { type: isError ? 'error-text' : 'text', value: json };
  return { type: isError ? 'error-json' : 'json', value: json };
}

const uiPartSchema = z
  .looseObject({
    type: z.string(),
    text: z.string().optional(),
    url: z.string().optional(),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
    toolCallId: z.string().optional(),
    toolName: z.string().optional(),
    state: z.string().optional(),
    input: jsonValueSchema.optional(),
    output: jsonValueSchema.optional(),
    errorText: z.string().optional(),
  })
  .refine(
    ({ type, url }) => type !== 'file' || fileUrlSchema.safeParse(url).success,
    'a file needs an http(s) or data: URL',
  );
type UIPart = z.infer<typeof uiPartSchema>;
const uiMessageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(uiPartSchema).max(10_000),
});
type ImportedUIMessage = z.infer<typeof uiMessageSchema>;

function isUIMessages(input: readonly unknown[]): input is ImportedUIMessage[] {
  return z.array(uiMessageSchema).safeParse(input).success;
}

/** AI SDK `UIMessage`s: every step of an answer becomes an assistant message and, with its results, a tool message. */
function fromUIMessages(input: readonly ImportedUIMessage[]): ImportedMessages {
  const system: string[] = [];
  const messages = input.flatMap((message): NewMessage[] => {
    if (message.role === 'system') {
      system.push(message.parts.map((part) => part.text ?? '').join('\n'));
      return [];
    }
    if (message.role === 'user') return [{ role: 'user', parts: message.parts.flatMap(contentPart) }];
    return stepsOf(message.parts).flatMap(stepMessages);
  });
  return { messages, instructions: system.length === 0 ? null : system.join('\n\n') };
}

function stepsOf(parts: readonly UIPart[]): UIPart[][] {
  const steps: UIPart[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function stepMessages(step: readonly UIPart[]): NewMessage[] {
  const said = step.flatMap((part) => (isTool(part) ? [callPart(part)] : contentPart(part)));
  const results = step.filter(isTool).flatMap(resultPart);
  const answer: NewMessage = { role: 'assistant', parts: said };
  return results.length === 0 ? [answer] : [answer, { role: 'tool', parts: results }];
}

function contentPart(part: UIPart): NewPart[] {
  if ((part.type === 'text' || part.type === 'reasoning') && part.text !== undefined) {
    return [{ type: part.type, content: { text: part.text } }];
  }
  if (part.type !== 'file' || part.url === undefined) return [];
  const { url, mediaType = 'application/octet-stream', filename } = part;
  return [{ type: 'file', content: { url, mediaType, ...(filename !== undefined && { filename }) } }];
}

function isTool(part: UIPart): boolean {
  return part.toolCallId !== undefined && (part.type === 'dynamic-tool' || part.type.startsWith('tool-'));
}

function identity(part: UIPart) {
  return { toolCallId: part.toolCallId ?? '', toolName: part.toolName ?? part.type.replace(/^tool-/, '') };
}

function callPart(part: UIPart): NewPart {
  return { type: 'tool-call', state: 'completed', content: { ...identity(part), input: part.input ?? {} } };
}

function resultPart(part: UIPart): NewPart[] {
  const output = outputOf(part);
  if (!output) return [];
  const state = output.type === 'error-text' ? 'error' : 'completed';
  return [{ type: 'tool-result', state, content: { ...identity(part), output } }];
}

function outputOf(part: UIPart): ToolOutput | null {
  if (part.state === 'output-error') return { type: 'error-text', value: part.errorText ?? 'The tool failed.' };
  if (part.state === 'output-denied') return { type: 'execution-denied' };
  if (part.state !== 'output-available' || part.output === undefined) return null;
  return typeof part.output === 'string' ? { type: 'text', value: part.output } : { type: 'json', value: part.output };
}

const part = <T extends keyof typeof partContentSchemas>(type: T) =>
  z.looseObject({ type: z.literal(type), content: partContentSchemas[type] });

const exportedPartSchema = z
  .discriminatedUnion('type', [
    part('text'),
    part('reasoning'),
    part('tool-call'),
    part('tool-result'),
    part('file'),
    part('situation'),
    part('selection'),
    part('step-start'),
    part('compaction-marker'),
  ])
  .refine(
    (value) => value.type !== 'file' || fileUrlSchema.safeParse(value.content.url).success,
    'a file needs an http(s) or data: URL',
  );
type ExportedPart = z.infer<typeof exportedPartSchema>;

const exportedMessageSchema = z.looseObject({
  /** Tells them from a UI message, which has parts too. */
  seq: z.number(),
  role: z.enum(roles),
  parts: z.array(exportedPartSchema).max(10_000),
  isSummary: z.boolean().default(false),
  supersededBy: z.string().nullable().default(null),
  parentId: z.string().nullable().default(null),
  modelId: z.string().max(200).nullable().default(null),
  status: z.enum(messageStatuses).catch('complete'),
  finishReason: z.string().max(100).nullable().catch(null),
  error: z.string().max(10_000).nullable().catch(null),
  usage: usageSchema.nullable().catch(null),
});
type ExportedMessage = z.infer<typeof exportedMessageSchema>;

const likeExported = z.looseObject({
  seq: z.number(),
  parts: z.array(z.unknown()).refine((parts) => parts.some((one) => withContent.safeParse(one).success)),
});
const withContent = z.looseObject({ content: z.looseObject({}) });

/** Returns whether a message is one of ours: as a UI message, which it resembles, it would lose its texts. */
function resemblesExported(message: unknown): boolean {
  return likeExported.safeParse(message).success;
}

function isExportedMessages(input: readonly unknown[]): input is ExportedMessage[] {
  return z.array(exportedMessageSchema).safeParse(input).success;
}

/**
 * Messages of our own export (GET /export?format=json, GET /messages). What was said comes back, with how it ended and
 * what it cost; what the engine made of it (summaries, cleared outputs, its own notes) and what an edit replaced does
 * not: a new session has its own.
 */
function fromExportedMessages(input: readonly unknown[]): ImportedMessages {
  const messages = z.array(exportedMessageSchema).parse(input).filter(isSaid).map(toMessage);
  return { messages, instructions: null };
}

function isSaid(message: ExportedMessage): boolean {
  return !message.isSummary && message.supersededBy === null && !isEngineNote(message);
}

/** A report about the view of another session: none has this name. */
const IMPORTED_VIEW = 'imported';

/** Written by code: a new session has its own. */
const NOT_SAID: ReadonlySet<string> = new Set(['compaction-marker', 'step-start', 'situation']);

function toMessage({ role, modelId, status, finishReason, error, usage, parts }: ExportedMessage): NewMessage {
  return {
    role,
    modelId,
    // Nobody goes on with it here.
    status: status === 'streaming' ? 'interrupted' : status,
    finishReason,
    error,
    usage: usage && { ...usage, viewKey: IMPORTED_VIEW },
    parts: parts.filter(({ type }) => !NOT_SAID.has(type)).map(toExportedPart),
  };
}

function toExportedPart({ type, content }: ExportedPart): NewPart {
  if (type !== 'tool-result') return { type, content, state: 'completed' } as NewPart;
  // What it showed was of the site that it came from.
  const { seen: _, ...told } = content;
  return { type, content: told, state: told.output.type.startsWith('error') ? 'error' : 'completed' };
}
