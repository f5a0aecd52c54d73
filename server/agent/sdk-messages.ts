import type { LanguageModelUsage, ModelMessage as SdkModelMessage, SystemModelMessage } from 'ai';
import { isToolImagesLabel } from '#server/core/engine-words';
import type { Usage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';

/**
 * Our model messages as the AI SDK's. The shapes are the same (a test runs them through the SDK's own schema); only
 * optional properties differ in how TypeScript sees an explicit `undefined`.
 */
function toSdk(messages: readonly ModelMessage[]): SdkModelMessage[] {
  return messages as unknown as SdkModelMessage[];
}

const EPHEMERAL = { cacheControl: { type: 'ephemeral' } } as const;
/** Marks the end of the prefix that a provider may cache: for the packages of OpenRouter, and of Anthropic itself. */
const BREAKPOINT = { openrouter: EPHEMERAL, anthropic: EPHEMERAL };

/** Providers that cache only where they are told to; the others do it by themselves. */
function takesBreakpoints(modelId: string): boolean {
  return modelId.startsWith('anthropic/');
}

/**
 * A request with its cache breakpoints: behind the instructions (and so the tools), behind the newest message of the
 * user and behind the newest message, images of tool results left out: they are gone in the next request. What is in
 * front of them stays byte for byte the same between compactions and batched prunes, so the next step reads it from
 * the cache.
 */
export function toSdkRequest(
  instructions: string,
  messages: readonly ModelMessage[],
  modelId: string,
): { instructions: string | SystemModelMessage; messages: SdkModelMessage[] } {
  if (!takesBreakpoints(modelId)) return { instructions, messages: toSdk(messages) };
  const lasting = messages.map((message, index) => (message.role === 'assistant' || isPassing(message) ? -1 : index));
  const marked = new Set([Math.max(...lasting), lasting.findLast((index) => messages[index]?.role === 'user')]);
  return {
    instructions: { role: 'system', content: instructions, providerOptions: BREAKPOINT },
    messages: toSdk(messages.map((message, index) => (marked.has(index) ? markEnd(message) : message))),
  };
}

/** True for a message with images that only this request has. */
function isPassing({ role, content: [first] }: ModelMessage): boolean {
  return role === 'user' && first?.type === 'text' && isToolImagesLabel(first.text);
}

/**
 * The message with a breakpoint at its end. On its last part, not on the message: there each result of a step would get
 * one, and a request may have four.
 */
function markEnd(message: ModelMessage): ModelMessage {
  // A request ends with the user or with tool results; an answer's parts carry what its provider wants back unchanged.
  if (message.role === 'assistant') return message;
  const content = message.content.map((part, index) =>
    index === message.content.length - 1 ? { ...part, providerOptions: BREAKPOINT } : part,
  );
  return { ...message, content } as ModelMessage;
}

/** Usage that the provider reported for one step; null when it reported none. */
export function toUsage(usage: LanguageModelUsage): Usage | null {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails, raw } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return null;
  const cost = raw?.['cost'];
  return {
    inputTokens,
    outputTokens,
    ...defined('cacheReadTokens', inputTokenDetails.cacheReadTokens),
    ...defined('cacheWriteTokens', inputTokenDetails.cacheWriteTokens),
    ...defined('reasoningTokens', outputTokenDetails.reasoningTokens),
    ...defined('cost', typeof cost === 'number' ? cost : undefined),
  };
}

function defined<K extends keyof Usage>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, number>);
}

/**
 * Addresses of files go to the provider as they are. The SDK's default is to fetch them here for models that take no
 * addresses: whoever wrote one could make this server call any host, and a dead link would end every later turn.
 */
export const neverDownload = (wanted: readonly unknown[]) => Promise.resolve(wanted.map(() => null));
