import { type ChatMessage, countOfPart, messageText, originalTexts } from '#components/api/chat-message';

/**
 * User texts after the message `after` (from the start where it is not there), also in the middle of it; those that the
 * server joined are apart again.
 */
export function wordsSince(messages: readonly ChatMessage[], after: string): string[] {
  const known = messages.findIndex(({ id }) => id === after);
  const textsOf = (message: ChatMessage, count: number | undefined) => {
    const text = messageText(message);
    return originalTexts(text, count)?.map((original) => original.trim()) ?? [text];
  };
  return messages.slice(Math.max(0, known)).flatMap((message) => {
    if (message.role === 'user') return message.id === after ? [] : textsOf(message, message.metadata?.messageCount);
    return message.parts.flatMap((part) =>
      part.type === 'steering-message' ? textsOf({ ...message, parts: part.parts }, countOfPart(part.parts)) : [],
    );
  });
}
