import { parseJson } from '#server/core/json';
import type { ModelMessage } from '#server/core/conversation/model-messages';

/**
 * Restores in the messages the arguments of calls exactly as the client sent them: parsed and serialised again, spaces
 * and large numbers would differ. Calls that the engine has shortened stay shortened.
 */
export function withWrittenArguments(
  messages: readonly ModelMessage[],
  written: ReadonlyMap<string, string>,
): ModelMessage[] {
  if (written.size === 0) return messages.slice();
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) => {
      const text = part.type === 'tool-call' ? written.get(part.toolCallId) : undefined;
      return part.type === 'tool-call' && text !== undefined && isSame(text, part.input)
        ? { ...part, input: text }
        : part;
    });
    return { ...message, content };
  });
}

function isSame(text: string, input: unknown): boolean {
  return JSON.stringify(parseJson(text)) === JSON.stringify(input);
}
