import type { FileUIPart, UIMessage } from 'ai';
import { splitCoalescedText } from '#server/core/conversation/coalesced-text';
import type { CompactionData, ThroughlineDataParts } from '#server/core/conversation/events';
import type { CoalescedMetadata, MessageStatus } from '#server/core/conversation/messages';
import type { CodedMessage } from '#server/core/coded-message';

/**
 * Metadata of a message; for a user message also how it was coalesced (joined with others that were sent during a
 * turn).
 */
export interface ChatMetadata extends Partial<CoalescedMetadata> {
  /** Epoch ms. */
  readonly createdAt?: number;
  readonly status?: MessageStatus;
  readonly turnId?: string;
  /** `cancelled` for an answer that the user stopped. */
  readonly finishReason?: string;
  readonly error?: string | null;
  /** `error` as data; missing if it has no code. */
  readonly errorMessage?: CodedMessage;
  readonly durationMs?: number;
  /** Ids under which its client sent a user message; several if it was coalesced. */
  readonly clientRequestIds?: readonly string[];
  /** Set on a user message that replaced another one. */
  readonly earlierVersion?: boolean;
}

/** A message of the transcript: the AI SDK's shape with our metadata and data parts. */
export type ChatMessage = UIMessage<ChatMetadata, ThroughlineDataParts>;
/** A part of a message. */
export type ChatPart = ChatMessage['parts'][number];
/** A file part of a message. */
export type ChatFile = FileUIPart;

/** All text of a message, with its paragraphs separated. */
export function messageText(message: ChatMessage): string {
  return message.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
}

/**
 * The messages that were joined into this text, without the joining text; null for a single message.
 * @param messageCount number of messages, as the server reports it
 */
export function originalTexts(text: string, messageCount: number | undefined): readonly string[] | null {
  if (messageCount === undefined || messageCount < 2) return null;
  const texts = splitCoalescedText(text);
  // A text that itself contains the joining text can be cut in the wrong places.
  return texts.length === messageCount ? texts : null;
}

/** Text of a message as the user typed it: joined messages without the text that joins them for the model. */
export function typedText(message: ChatMessage): string {
  const text = messageText(message);
  return originalTexts(text, message.metadata?.messageCount)?.join('\n\n') ?? text;
}

/** Number of messages that the server joined into one text part of an answer; undefined for a single one. */
export function countOfPart(parts: readonly ChatPart[]): number | undefined {
  const counts = parts.flatMap((part) =>
    part.type === 'text' ? [part.providerMetadata?.['throughline']?.['messageCount']] : [],
  );
  return typeof counts[0] === 'number' ? counts[0] : undefined;
}

/** Names of the files of a message. */
export function messageFiles(message: ChatMessage): string[] {
  return message.parts.flatMap((part) => (part.type === 'file' ? [part.filename ?? part.mediaType] : []));
}

/** The compaction that a part reports, or null. */
export function compactionOf(part: ChatPart): CompactionData | null {
  return part.type === 'data-compaction' && 'data' in part ? (part.data as CompactionData) : null;
}

/** True if the user stopped this answer. */
export function wasStopped({ metadata }: ChatMessage): boolean {
  return metadata?.finishReason === 'cancelled';
}

/** True if a tool call of this message waits for approval. */
export function asksForApproval(message: ChatMessage): boolean {
  return message.parts.some((part) => 'state' in part && part.state === 'approval-requested');
}

/** The server gives stored messages ids with this prefix; ids created by the browser have another form. */
export function isStored({ id }: ChatMessage): boolean {
  return id.startsWith('msg_');
}
