import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import type { JsonValue } from '#server/core/json';
import type { FakeOpenRouterOptions } from '#tests/support/fake-openrouter';
import type { FakeAnswer, WireTool } from '#tests/support/openrouter-wire';
import type { ParsedRequest } from '#tests/support/request-log';
import type { WireMessage } from '#tests/support/validate-model-messages';

/**
 * A script for the fake server: a language model (the basic assistant, say) answers over OpenRouter's wire format.
 * Its usage is counted from the request as received.
 * @param options.chunkDelayMs pause between streamed chunks, milliseconds; default 0
 */
export function respondWithModel(
  model: LanguageModelV4,
  options: Pick<FakeAnswer, 'chunkDelayMs'> = {},
): FakeOpenRouterOptions['respond'] {
  return async (request) => ({ ...toAnswer(await model.doGenerate(toCallOptions(request))), ...options });
}

function toCallOptions({ body, messages, tools }: ParsedRequest): LanguageModelV4CallOptions {
  return {
    prompt: toPrompt(messages),
    ...(tools.length === 0 ? {} : { tools: tools.map(toFunctionTool), toolChoice: { type: 'auto' } }),
    ...(body.max_tokens === undefined ? {} : { maxOutputTokens: body.max_tokens }),
    ...(body.temperature === undefined ? {} : { temperature: body.temperature }),
  };
}

function toFunctionTool({ function: { name, description, parameters } }: WireTool): LanguageModelV4FunctionTool {
  return { type: 'function', name, inputSchema: parameters, ...(description === undefined ? {} : { description }) };
}

function toPrompt(messages: readonly WireMessage[]): LanguageModelV4Prompt {
  const toolNames = new Map(
    messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function.name] as const)),
  );
  const prompt: LanguageModelV4Prompt = [];
  for (const message of messages) {
    const converted = toMessage(message, toolNames);
    const last = prompt.at(-1);
    if (converted.role === 'tool' && last?.role === 'tool') last.content.push(...converted.content);
    else prompt.push(converted);
  }
  return prompt;
}

function toMessage(message: WireMessage, toolNames: ReadonlyMap<string, string>): LanguageModelV4Message {
  const text = textOf(message.content);
  switch (message.role) {
    case 'system':
      return { role: 'system', content: text };
    case 'user':
      return { role: 'user', content: textsOf(message.content).map((each) => ({ type: 'text', text: each })) };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(text === '' ? [] : [{ type: 'text' as const, text }]),
          ...(message.tool_calls ?? []).map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.function.name,
            input: JSON.parse(call.function.arguments) as unknown,
          })),
        ],
      };
    case 'tool': {
      const toolCallId = message.tool_call_id ?? '';
      const toolName = message.name ?? toolNames.get(toolCallId) ?? 'unknown';
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: toToolOutput(text) }] };
    }
    default:
      throw new Error(`A message with the role "${message.role}" cannot be turned back into a prompt.`);
  }
}

/** The wire does not say whether a result was JSON or text. */
function toToolOutput(text: string) {
  try {
    return { type: 'json' as const, value: JSON.parse(text) as JsonValue };
  } catch {
    return { type: 'text' as const, value: text };
  }
}

/** Pictures and files are left out: none of the scripted models reads them. */
const textOf = (content: unknown): string => textsOf(content).join('');

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return (content as { text?: unknown }[]).flatMap((part) => (typeof part.text === 'string' ? [part.text] : []));
}

const WIRE_FINISH_REASONS: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

function toAnswer({ content, finishReason }: LanguageModelV4GenerateResult): FakeAnswer {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const reasoning = content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('');
  const toolCalls = content.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) as JsonValue }]
      : [],
  );
  return {
    text,
    toolCalls,
    finishReason: WIRE_FINISH_REASONS[finishReason.unified] ?? finishReason.unified,
    ...(reasoning === '' ? {} : { reasoning }),
  };
}
