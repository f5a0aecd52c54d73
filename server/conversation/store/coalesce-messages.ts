import { writtenText } from '#server/core/conversation/part-text';
import { coalesceTexts } from '#server/core/conversation/coalesced-text';
import type { CoalescedMetadata } from '#server/core/conversation/messages';
import type { QueuedMessage } from '#server/core/conversation/turns';
import type { NewPart } from '#server/core/conversation/parts';

/** Tokens of the label that `coalesceTexts` adds to a text: `\n\n[12] ` or `\n\nAlso: `. */
const LABEL_TOKENS = 5;

interface WaitingMessage {
  readonly id: string;
  readonly parts: QueuedMessage['parts'];
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/**
 * Joins user messages into one, in order: one text, then all files. A single message is unchanged and has no metadata.
 * At least one is required.
 */
export function coalesceMessages(messages: readonly WaitingMessage[]): {
  readonly parts: readonly NewPart[];
  readonly metadata: CoalescedMetadata | null;
} {
  const [first, last] = [messages.at(0), messages.at(-1)];
  if (!first || !last) throw new Error('There is no message to coalesce.');
  if (first === last) return { parts: first.parts, metadata: null };
  const others = messages.flatMap(({ parts }) => parts.filter(({ type }) => type !== 'text'));
  // Only the environment context of the newest sender applies.
  const newest = others.findLast(({ type }) => type === 'situation');
  const beside = others.filter((part) => part.type !== 'situation' || part === newest);
  const metadata: CoalescedMetadata = {
    coalesced: true,
    messageCount: messages.length,
    originalMessages: messages.map(({ id }) => id),
    firstQueuedAt: first.createdAt,
    lastQueuedAt: last.createdAt,
  };
  return { parts: [...oneText(messages), ...beside], metadata };
}

/**
 * Number of messages, from the first on, that together have at most `maxTokens`; the first always fits. Stops before a
 * message that was written with another section selected, because an environment context describes only one section.
 */
export function countFitting(messages: readonly WaitingMessage[], maxTokens: number): number {
  let tokens = 0;
  const firstAbove = messages.findIndex((message, index) => {
    tokens += countTokens(message.parts) + LABEL_TOKENS;
    return index > 0 && (tokens > maxTokens || chosenWith(message) !== chosenWith(messages[0]!));
  });
  return firstAbove === -1 ? messages.length : firstAbove;
}

function chosenWith({ parts }: WaitingMessage): string | undefined {
  return parts.flatMap((part) => (part.type === 'situation' ? (part.content.preview?.section ?? []) : []))[0];
}

/** Returns no part if none of the messages has text. */
function oneText(messages: readonly WaitingMessage[]): NewPart[] {
  const written = messages.map(({ parts }) => writtenText(parts)).filter((text) => text !== '');
  if (written.length === 0) return [];
  const textParts = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'text'));
  const tokens = countTokens(textParts) + LABEL_TOKENS * written.length;
  return [{ type: 'text', content: { text: coalesceTexts(written) }, tokens }];
}

function countTokens(parts: readonly NewPart[]): number {
  return parts.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
}
