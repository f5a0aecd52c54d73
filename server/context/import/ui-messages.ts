import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import type { NewMessage } from '#server/core/messages';
import type { NewPart, ToolOutput } from '#server/core/parts';
import { fileUrlSchema } from '#server/context/import/data-url';
import type { ImportedMessages } from '#server/context/import/imported-messages';

const partSchema = z
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
type UIPart = z.infer<typeof partSchema>;
const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(partSchema).max(10_000),
});
type ImportedUIMessage = z.infer<typeof messageSchema>;

export function isUIMessages(input: readonly unknown[]): input is ImportedUIMessage[] {
  return z.array(messageSchema).safeParse(input).success;
}

/** AI SDK `UIMessage`s: every step of an answer becomes an assistant message and, with its results, a tool message. */
export function fromUIMessages(input: readonly ImportedUIMessage[]): ImportedMessages {
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
