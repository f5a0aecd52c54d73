import type { LanguageModelUsage, ModelMessage as SdkModelMessage, SystemModelMessage } from 'ai';
import { isToolImagesLabel } from '#server/core/conversation/labels';
import type { Usage } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';

/**
 * Our model messages as the AI SDK's. The shapes are the same (a test validates them with the SDK's own schema); only
 * optional properties differ in how TypeScript treats an explicit `undefined`.
 */
function toSdk(messages: readonly ModelMessage[]): SdkModelMessage[] {
  return messages as unknown as SdkModelMessage[];
}

const EPHEMERAL = { cacheControl: { type: 'ephemeral' } } as const;
/** Marks the end of the prefix that a provider may cache: for the packages of OpenRouter and of Anthropic. */
const BREAKPOINT = { openrouter: EPHEMERAL, anthropic: EPHEMERAL };

/** True for providers that cache only at explicit breakpoints; the others cache automatically. */
function takesBreakpoints(modelId: string): boolean {
  return modelId.startsWith('anthropic/');
}

/**
 * A request with its cache breakpoints: after the instructions (and so the tools), after the user's newest message and
 * after the newest message. Images of tool results are skipped because the next request does not contain them. The text
 * before a breakpoint stays identical byte for byte between compactions and batched prunes, so the next step reads it
 * from the cache.
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

/** True for a message with images that only this request contains. */
function isPassing({ role, content: [first] }: ModelMessage): boolean {
  return role === 'user' && first?.type === 'text' && isToolImagesLabel(first.text);
}

/**
 * The message with a breakpoint at its end. The breakpoint is on the last part, because on the message each result of a
 * step would get one, and a request may have four.
 */
function markEnd(message: ModelMessage): ModelMessage {
  // A request ends with the user or with tool results; the parts of an answer carry provider metadata that must be sent
  // back unchanged.
  if (message.role === 'assistant') return message;
  const content = message.content.map((part, index) =>
    index === message.content.length - 1 ? { ...part, providerOptions: BREAKPOINT } : part,
  );
  return { ...message, content } as ModelMessage;
}

/** Usage that the provider reported for one step; null if it reported none. */
export function toUsage(usage: LanguageModelUsage): Usage | null {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails, raw } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return null;
  const cost = raw?.['cost'];
  return {
    inputTokens,
    outputTokens,
    ...defined('cacheReadTokens', inputTokenDetails.cacheReadTokens),
    ...defined('cacheWriteTokens', inputTokenDetails.cacheWriteTokens),
    // The packages report 0 if a server does not count reasoning separately; neither no reasoning nor an unknown count
    // needs a number.
    ...defined('reasoningTokens', outputTokenDetails.reasoningTokens || undefined),
    ...defined('cost', typeof cost === 'number' ? cost : undefined),
  };
}

function defined<K extends keyof Usage>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, number>);
}

/**
 * Passes URLs of files to the provider unchanged. For models that accept no URLs, the SDK's default is to download the
 * files here: the author of a URL could then make this server call any host, and a dead link would make every later
 * turn fail.
 */
export const neverDownload = (wanted: readonly unknown[]) => Promise.resolve(wanted.map(() => null));
