import type { ChatMessage, ChatPart } from '#components/api/chat-message';
import { countWrites } from '#components/chat/session/tool-entry';

/** The end of a conversation that can be sent anew. */
interface NewestTurn {
  readonly request: ChatMessage;
  /** The message that it can be asked again at: its answer, or itself where it has none. */
  readonly lastId: string;
  /** Number of changes the answer made to the site. */
  readonly changes: number;
  /** False: sent from here and not loaded since, its id is not the stored one. */
  readonly isStored: boolean;
}

/** Null when nothing was asked yet, or something in the request cannot be sent twice. */
export function newestTurn(messages: readonly ChatMessage[]): NewestTurn | null {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  const request = messages[index];
  if (!request || partsToSend(request).length < request.parts.length) return null;
  const turn = messages.slice(index);
  return {
    request,
    lastId: turn.at(-1)!.id,
    changes: turn.reduce((sum, message) => sum + countWrites(message), 0),
    isStored: request.id.startsWith('msg_'),
  };
}

/** Parts of a message that can be sent again: text and stored files. */
export function partsToSend({ parts }: ChatMessage): ChatMessage['parts'] {
  return parts.filter((part) => part.type === 'text' || isAttachment(part));
}

function isAttachment(part: ChatPart): boolean {
  return part.type === 'file' && 'url' in part && part.url.startsWith('/api/attachments/');
}
