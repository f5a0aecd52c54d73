import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import type { NewMessage } from '#server/core/messages';
import { type NewPart, type ToolOutput, toolOutputSchema } from '#server/core/parts';
import type { ImportedMessages } from '#server/context/import/imported-messages';
import { fileUrlSchema, toDataUrl } from '#server/context/import/data-url';

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

const content = <T extends z.ZodType>(part: T) => z.union([z.string(), z.array(part)]);
const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: content(z.discriminatedUnion('type', [text, file, image])) }),
  z.object({
    role: z.literal('assistant'),
    content: content(z.discriminatedUnion('type', [text, reasoning, file, call, result])),
  }),
  z.object({ role: z.literal('tool'), content: z.array(result) }),
]);
type ImportedModelMessage = z.infer<typeof messageSchema>;
type ImportedPart = Exclude<Exclude<ImportedModelMessage['content'], string>[number], undefined>;

export function isModelMessages(input: readonly unknown[]): input is ImportedModelMessage[] {
  return z.array(messageSchema).safeParse(input).success;
}

/** AI SDK `ModelMessage`s, current or from before version 5. */
export function fromModelMessages(input: readonly unknown[]): ImportedMessages {
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
