import { type ChatMessage, type ChatPart, isStored } from '#components/api/chat-message.ts';
import { countWrites } from '#components/chat/parts/tool-entry.ts';

/** The end of a conversation, which can be sent again. */
export interface NewestTurn {
  readonly request: ChatMessage;
  /** The message with the retry button: its answer, or the request itself without an answer. */
  readonly lastId: string;
  /** Number of changes the answer made to the site. */
  readonly changes: number;
}

/** Null if the conversation is empty, or its newest request is not stored yet or has a part that cannot be sent again. */
export function newestTurn(messages: readonly ChatMessage[]): NewestTurn | null {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  const request = messages[index];
  if (!request || !isStored(request) || partsToSend(request).length < request.parts.length) return null;
  const turn = messages.slice(index);
  return {
    request,
    lastId: turn.at(-1)!.id,
    changes: turn.reduce((sum, message) => sum + countWrites(message), 0),
  };
}

/** Parts of a message that can be sent again: text and stored files. */
export function partsToSend({ parts }: ChatMessage): ChatMessage['parts'] {
  return parts.filter((part) => part.type === 'text' || isAttachment(part));
}

function isAttachment(part: ChatPart): boolean {
  return part.type === 'file' && 'url' in part && part.url.startsWith('/api/attachments/');
}
