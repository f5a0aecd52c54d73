import type { ModelMessage } from '#server/core/model-messages';

/**
 * Messages whose calls carry their arguments as their client sent them, where the view shows them whole: parsed and
 * written again they would have other spaces, and numbers that JavaScript does not hold exactly would change. For providers that
 * take JSON in a text as it is; calls that the engine has shortened stay shortened.
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
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(input);
  } catch {
    return false;
  }
}
