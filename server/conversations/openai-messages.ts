import { z } from 'zod';
import { fileUrlSchema, importEach, type ImportedMessages, mediaTypeOf } from '#server/conversations/imported-messages';
import { jsonProblem, type JsonValue, jsonValueSchema } from '#server/core/json';
import type { NewPart } from '#server/core/parts';

const text = z.object({ type: z.literal('text'), text: z.string() });
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
/** In this format what is in the address itself is base64, whatever the address says. */
const fileUrl = fileUrlSchema.refine(
  (url) => !/^data:/i.test(url) || /^data:[^,]*,[\w+/=\s-]+$/i.test(url),
  'must hold base64',
);
const image = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: fileUrl, detail: z.string().max(20).nullish() }),
});
const file = z.object({
  type: z.literal('file'),
  file: z.object({ file_data: fileUrl, filename: z.string().max(500).optional() }),
});
const texts = z.union([z.string(), z.array(text)]);
const call = z.object({
  id: z.string().min(1).max(500),
  type: z.literal('function').optional(),
  function: z.object({ name: z.string().min(1).max(500), arguments: z.string() }),
});

/** One OpenAI chat message, of the kinds that we can keep. */
export const openAIMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: texts }),
  z.object({ role: z.literal('developer'), content: texts }),
  z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image, file]))]),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refusal]))]).nullish(),
    tool_calls: z.array(call).nullish(),
    /** The model's thoughts, under the names that servers give them. */
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
    reasoning_details: z.array(z.record(z.string(), jsonValueSchema)).nullish(),
  }),
  z.object({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1).max(500) }),
]);
export type OpenAIMessage = z.infer<typeof openAIMessageSchema>;

/** Shapes that only OpenAI's format has; plain texts are the same in both and go the other way. */
const distinctive = z.union([
  z.looseObject({ tool_calls: z.array(z.unknown()) }),
  z.looseObject({ tool_call_id: z.string() }),
  z.looseObject({ role: z.literal('developer') }),
  z.looseObject({ content: z.null() }),
  z.looseObject({ content: z.array(z.looseObject({ type: z.literal('image_url') })).min(1) }),
]);

/** Returns whether messages that have OpenAI's shape are of its format. */
export function areDistinct(input: readonly unknown[]): boolean {
  return input.some((message) => distinctive.safeParse(message).success);
}

/** OpenAI chat messages. */
export function fromOpenAIMessages(input: readonly OpenAIMessage[]): ImportedMessages {
  const toolNames = new Map<string, string>();
  return importEach(input, (message) => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return plainText(message.content);
      case 'user':
        return [{ role: 'user', parts: userParts(message.content) }];
      case 'assistant':
        for (const { id, function: called } of message.tool_calls ?? []) toolNames.set(id, called.name);
        return [{ role: 'assistant', parts: assistantParts(message) }];
      case 'tool':
        return [{ role: 'tool', parts: [resultPart(message, toolNames.get(message.tool_call_id) ?? 'unknown')] }];
    }
  });
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
  const said = message.content ? plainText(message.content) : '';
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

/** Details may be signed or hidden, and go back to OpenRouter as they came. */
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

/** Models write arguments as text; what is no JSON, or none that could be kept as it is, stays text. */
function parseArguments(written: string): JsonValue {
  // How several servers write a call without arguments.
  if (written.trim() === '') return {};
  try {
    const value = JSON.parse(written) as JsonValue;
    return jsonProblem(value) === null ? value : written;
  } catch {
    return written;
  }
}
