import type { ClientCall, ClientTool } from '#server/agent/client-step';
import { type ChatCompletionBody, outputLimit } from '#server/completions/chat-completion-body';
import { fromOpenAIMessages, type OpenAIMessage } from '#server/conversations/openai-messages';
import { UnknownModelError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { NewMessage } from '#server/core/messages';
import type { ModelChoice, ModelRegistry, ResolvedModel } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';

/** A client's request, translated to our types. */
export interface ClientRequest extends Pick<ClientCall, 'tools' | 'toolChoice' | 'sampling' | 'extra'> {
  readonly modelId: string;
  /** Without system and developer messages, which are the instructions. */
  readonly messages: readonly NewMessage[];
  readonly instructions: string | null;
  /** Tools and answer format as one text, to count their tokens; empty: none. */
  readonly toolsText: string;
  /** Arguments of every call in the messages as the client wrote them, by call id. */
  readonly writtenArguments: ReadonlyMap<string, string>;
  /** The client's own limit for the answer, tokens. */
  readonly outputLimit: number | undefined;
}

/** Fields passed on unchanged: every server of this format knows them, and the AI SDK has no option for them. */
const PASSED_ON = [
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

export function toClientRequest(body: ChatCompletionBody): ClientRequest {
  const { messages, instructions } = fromOpenAIMessages(body.messages);
  const tools = (body.tools ?? []).map((tool) => toClientTool(tool.function));
  const fixed = [...tools, ...(body.response_format?.type === 'json_schema' ? [body.response_format] : [])];
  return {
    modelId: body.model,
    messages,
    instructions,
    tools,
    toolChoice: toolChoiceOf(body),
    sampling: samplingOf(body),
    extra: Object.fromEntries(PASSED_ON.flatMap((name) => passedOn(name, body[name]))),
    toolsText: fixed.length === 0 ? '' : JSON.stringify(fixed),
    writtenArguments: new Map(body.messages.flatMap(callsOf)),
    outputLimit: outputLimit(body),
  };
}

function passedOn(name: string, value: unknown): [string, JsonValue][] {
  return value === undefined || value === null ? [] : [[name, value as JsonValue]];
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
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.function.name };
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

function callsOf(message: OpenAIMessage): [string, string][] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.map((call) => [call.id, call.function.arguments]);
}

type Models = Pick<ModelRegistry, 'list' | 'resolve'>;

/**
 * Finds the model a client names: by one of our ids, or by the bare name of a model on the local server, as clients
 * configured for that server send it.
 * @throws UnknownModelError, InvalidInputError
 */
export function findClientModel(models: Models, modelId: string): ResolvedModel {
  try {
    return models.resolve(modelId);
  } catch (error) {
    const local = `${LOCAL_PREFIX}${modelId}`;
    if (error instanceof UnknownModelError && models.list().some(({ id }) => id === local))
      return models.resolve(local);
    throw error;
  }
}

/** One model in OpenAI's shape, with the window in the fields that OpenRouter and LM Studio use. */
export function toWireModel({ id, name, provider, contextWindow, maxOutputTokens, acceptsImages }: ModelChoice) {
  return {
    id,
    object: 'model',
    // Unknown; clients only need a number.
    created: 0,
    owned_by: provider,
    name,
    context_window: contextWindow,
    context_length: contextWindow,
    max_output_tokens: maxOutputTokens,
    input_modalities: acceptsImages ? ['text', 'image'] : ['text'],
  };
}
