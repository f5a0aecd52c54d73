import { z } from 'zod';
import {
  fileUrlSchema,
  importEach,
  type ImportedMessages,
  mediaTypeOf,
} from '#server/conversation/import/imported-messages';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonProblem, type JsonValue, jsonValueSchema } from '#server/core/json';
import type { NewPart } from '#server/core/conversation/parts';
import { components } from '#server/core/shapes';

/* Bounds of one message. Choices, not measured: far above what models and clients write. */

const MAX_PARTS = 10_000;
const MAX_CALLS = 1_000;
/** Characters of the id or the name of a call, and of a file name. */
const MAX_NAME = 500;
/** Characters of the `detail` of a picture, which is one word. */
const MAX_DETAIL = 20;
/** Fields of one entry of `reasoning_details`. */
const MAX_DETAIL_FIELDS = 100;

const text = z.object({ type: z.literal('text'), text: z.string() }).register(components, { id: 'OpenAiTextPart' });
const refusal = z
  .object({ type: z.literal('refusal'), refusal: z.string() })
  .register(components, { id: 'OpenAiRefusalPart' });
/** In this format the data of a `data:` URL must be base64, regardless of its header. */
export const base64FileUrl = fileUrlSchema.refine(
  (url) => !/^data:/i.test(url) || /^data:[^,]*,[\w+/=\s-]+$/i.test(url),
  'must hold base64',
);
const image = z
  .object({
    type: z.literal('image_url'),
    image_url: z.object({ url: base64FileUrl, detail: z.string().max(MAX_DETAIL).nullish() }),
  })
  .register(components, { id: 'OpenAiImagePart' });
const file = z
  .object({
    type: z.literal('file'),
    file: z.object({ file_data: base64FileUrl, filename: z.string().max(MAX_NAME).optional() }),
  })
  .register(components, { id: 'OpenAiFilePart' });
const texts = z.union([z.string(), z.array(text).max(MAX_PARTS)]);
const call = z
  .object({
    id: z.string().min(1).max(MAX_NAME),
    type: z.literal('function').optional(),
    function: z.object({ name: z.string().min(1).max(MAX_NAME), arguments: z.string() }),
  })
  .register(components, { id: 'OpenAiToolCall' });

/** Characters of a participant's name. OpenAI itself takes 64. */
const MAX_PARTICIPANT = 200;
const participant = z
  .string()
  .max(MAX_PARTICIPANT)
  .nullish()
  .describe('Who wrote the message, among several; the model reads it in front of the text');

/** One OpenAI chat message, of the kinds that we can store. */
export const openAIMessageSchema = z
  .discriminatedUnion('role', [
    z.object({ role: z.literal('system'), content: texts, name: participant }),
    z.object({ role: z.literal('developer'), content: texts, name: participant }),
    z.object({
      role: z.literal('user'),
      name: participant,
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image, file])).max(MAX_PARTS)]),
    }),
    z.object({
      role: z.literal('assistant'),
      name: participant,
      refusal: z.string().nullish().describe('Words with which the model refused; it reads them again as its text'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refusal])).max(MAX_PARTS)]).nullish(),
      tool_calls: z.array(call).max(MAX_CALLS).nullish(),
      /** The model's reasoning, under the field names that servers use. */
      reasoning_content: z.string().nullish(),
      reasoning: z.string().nullish(),
      reasoning_details: z
        .array(boundedRecord(z.string(), jsonValueSchema, MAX_DETAIL_FIELDS))
        .max(MAX_PARTS)
        .nullish(),
    }),
    z.object({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1).max(MAX_NAME) }),
  ])
  .register(components, { id: 'OpenAiMessage' });
export type OpenAIMessage = z.infer<typeof openAIMessageSchema>;

/** Content parts that only OpenAI's format has. AI SDK messages have files too, but not in a field `file`. */
const distinctPart = z.union([
  z.looseObject({ type: z.literal('image_url') }),
  z.looseObject({ type: z.literal('refusal') }),
  z.looseObject({ type: z.literal('file'), file: z.looseObject({}) }),
]);

/**
 * Matches messages that only OpenAI's format has. Messages of texts alone have the same shape as AI SDK model messages;
 * a conversation of such messages only is read as AI SDK model messages, with the same result.
 */
