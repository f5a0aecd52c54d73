import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { type JsonValue, jsonValueSchema, parseJson } from '#server/core/json';
import type { ChatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import type { ResponseItem, ResponsesBody } from '#server/integrations/openai/responses-body';

type ChatMessage = ChatCompletionBody['messages'][number];
type Assistant = Extract<ChatMessage, { role: 'assistant' }>;
type UserPart = Exclude<Extract<ChatMessage, { role: 'user' }>['content'], string>[number];
type Content = Extract<ResponseItem, { type: 'function_call_output' }>['output'];
type Part = Exclude<Content, string>[number];

/** The items of a request's own input. */
export function inputItems({ input }: ResponsesBody): readonly ResponseItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/**
 * The request in the form of chat completions, from which every answer of `/v1` is made.
 * @param items the whole conversation, without references
 */
export function fromResponsesBody(body: ResponsesBody, items: readonly ResponseItem[]): ChatCompletionBody {
  const { model, instructions, max_output_tokens, parallel_tool_calls, temperature, top_p, stream, user } = body;
  const format = body.text?.format;
  const effort = body.reasoning?.effort;
  const verbosity = body.text?.verbosity;
  return {
    model,
    messages: [...(instructions ? [{ role: 'system' as const, content: instructions }] : []), ...toMessages(items)],
    tools: toolsOf(body),
    tool_choice: toolChoiceOf(body.tool_choice),
    parallel_tool_calls,
    max_completion_tokens: max_output_tokens,
    temperature,
    top_p,
    stream: stream ?? false,
    user,
    ...(effort && { reasoning_effort: effort }),
    ...(verbosity && { verbosity }),
    ...(format && { response_format: responseFormatOf(format) }),
  };
}

/** The functions among the tools: nobody runs the others here. */
function toolsOf({ tools }: ResponsesBody): ChatCompletionBody['tools'] {
  return (tools ?? []).flatMap(({ type, name, description, parameters, strict }) =>
    type === 'function' && name !== undefined
      ? [{ type: 'function' as const, function: { name, description, parameters, strict } }]
      : [],
  );
}

function toolChoiceOf(choice: ResponsesBody['tool_choice']): ChatCompletionBody['tool_choice'] {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'allowed_tools') {
    const tools = (choice.tools ?? []).map(({ name }) => (name === undefined ? {} : { function: { name } }));
    return { type: choice.type, allowed_tools: { mode: choice.mode ?? 'auto', tools } };
  }
  return { type: 'function', function: { name: choice.name ?? '' } };
}

function responseFormatOf({
  type,
  name = 'answer',
  schema,
  strict,
}: NonNullable<NonNullable<ResponsesBody['text']>['format']>): ChatCompletionBody['response_format'] {
  if (type !== 'json_schema') return { type };
  return { type, json_schema: { name, schema, ...(typeof strict === 'boolean' && { strict }) } };
}

/** Reasoning, text and calls of the model stand in separate items: those in a row become one message. */
function toMessages(items: readonly ResponseItem[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  /** The message of the model that the next of its items belong to. */
  const open = (): Assistant => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const next: Assistant = { role: 'assistant', content: null };
    messages.push(next);
    return next;
  };
  for (const item of items) {
    if (item.type === 'item_reference') continue;
    if (item.type === 'reasoning') addReasoning(open(), item);
    else if (item.type === 'function_call') addCall(open(), item);
    else if (item.type === 'function_call_output') messages.push(...toolMessages(item));
    else if (item.role === 'assistant') addText(open(), textOf(item.content));
    else if (item.role === 'user') messages.push({ role: 'user', content: partsOf(item.content).map(toUserPart) });
    else messages.push({ role: item.role, content: textOf(item.content) });
  }
  return messages;
}

function addText(message: Assistant, text: string): void {
  const former = typeof message.content === 'string' ? `${message.content}\n` : '';
  message.content = `${former}${text}`;
}

function addCall(
  message: Assistant,
  { call_id: callId, name, arguments: written }: Extract<ResponseItem, { type: 'function_call' }>,
) {
  (message.tool_calls ??= []).push({ id: callId, function: { name, arguments: written } });
}

function addReasoning(message: Assistant, item: Extract<ResponseItem, { type: 'reasoning' }>): void {
  const text = [...(item.content ?? []), ...(item.summary ?? [])].map((part) => part.text).join('\n\n');
  const details = item.encrypted_content ? openReasoning(item.encrypted_content) : [];
  if (text !== '') message.reasoning_content = [message.reasoning_content, text].filter(Boolean).join('\n\n');
  if (details.length > 0) message.reasoning_details = [...(message.reasoning_details ?? []), ...details];
}

/** Pictures of a result follow as words of the user: the format of chat completions has no place for them. */
function toolMessages({
  call_id: callId,
  output,
}: Extract<ResponseItem, { type: 'function_call_output' }>): ChatMessage[] {
  const files = partsOf(output).filter(({ type }) => type === 'input_image' || type === 'input_file');
  const result = { role: 'tool' as const, tool_call_id: callId, content: textOf(output) };
  if (files.length === 0) return [result];
  const note = { type: 'text' as const, text: `Files of the result of ${callId}:` };
  return [result, { role: 'user', content: [note, ...files.map(toUserPart)] }];
}

function partsOf(content: Content): readonly Part[] {
  return typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
}

function textOf(content: Content): string {
  return partsOf(content)
    .flatMap((part) => ('text' in part ? [part.text] : part.type === 'refusal' ? [part.refusal] : []))
    .join('\n');
}

function toUserPart(part: Part): UserPart {
  switch (part.type) {
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url, detail: part.detail } };
    case 'input_file':
      return { type: 'file', file: { file_data: part.file_data, ...(part.filename && { filename: part.filename }) } };
    case 'refusal':
      return { type: 'text', text: part.refusal };
    default:
      return { type: 'text', text: part.text };
  }
}

const detailsSchema = z.array(boundedRecord(z.string(), jsonValueSchema, 100)).max(10_000);

/** Signed or encrypted reasoning in the one field that this format has for it. */
export function sealReasoning(details: readonly JsonValue[]): string {
  return Buffer.from(JSON.stringify(details)).toString('base64');
}

/** The reasoning of `sealReasoning`; empty for what another server wrote. */
function openReasoning(sealed: string): Record<string, JsonValue>[] {
  const parsed = detailsSchema.safeParse(parseJson(Buffer.from(sealed, 'base64').toString('utf8')));
  return parsed.success ? parsed.data : [];
}
