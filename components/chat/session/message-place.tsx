import type { ChatMessage } from '#components/api/chat-message';

/** Place of a message in a transcript, which folds the stored messages of an answer into one. */
export interface MessagePlace {
  readonly messageId: string | null;
  /** Turn whose answer it is part of. */
  readonly turnId: string | null;
}

/**
 * The message of the transcript that shows a stored one: itself, the answer of its turn, or else the last one that was
 * stored before it (ids sort by the time they were made). Undefined: it is not loaded.
 */
export function findPlace(
  messages: readonly ChatMessage[],
  { messageId, turnId }: MessagePlace,
): ChatMessage | undefined {
  const itself = messages.find(({ id }) => id === messageId);
  if (itself) return itself;
  const answer = messages.find(({ role, metadata }) => role === 'assistant' && metadata?.turnId === turnId);
  if (turnId !== null && answer) return answer;
  return messageId === null ? undefined : messages.findLast(({ id }) => id.startsWith('msg_') && id <= messageId);
}
