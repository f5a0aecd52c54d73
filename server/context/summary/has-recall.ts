import type { Message } from '#server/core/messages';
import { recallIdOf } from '#server/core/parts';

/** Whether what is left out of a conversation can be found again by tools: not in one that a client keeps. */
export function hasRecall(messages: readonly Message[]): boolean {
  return !messages.some(({ parts }) => parts.some((part) => recallIdOf(part) === null));
}
