import { writtenText } from '#server/core/part-text';
import { coalesceTexts } from '#server/core/coalesced-text';
import type { CoalescedMetadata } from '#server/core/messages';
import type { QueuedMessage } from '#server/core/turns';
import type { NewPart } from '#server/core/parts';

/** Tokens of what `coalesceTexts` writes around a text: `\n\n[12] ` or `\n\nAlso: `. */
const LABEL_TOKENS = 5;

type WaitingMessage = Pick<QueuedMessage, 'id' | 'parts' | 'createdAt'>;

/**
 * Several user messages as one, in their order: one text, then all files. A single message stays as it is and has no
 * metadata. There must be one.
 */
export function coalesceMessages(messages: readonly WaitingMessage[]): {
  readonly parts: readonly NewPart[];
  readonly metadata: CoalescedMetadata | null;
} {
  const [first, last] = [messages.at(0), messages.at(-1)];
  if (!first || !last) throw new Error('There is no message to coalesce.');
  if (first === last) return { parts: first.parts, metadata: null };
  const others = messages.flatMap(({ parts }) => parts.filter(({ type }) => type !== 'text'));
  // The newest sender's situation is the one that holds.
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
 * Counts the messages, from the first on, that are at most `maxTokens` together; the first always fits. One that was
 * written with another section chosen waits: one situation can tell of one section.
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

/** No part where nobody wrote a word. */
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
