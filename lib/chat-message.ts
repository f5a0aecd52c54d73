import type { UIMessage } from 'ai';
import type { MessageStatus } from '#server/core/messages';
import type { CompactionData, ThroughlineDataParts } from '#server/core/events';

/** What the server says about a message besides its parts. */
export interface ChatMetadata {
  /** Epoch ms. */
  readonly createdAt?: number;
  readonly status?: MessageStatus;
  readonly error?: string | null;
  readonly durationMs?: number;
}

/** A message of the transcript: the AI SDK's shape with our metadata and data parts. */
export type ChatMessage = UIMessage<ChatMetadata, ThroughlineDataParts>;
export type ChatPart = ChatMessage['parts'][number];

/** All text of a message, paragraphs apart. */
export function messageText(message: ChatMessage): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
}

/** The compaction that a part tells about, if it does. */
export function compactionOf(part: ChatPart): CompactionData | null {
  return part.type === 'data-compaction' && 'data' in part ? (part.data as CompactionData) : null;
}

/** Whether the newest message shows a summary being made. */
export function isSummarizing(messages: readonly ChatMessage[]): boolean {
  return messages.at(-1)?.parts.some((part) => compactionOf(part)?.phase === 'start') ?? false;
}
