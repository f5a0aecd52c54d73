import { z } from 'zod';
import { withTokens } from '#server/context/part-tokens';
import { fileUrlSchema, importEach, type ImportedMessages, toDataUrl } from '#server/conversations/imported-messages';
import { areDistinct, fromOpenAIMessages, openAIMessageSchema } from '#server/conversations/openai-messages';
import { createBreathing, letOthersThrough } from '#server/core/async';
import { InvalidInputError } from '#server/core/errors';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { isEngineNote } from '#server/core/part-text';
import { messageStatuses, type NewMessage, messageRoles, usageSchema } from '#server/core/messages';
import {
  type NewPart,
  type PartContent,
  partContentSchemas,
  type PartType,
  partTypes,
  type ToolOutput,
  toolOutputSchema,
} from '#server/core/parts';

/**
 * A conversation from elsewhere as messages of ours: AI SDK model messages, AI SDK UI messages, OpenAI chat messages or
 * those of our own export, told apart by their shape. Every message is kept; parts have their tokens counted. Others
 * are let through meanwhile, however long the conversation is.
 * @throws InvalidInputError naming the first message that fits no format
 */
export async function importMessages(input: readonly unknown[]): Promise<ImportedMessages> {
  const breathe = createBreathing();
  // Whoever read the body has kept others waiting.
  await letOthersThrough();
  for (const read of formats) {
    const imported = read(input);
    await breathe();
    if (!imported) continue;
    const messages: NewMessage[] = [];
    for (const message of imported.messages) {
      await breathe();
      messages.push({ ...message, parts: message.parts.map(withTokens) });
    }
    return { messages, instructions: imported.instructions };
  }
  const index = input.findIndex((message) => !formats.some((read) => read([message])));
  throw new InvalidInputError(
    index === -1
      ? 'The messages mix several formats.'
      : `Message ${index + 1} is neither an AI SDK model message, a UI message nor an OpenAI chat message.`,
  );
}

/** Reads messages of one format; null where they are not of it, by their shape or by what else is to be so. */
function formatOf<T>(
  schema: z.ZodType<T>,
  read: (messages: T[]) => ImportedMessages,
  isOne: (input: readonly unknown[]) => boolean = () => true,
) {
  return (input: readonly unknown[]): ImportedMessages | null => {
    const parsed = isOne(input) ? z.array(schema).safeParse(input) : null;
    return parsed?.success ? read(parsed.data) : null;
  };
}

/* AI SDK `ModelMessage`s, current or from before version 5. */

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
const modelMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: contentOf(z.discriminatedUnion('type', [text, file, image])) }),
  z.object({
    role: z.literal('assistant'),
    content: contentOf(z.discriminatedUnion('type', [text, reasoning, file, call, result])),
  }),
  z.object({ role: z.literal('tool'), content: z.array(result) }),
]);
type ModelPart = Exclude<Exclude<z.infer<typeof modelMessage>['content'], string>[number], undefined>;

function fromModelMessage({ role, content }: z.infer<typeof modelMessage>): string | NewMessage[] {
  if (role === 'system') return content;
  const parts: readonly ModelPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return [{ role, parts: parts.map(fromModelPart) }];
}

function fromModelPart(part: ModelPart): NewPart {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: { text: part.text, ...signed(part) } };
    case 'file': {
      const { mediaType, filename, data } = part;
      const address = typeof data === 'string' ? data : data.type === 'url' ? data.url : data.data;
      return filePart(toDataUrl(address, mediaType), mediaType, filename);
    }
    case 'image': {
      const { mediaType = 'image/png' } = part;
      return filePart(toDataUrl(part.image, mediaType), mediaType);
    }
    case 'tool-call': {
      const { toolCallId, toolName, input, args } = part;
      return callPart({ toolCallId, toolName, input: input ?? args ?? {}, ...signed(part) });
    }
    case 'tool-result': {
      const { toolCallId, toolName, output, result: legacy, isError } = part;
      const value = output ?? legacy ?? null;
      const known = toolOutputSchema.safeParse(value);
      const read = known.success ? known.data : outputOf(jsonValueSchema.parse(value), isError);
      return resultPart({ toolCallId, toolName, output: read });
    }
  }
}

function signed({ providerOptions }: { readonly providerOptions?: z.infer<typeof metadata> }) {
  return providerOptions && { providerMetadata: providerOptions };
}

function filePart(url: string, mediaType: string, filename?: string): NewPart {
  return { type: 'file', content: { mediaType, url, ...(filename && { filename }) } };
}

function callPart(content: PartContent<'tool-call'>): NewPart {
  return { type: 'tool-call', state: 'completed', content };
}

function resultPart(content: PartContent<'tool-result'>): NewPart {
  return { type: 'tool-result', state: content.output.type.startsWith('error') ? 'error' : 'completed', content };
}

function outputOf(value: JsonValue, isError = false): ToolOutput {
  if (typeof value === 'string') return { type: isError ? 'error-text' : 'text', value };
  return { type: isError ? 'error-json' : 'json', value };
}

/* AI SDK `UIMessage`s: every step of an answer becomes an assistant message and, with its results, a tool message. */

const refuseFiles = 'a file needs an http(s) or data: URL';
const uiPart = z
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
  .refine(({ type, url }) => type !== 'file' || fileUrlSchema.safeParse(url).success, refuseFiles);
