import type { ChatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import { CompactionDecoder } from '#server/integrations/openai/responses/compaction-item';
import { ReasoningDecoder } from '#server/integrations/openai/encoded-reasoning';
import type { CompactBody, ResponseItem, ResponsesBody } from '#server/integrations/openai/responses/responses-body';

type ChatMessage = ChatCompletionBody['messages'][number];
type UserPart = Exclude<Extract<ChatMessage, { role: 'user' }>['content'], string>[number];
type Content = Extract<ResponseItem, { type: 'function_call_output' }>['output'];
type Part = Exclude<Content, string>[number];

/** The items of a request's own input. */
export function inputItems({ input }: { readonly input?: CompactBody['input'] }): readonly ResponseItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []);
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

/** An item that the model wrote. */
type ModelItem = Exclude<ResponseItem, { type: 'item_reference' | 'function_call_output' | 'compaction' }>;

/** Reasoning, text and calls of the model stand in separate items: those in a row become one message. */
export function toMessages(items: readonly ResponseItem[]): ChatMessage[] {
  const decoder = new ReasoningDecoder();
  const compactions = new CompactionDecoder();
  let messages: ChatMessage[] = [];
  let run: ModelItem[] = [];
  const endRun = () => {
    if (run.length > 0) messages.push(toAssistant(run, decoder));
    run = [];
  };
  for (const item of items) {
    if (item.type === 'item_reference') continue;
    if (item.type === 'reasoning' || item.type === 'function_call') run.push(item);
    else if (item.type === 'function_call_output') {
      endRun();
      messages.push(...toolMessages(item));
    } else if (item.type === 'compaction') {
      endRun();
      messages = compactions.decode(messages, item.encrypted_content);
    } else if (item.role === 'assistant') run.push(item);
    else {
      endRun();
      const { role, content } = item;
      messages.push(
        role === 'user' ? { role, content: partsOf(content).map(toUserPart) } : { role, content: textOf(content) },
      );
    }
  }
  endRun();
  return messages;
}

function toAssistant(items: readonly ModelItem[], decoder: ReasoningDecoder): ChatMessage {
  const reasoning = items.filter((item) => item.type === 'reasoning');
  const thoughts = reasoning.flatMap(({ content, summary }) => [...(content ?? []), ...(summary ?? [])]);
  const details = reasoning.flatMap(({ encrypted_content: encoded }) => (encoded ? decoder.decode(encoded) : []));
  const calls = items.filter((item) => item.type === 'function_call');
  const texts = items.flatMap((item) =>
    item.type === 'message' || item.type === undefined ? [textOf(item.content)] : [],
  );
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('\n') : null,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ call_id: id, name, arguments: written }) => ({
        id,
        function: { name, arguments: written },
      })),
    }),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.map(({ text }) => text).join('\n\n') }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** Pictures of a result follow as words of the user: the format of chat completions has no place for them. */
function toolMessages({
  call_id: callId,
  output,
}: Extract<ResponseItem, { type: 'function_call_output' }>): ChatMessage[] {
  const files = partsOf(output).filter(({ type }) => type === 'input_image' || type === 'input_file');
  const result = { role: 'tool' as const, tool_call_id: callId, content: textOf(output) };
  if (files.length === 0) return [result];
  return [result, { role: 'user', content: [filesNote(callId), ...files.map(toUserPart)] }];
}

/** Introduces the files of a tool's result among the words of the user. */
export function filesNote(callId: string): Extract<UserPart, { type: 'text' }> {
  return { type: 'text', text: `Files of the result of ${callId}:` };
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