export const distinctMessageSchema = z.union([
  z.looseObject({ tool_calls: z.array(z.unknown()).max(MAX_PARTS) }),
  z.looseObject({ tool_call_id: z.string() }),
  z.looseObject({ role: z.literal('developer') }),
  z.looseObject({ role: z.enum(['system', 'user', 'assistant']), name: z.string() }),
  z.looseObject({ content: z.null() }),
  z.looseObject({ refusal: z.string() }),
  z.looseObject({ reasoning_content: z.string() }),
  z.looseObject({ reasoning: z.string() }),
  z.looseObject({ reasoning_details: z.array(z.unknown()).min(1).max(MAX_PARTS) }),
  z.looseObject({
    content: z
      .array(z.unknown())
      .max(MAX_PARTS)
      .refine((parts) => parts.some((part) => distinctPart.safeParse(part).success)),
  }),
]);

/** Converts OpenAI chat messages. A result whose call is missing has the tool name `unknown`. */
export function fromOpenAIMessages(input: readonly OpenAIMessage[]): ImportedMessages {
  const toolNames = new Map<string, string>();
  return importEach(input, (message) => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return named(message.name, plainText(message.content));
      case 'user':
        return [{ role: 'user', parts: namedParts(message.name, userParts(message.content)) }];
      case 'assistant':
        for (const { id, function: called } of message.tool_calls ?? []) toolNames.set(id, called.name);
        return [{ role: 'assistant', parts: assistantParts(message) }];
      case 'tool':
        return [{ role: 'tool', parts: [resultPart(message, toolNames.get(message.tool_call_id) ?? 'unknown')] }];
    }
  });
}

/**
 * A text with the name of its author in front: of the providers only some have a field for it, and messages in a row of
 * one role are sent as one.
 */
function named(name: string | null | undefined, said: string): string {
  return name && said.trim() !== '' ? `${name}: ${said}` : said;
}

function namedParts(name: string | null | undefined, parts: readonly NewPart[]): NewPart[] {
  if (!name) return [...parts];
  const [first, ...rest] = parts;
  if (first?.type === 'text') return [{ ...first, content: { text: named(name, first.content.text) } }, ...rest];
  return [{ type: 'text', content: { text: `${name}:` } }, ...parts];
}

function plainText(content: string | readonly (z.infer<typeof text> | z.infer<typeof refusal>)[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('\n');
}

function userParts(content: Extract<OpenAIMessage, { role: 'user' }>['content']): NewPart[] {
  if (typeof content === 'string') return [{ type: 'text', content: { text: content } }];
  return content.map((part): NewPart => {
    if (part.type === 'text') return { type: 'text', content: { text: part.text } };
    if (part.type === 'file') {
      const { file_data: data, filename } = part.file;
      const mediaType = mediaTypeOf(data, 'application/octet-stream');
      return { type: 'file', content: { mediaType, url: data, ...(filename !== undefined && { filename }) } };
    }
    const { url, detail } = part.image_url;
    const mediaType = mediaTypeOf(url, 'image/png');
    return { type: 'file', content: { mediaType, url, ...(typeof detail === 'string' && { detail }) } };
  });
}

function assistantParts(message: Extract<OpenAIMessage, { role: 'assistant' }>): NewPart[] {
  const words = [message.content ? plainText(message.content) : '', message.refusal ?? ''].filter(
    (each) => each !== '',
  );
  const said = words.length === 0 ? '' : named(message.name, words.join('\n'));
  const calls = (message.tool_calls ?? []).map(({ id, function: called }): NewPart => {
    const content = { toolCallId: id, toolName: called.name, input: parseArguments(called.arguments) };
    return { type: 'tool-call', state: 'completed', content };
  });
  return [
    ...thoughtsOf(message),
    ...(said === '' ? [] : [{ type: 'text' as const, content: { text: said } }]),
    ...calls,
  ];
}

/** Reasoning details may be signed or encrypted; they are sent back to OpenRouter unchanged. */
function thoughtsOf(message: Extract<OpenAIMessage, { role: 'assistant' }>): NewPart[] {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message;
  const thought = content ?? reasoning ?? '';
  if (!details?.length) return thought === '' ? [] : [{ type: 'reasoning', content: { text: thought } }];
  return [
    { type: 'reasoning', content: { text: thought, providerMetadata: { openrouter: { reasoning_details: details } } } },
  ];
}

function resultPart(message: Extract<OpenAIMessage, { role: 'tool' }>, toolName: string): NewPart {
  const output = { type: 'text', value: plainText(message.content) } as const;
  return { type: 'tool-result', state: 'completed', content: { toolCallId: message.tool_call_id, toolName, output } };
}

/** Models write arguments as text; text that is not JSON, or JSON that cannot be stored unchanged, stays text. */
function parseArguments(written: string): JsonValue {
  // Several servers write a call without arguments like this.
  if (written.trim() === '') return {};
  try {
    const value = JSON.parse(written) as JsonValue;
    return jsonProblem(value) === null ? value : written;
  } catch {
    return written;
  }
}