type UIPart = z.infer<typeof uiPart>;
const uiMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(uiPart).max(10_000),
});

function fromUIMessage({ role, parts }: z.infer<typeof uiMessage>): string | NewMessage[] {
  if (role === 'system') return parts.map((part) => part.text ?? '').join('\n');
  if (role === 'user') return [{ role, parts: parts.flatMap(fromUIPart) }];
  const steps: UIPart[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.flatMap((step) => {
    const results = step.flatMap(resultsOf);
    const answer: NewMessage[] = step.length === 0 ? [] : [{ role, parts: step.flatMap(fromUIPart) }];
    return results.length === 0 ? answer : [...answer, { role: 'tool', parts: results }];
  });
}

function fromUIPart(part: UIPart): NewPart[] {
  const { type, url, mediaType = 'application/octet-stream', filename, input = {} } = part;
  if ((type === 'text' || type === 'reasoning') && part.text !== undefined)
    return [{ type, content: { text: part.text } }];
  if (type === 'file' && url !== undefined) return [filePart(url, mediaType, filename)];
  const called = calledBy(part);
  return called ? [callPart({ ...called, input })] : [];
}

/** The call that a part of any tool is of; null: it is none. */
function calledBy({ type, toolCallId, toolName = type.replace(/^tool-/, '') }: UIPart) {
  const isTool = type === 'dynamic-tool' || type.startsWith('tool-');
  return toolCallId !== undefined && isTool ? { toolCallId, toolName } : null;
}

function resultsOf(part: UIPart): NewPart[] {
  const { state, output, errorText: value = 'The tool failed.' } = part;
  const called = calledBy(part);
  if (!called) return [];
  const given = (told: ToolOutput) => [resultPart({ ...called, output: told })];
  if (state === 'output-error') return given({ type: 'error-text', value });
  if (state === 'output-denied') return given({ type: 'execution-denied' });
  return state === 'output-available' && output !== undefined ? given(outputOf(output)) : [];
}

/*
 * Messages of our own export (GET /export?format=json, GET /messages). What was said comes back, with how it ended and
 * what it cost; what the engine made of it (summaries, cleared outputs, its own notes) and what an edit replaced does
 * not: a new session has its own.
 */

const partOf = <T extends PartType>(type: T) =>
  z.looseObject({ type: z.literal(type), content: partContentSchemas[type] });
type PartSchema = { [T in PartType]: ReturnType<typeof partOf<T>> }[PartType];
const exportedPart = z
  .discriminatedUnion('type', partTypes.map(partOf) as [PartSchema, ...PartSchema[]])
  .refine(({ type, content }) => type !== 'file' || fileUrlSchema.safeParse(content.url).success, refuseFiles);

const exportedMessage = z.looseObject({
  /** Tells them from a UI message, which has parts too. */
  seq: z.number(),
  role: z.enum(messageRoles),
  parts: z.array(exportedPart).max(10_000),
  isSummary: z.boolean().default(false),
  supersededBy: z.string().nullable().default(null),
  parentId: z.string().nullable().default(null),
  modelId: z.string().max(200).nullable().default(null),
  status: z.enum(messageStatuses).catch('complete'),
  finishReason: z.string().max(100).nullable().catch(null),
  error: z.string().max(10_000).nullable().catch(null),
  usage: usageSchema.nullable().catch(null),
});

const withContent = z.looseObject({ content: z.looseObject({}) });
const likeExported = z.looseObject({
  seq: z.number(),
  parts: z.array(z.unknown()).refine((parts) => parts.some((one) => withContent.safeParse(one).success)),
});

/** A report about the view of another session: none has this name. */
const IMPORTED_VIEW = 'imported';

/** Written by code: a new session has its own. */
const NOT_SAID: ReadonlySet<string> = new Set(['compaction-marker', 'step-start', 'situation']);

function fromExported(message: z.infer<typeof exportedMessage>): NewMessage[] {
  const { role, modelId, status, finishReason, error, usage } = message;
  if (message.isSummary || message.supersededBy !== null || isEngineNote(message)) return [];
  const parts = message.parts.flatMap(({ type, content }): NewPart[] => {
    if (NOT_SAID.has(type)) return [];
    if (type !== 'tool-result') return [{ type, content, state: 'completed' } as NewPart];
    // What it showed was of the site that it came from.
    const { seen: _, ...told } = content;
    return [resultPart(told)];
  });
  return [
    {
      role,
      modelId,
      // Nobody goes on with it here.
      status: status === 'streaming' ? 'interrupted' : status,
      finishReason,
      error,
      usage: usage && { ...usage, viewKey: IMPORTED_VIEW },
      parts,
    },
  ];
}

const formats = [
  formatOf(exportedMessage, (messages) => importEach(messages, fromExported)),
  // As a UI message, which it resembles, one of ours would lose its texts.
  formatOf(
    uiMessage,
    (messages) => importEach(messages, fromUIMessage),
    (input) => !input.some((message) => likeExported.safeParse(message).success),
  ),
  formatOf(openAIMessageSchema, fromOpenAIMessages, areDistinct),
  formatOf(modelMessage, (messages) => importEach(messages, fromModelMessage)),
];
