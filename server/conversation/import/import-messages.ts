import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import { withTokens } from '#server/context/part-tokens';
import {
  fileUrlSchema,
  importEach,
  type ImportedMessages,
  toDataUrl,
} from '#server/conversation/import/imported-messages';
import {
  distinctMessageSchema,
  fromOpenAIMessages,
  openAIMessageSchema,
} from '#server/conversation/import/openai-messages';
import { createYielder, yieldToEventLoop } from '#server/core/async';
import { boundProblems } from '#server/core/bounded-schema';
import { InvalidInputError } from '#server/core/errors';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { isEngineNote } from '#server/core/conversation/part-text';
import { messageStatuses, type NewMessage, messageRoles, usageSchema } from '#server/core/conversation/messages';
import {
  definitionOf,
  type NewPart,
  type PartContent,
  partContentSchemas,
  type PartType,
  partTypes,
} from '#server/core/conversation/parts';
import { providerMetadataSchema } from '#server/core/conversation/part-types/common-part-fields';
import { type ToolOutput, toolOutputSchema } from '#server/core/conversation/part-types/tool-output';
import { codedMessageSchema } from '#server/core/coded-message';

/**
 * Converts a conversation from another source to our messages: AI SDK model messages, AI SDK UI messages, OpenAI chat
 * messages or our own export; the shape decides. Every message is kept, with the tokens of its parts counted. Yields to
 * the event loop, so that long conversations do not block other requests.
 * @throws InvalidInputError naming the first message that fits no format
 */
export async function importMessages(input: readonly unknown[]): Promise<ImportedMessages> {
  const breathe = createYielder();
  // Parsing the body has blocked the event loop.
  await yieldToEventLoop();
  for (const format of formats) {
    const imported = await format.read(input, breathe);
    await breathe();
    if (!imported) continue;
    const messages: NewMessage[] = [];
    for (const message of imported.messages) {
      await breathe();
      messages.push({ ...message, parts: message.parts.map(withTokens) });
    }
    return { messages, instructions: imported.instructions };
  }
  for (const [index, message] of input.entries()) {
    await breathe();
    if (await isKnown(message, breathe)) continue;
    throw new InvalidInputError(serverText('messages-unknown-format', { number: index + 1 }));
  }
  throw new InvalidInputError(serverText('messages-mixed'));
}

async function isKnown(message: unknown, breathe: () => Promise<void>): Promise<boolean> {
  for (const format of formats) if (await format.read([message], breathe)) return true;
  return false;
}

/** Further criteria that distinguish a format from others of the same shape. */
interface Signs {
  /** At least one message must match. */
  readonly needs?: z.ZodType;
  /** No message may match. */
  readonly excludes?: z.ZodType;
}

/** Maximum number of parts of a message, or of items in a part. */
const MAX_PARTS = 10_000;

/**
 * A format of messages. Checks them one at a time, yielding to the event loop in between; stops at the first invalid
 * one.
 */
function formatOf<T>(
  schema: z.ZodType<T>,
  convert: (messages: T[]) => ImportedMessages,
  { needs, excludes }: Signs = {},
) {
  const fits = (sign: z.ZodType | undefined, message: unknown) =>
    sign !== undefined && boundProblems(sign).safeParse(message).success;
  return {
    schema: boundProblems(schema),
    /** Null if the messages are not in this format. */
    async read(input: readonly unknown[], breathe: () => Promise<void>): Promise<ImportedMessages | null> {
      const messages: T[] = [];
      let isFound = needs === undefined;
      for (const message of input) {
        const parsed = schema.safeParse(message);
        if (!parsed.success || fits(excludes, message)) return null;
        isFound ||= fits(needs, message);
        messages.push(parsed.data);
        await breathe();
      }
      return isFound ? convert(messages) : null;
    },
  };
}

/* AI SDK `ModelMessage`s, current or from before version 5. */

const metadata = providerMetadataSchema.optional();
const text = z.object({ type: z.literal('text'), text: z.string(), providerOptions: metadata });
const reasoning = z.object({ type: z.literal('reasoning'), text: z.string(), providerOptions: metadata });
const file = z.object({
  type: z.literal('file'),
  /** Base64 or a URL, plain or (since AI SDK 7) tagged. */
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

const contentOf = <T extends z.ZodType>(part: T) => z.union([z.string(), z.array(part).max(MAX_PARTS)]);
const modelMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: contentOf(z.discriminatedUnion('type', [text, file, image])) }),
  z.object({
    role: z.literal('assistant'),
    content: contentOf(z.discriminatedUnion('type', [text, reasoning, file, call, result])),
  }),
  z.object({ role: z.literal('tool'), content: z.array(result).max(MAX_PARTS) }),
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
  parts: z.array(uiPart).max(MAX_PARTS),
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

/** The tool call of a part; null if the part is none. */
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

/* Messages of our own export (GET /export?format=json, GET /messages). Imports what was said, how it ended and what it
   cost. Leaves out what the engine derived (summaries, cleared outputs, its own notes) and superseded messages: a new
   session creates its own. */

const partOf = <T extends PartType>(type: T) =>
  z.looseObject({ type: z.literal(type), content: partContentSchemas[type] });
type PartSchema = { [T in PartType]: ReturnType<typeof partOf<T>> }[PartType];
const exportedPart = z
  .discriminatedUnion('type', partTypes.map(partOf) as [PartSchema, ...PartSchema[]])
  .refine(({ type, content }) => type !== 'file' || fileUrlSchema.safeParse(content.url).success, refuseFiles);

const exportedMessage = z.looseObject({
  /** Distinguishes these messages from UI messages, which have parts too. */
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
  errorMessage: codedMessageSchema.nullable().catch(null),
  usage: usageSchema.nullable().catch(null),
});

const withContent = z.looseObject({ content: z.looseObject({}) });
const likeExported = z.looseObject({
  seq: z.number(),
  parts: z
    .array(z.unknown())
    .max(MAX_PARTS)
    .refine((parts) => parts.some((one) => withContent.safeParse(one).success)),
});

/** Name for the view of imported usage reports; no view of the new session has it. */
const IMPORTED_VIEW = 'imported';

function fromExported(message: z.infer<typeof exportedMessage>): NewMessage[] {
  const { role, modelId, status, finishReason, error, errorMessage, usage } = message;
  if (message.isSummary || message.supersededBy !== null || isEngineNote(message)) return [];
  const parts = message.parts.flatMap(({ type, content }): NewPart[] => {
    // A new session creates its own.
    if (definitionOf(type).isFromEngine) return [];
    if (type !== 'tool-result') return [{ type, content, state: 'completed' } as NewPart];
    // `seen` refers to the site of the original conversation.
    const { seen: _, ...told } = content;
    return [resultPart(told)];
  });
  return [
    {
      role,
      modelId,
      // No process continues this message here.
      status: status === 'streaming' ? 'interrupted' : status,
      finishReason,
      error,
      errorMessage,
      usage: usage && { ...usage, viewKey: IMPORTED_VIEW },
      parts,
    },
  ];
}

const formats = [
  formatOf(exportedMessage, (messages) => importEach(messages, fromExported)),
  // Must precede the UI message format, which it resembles: as a UI message, one of ours would lose its texts.
  formatOf(uiMessage, (messages) => importEach(messages, fromUIMessage), { excludes: likeExported }),
  formatOf(openAIMessageSchema, fromOpenAIMessages, { needs: distinctMessageSchema }),
  formatOf(modelMessage, (messages) => importEach(messages, fromModelMessage)),
];

/** The schemas of all formats. */
export const messageFormats: readonly z.core.$ZodType[] = formats.map(({ schema }) => schema);
