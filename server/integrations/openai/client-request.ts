import type { ClientCall, ClientTool } from '#server/conversation/turn/client-step';
import { type ChatCompletionBody, outputLimit } from '#server/integrations/openai/chat-completion-body';
import { fromOpenAIMessages, type OpenAIMessage } from '#server/conversation/import/openai-messages';
import type { JsonValue } from '#server/core/json';
import type { NewMessage } from '#server/core/conversation/messages';

/** A client's request, converted to our types. */
export interface ClientRequest extends Pick<ClientCall, 'tools' | 'toolChoice' | 'sampling' | 'extra'> {
  readonly modelId: string;
  /** Without system and developer messages, which become the instructions. */
  readonly messages: readonly NewMessage[];
  readonly instructions: string | null;
  /** Tools and response format as one text, to count their tokens; empty if there are none. */
  readonly toolsText: string;
  /** Arguments of every call in the messages exactly as the client wrote them, by call id. */
  readonly writtenArguments: ReadonlyMap<string, string>;
  /** The client's output limit, tokens. */
  readonly outputLimit: number | undefined;
}

/** Fields that are forwarded unchanged: servers of this format accept them, and the AI SDK has no option for them. */
const FORWARDED_FIELDS = [
  'response_format',
  'reasoning_effort',
  'parallel_tool_calls',
  'user',
  'verbosity',
  'logit_bias',
  'top_k',
  'min_p',
  'repeat_penalty',
  'repetition_penalty',
  'chat_template_kwargs',
] as const satisfies readonly (keyof ChatCompletionBody)[];

/** Converts the body of a request. @throws InvalidInputError for messages that cannot be converted */
export function toClientRequest(body: ChatCompletionBody): ClientRequest {
  const { messages, instructions } = fromOpenAIMessages(body.messages);
  const tools = allowedTools(body).map((tool) => toClientTool(tool.function));
  const fixed = [...tools, ...(body.response_format?.type === 'json_schema' ? [body.response_format] : [])];
  return {
    modelId: body.model,
    messages,
    instructions,
    tools,
    toolChoice: toolChoiceOf(body),
    sampling: samplingOf(body),
    extra: Object.fromEntries(FORWARDED_FIELDS.flatMap((name) => forwarded(name, body[name]))),
    toolsText: fixed.length === 0 ? '' : JSON.stringify(fixed),
    writtenArguments: new Map(body.messages.flatMap(callsOf)),
    outputLimit: outputLimit(body),
  };
}

function forwarded(name: string, value: unknown): [string, JsonValue][] {
  return value === undefined || value === null ? [] : [[name, value as JsonValue]];
}

/** `allowed_tools` leaves the other tools out: no provider but OpenAI knows it. */
function allowedTools({ tools, tool_choice: choice }: ChatCompletionBody): NonNullable<ChatCompletionBody['tools']> {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return tools ?? [];
  const names = new Set(choice.allowed_tools.tools.map((tool) => tool.function?.name));
  return (tools ?? []).filter((tool) => names.has(tool.function.name));
}

function toClientTool(tool: NonNullable<ChatCompletionBody['tools']>[number]['function']): ClientTool {
  const { name, description, parameters, strict } = tool;
  return {
    name,
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(description && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function toolChoiceOf({ tool_choice: choice }: ChatCompletionBody): ClientCall['toolChoice'] {
  if (choice === undefined || choice === null) return { type: 'auto' };
  if (typeof choice === 'string') return { type: choice };
  if (choice.type === 'allowed_tools') return { type: choice.allowed_tools.mode };
  return { type: 'tool', toolName: choice.function.name };
}

function samplingOf(body: ChatCompletionBody): ClientCall['sampling'] {
  const { stop } = body;
  const asked = {
    temperature: body.temperature,
    topP: body.top_p,
    frequencyPenalty: body.frequency_penalty,
    presencePenalty: body.presence_penalty,
    stopSequences: typeof stop === 'string' ? [stop] : stop,
    seed: body.seed,
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null && value !== undefined));
}

/** The arguments of the calls in a message, by call id. */
function callsOf(message: OpenAIMessage): [string, string][] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.map((call) => [call.id, call.function.arguments]);
}
