import type { ChatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import type { AnthropicMessage, CountTokensBody, MessagesBody } from '#server/integrations/anthropic/messages-body';
import type { JsonValue } from '#server/core/json';
import { filesNote } from '#server/integrations/openai/responses/responses-request';
import { ReasoningDecoder } from '#server/integrations/openai/encoded-reasoning';

type ChatMessage = ChatCompletionBody['messages'][number];
type UserPart = Exclude<Extract<ChatMessage, { role: 'user' }>['content'], string>[number];
type Blocks<Role extends AnthropicMessage['role']> = Exclude<
  Extract<AnthropicMessage, { role: Role }>['content'],
  string
>;
type ToolResult = Extract<Blocks<'user'>[number], { type: 'tool_result' }>;
type MediaBlock = Extract<Blocks<'user'>[number], { type: 'image' | 'document' }>;

/** Tokens of thinking up to which a budget counts as low, and as medium, effort. Choices: providers name no table. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;

/** Begins the text of a failed result: the format of chat completions has no field for it. */
const FAILED = 'Error: ';

/** The request in the form of chat completions, from which every answer of `/v1` is made. */
export function fromMessagesBody(body: MessagesBody): ChatCompletionBody {
  const { max_tokens, stream, temperature, top_p, top_k, stop_sequences, output_config: output } = body;
  const effort = knownEffort(output?.effort) ?? effortOf(body.thinking);
  const schema = output?.format?.schema;
  return {
    ...fromConversation(body),
    max_tokens,
    stream: stream ?? false,
    temperature,
    top_p,
    top_k,
    stop: stop_sequences,
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
  };
}

/** What is counted of a request: its messages and tools. */
export function fromConversation(body: CountTokensBody): ChatCompletionBody {
  const { model, messages, system, tool_choice: choice } = body;
  const instructions = typeof system === 'string' ? system : system?.map(({ text }) => text).join('\n\n');
  const tools = (body.tools ?? []).filter(({ type }) => !type || type === 'custom');
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'system' as const, content: instructions }] : []),
      ...messages.flatMap(toChatMessages),
    ],
    tools: tools.map(({ name, description, input_schema: parameters, strict }) => ({
      type: 'function',
      function: { name, description, parameters, strict },
    })),
    tool_choice: toolChoiceOf(choice),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  };
}

function toChatMessages(message: AnthropicMessage): ChatMessage[] {
  switch (message.role) {
    case 'user':
      return fromUser(message.content);
    case 'assistant':
      return fromAssistant(message.content);
    case 'system':
      return [{ role: 'system', content: message.content }];
  }
}

function toolChoiceOf(choice: CountTokensBody['tool_choice']): ChatCompletionBody['tool_choice'] {
  switch (choice?.type) {
    case 'tool':
      return { type: 'function', function: { name: choice.name ?? '' } };
    case 'any':
      return 'required';
    default:
      return choice?.type;
  }
}

/** Efforts above `high` are Anthropic's own: other providers refuse them. */
function knownEffort(effort: string | null | undefined): string | undefined {
  if (!effort) return undefined;
  return ['low', 'medium', 'high'].includes(effort) ? effort : 'high';
}

function effortOf(thinking: MessagesBody['thinking']): string | undefined {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : null;
  if (!budget) return undefined;
  if (budget <= LOW_BUDGET) return 'low';
  return budget <= MEDIUM_BUDGET ? 'medium' : 'high';
}

/** Results become tool messages in front of the user's words; their pictures follow as words of the user. */
function fromUser(content: Extract<AnthropicMessage, { role: 'user' }>['content']): ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'user', content }];
  const results = content.filter((block) => block.type === 'tool_result');
  const parts = content.flatMap((block): UserPart[] => {
    if (block.type === 'tool_result') return picturesOf(block);
    return [block.type === 'text' ? { type: 'text', text: block.text } : toFilePart(block)];
  });
  return [...results.map(toToolMessage), ...(parts.length > 0 ? [{ role: 'user' as const, content: parts }] : [])];
}

function toToolMessage({ tool_use_id, content, is_error: isError }: ToolResult): ChatMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { role: 'tool', tool_call_id: tool_use_id, content: isError ? `${FAILED}${text}` : text };
}

function picturesOf({ tool_use_id: callId, content }: ToolResult): UserPart[] {
  const media = typeof content === 'string' ? [] : (content ?? []).filter((block) => block.type !== 'text');
  if (media.length === 0) return [];
  return [filesNote(callId), ...media.map(toFilePart)];
}

function toFilePart(block: MediaBlock): UserPart {
  const { source } = block;
  if (source.type === 'text') return { type: 'text', text: source.data };
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
  if (block.type === 'image') return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { file_data: url, ...(block.title && { filename: block.title }) } };
}

function fromAssistant(content: Extract<AnthropicMessage, { role: 'assistant' }>['content']): ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'assistant', content }];
  const texts = content.flatMap((block) =>
    block.type === 'text' ? [{ type: 'text' as const, text: block.text }] : [],
  );
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  );
  const thoughts = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  const decoder = new ReasoningDecoder();
  const details = content.flatMap((block) => detailsOf(block, decoder));
  return [
    {
      role: 'assistant',
      content: texts.length > 0 ? texts : null,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n\n') }),
      ...(details.length > 0 && { reasoning_details: details }),
    },
  ];
}

/** Signed and hidden thinking, as OpenRouter takes it back: ours, or what Anthropic itself wrote. */
function detailsOf(block: Blocks<'assistant'>[number], decoder: ReasoningDecoder): Record<string, JsonValue>[] {
  const format = 'anthropic-claude-v1';
  if (block.type === 'redacted_thinking') {
    const details = decoder.decode(block.data);
    return details.length > 0 ? details : [{ type: 'reasoning.encrypted', data: block.data, format }];
  }
  if (block.type !== 'thinking' || !block.signature) return [];
  return [{ type: 'reasoning.text', text: block.thinking, signature: block.signature, format }];
}
