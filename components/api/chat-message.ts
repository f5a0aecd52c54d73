import type { FileUIPart, UIMessage } from 'ai';
import type { CompactionData, ThroughlineDataParts } from '#server/core/events';
import type { CoalescedMetadata, MessageStatus } from '#server/core/messages';

/** Metadata of a message; for a user message also how it was coalesced. */
export interface ChatMetadata extends Partial<CoalescedMetadata> {
  /** Epoch ms. */
  readonly createdAt?: number;
  readonly status?: MessageStatus;
  readonly turnId?: string;
  /** `cancelled` for an answer that the user stopped. */
  readonly finishReason?: string;
  readonly error?: string | null;
  readonly durationMs?: number;
  /** Set on a user message that replaced another one. */
  readonly earlierVersion?: boolean;
}

/** A message of the transcript: the AI SDK's shape with our metadata and data parts. */
export type ChatMessage = UIMessage<ChatMetadata, ThroughlineDataParts>;
export type ChatPart = ChatMessage['parts'][number];
/** A file of a message, as it is sent. */
export type ChatFile = FileUIPart;

/** All text of a message, paragraphs apart. */
export function messageText(message: ChatMessage): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
}

/** User texts after the message `after` (from the start where it is not there), also in the middle of it. */
export function wordsSince(messages: readonly ChatMessage[], after: string): string[] {
  const known = messages.findIndex(({ id }) => id === after);
  return messages.slice(Math.max(0, known)).flatMap((message) => {
    if (message.role === 'user') return message.id === after ? [] : [messageText(message)];
    return message.parts.flatMap((part) =>
      part.type === 'steering-message' ? [messageText({ ...message, parts: part.parts })] : [],
    );
  });
}

/** Names of the files of a message. */
export function messageFiles(message: ChatMessage): string[] {
  return message.parts.flatMap((part) => (part.type === 'file' ? [part.filename ?? part.mediaType] : []));
}

/** The compaction that a part tells about, if it does. */
export function compactionOf(part: ChatPart): CompactionData | null {
  return part.type === 'data-compaction' && 'data' in part ? (part.data as CompactionData) : null;
}

/** The user stopped this answer. */
export function wasStopped({ metadata }: ChatMessage): boolean {
  return metadata?.finishReason === 'cancelled';
}

/** Tells whether a tool call of this message waits for approval. */
export function asksForApproval(message: ChatMessage): boolean {
  return message.parts.some((part) => 'state' in part && part.state === 'approval-requested');
}
