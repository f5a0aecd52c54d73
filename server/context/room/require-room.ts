import { TooLargeError } from '#server/core/errors';
import type { NewMessage } from '#server/core/messages';
import type { NewPart } from '#server/core/parts';
import { createBudget } from '#server/context/room/budget';
import type { ContextSettings } from '#server/context/context-settings';
import { type ModelTarget, fixedTokens, scale } from '#server/context/counting/current-tokens';
import { fileCost } from '#server/context/counting/file-cost';
import { countPartTokens } from '#server/context/part-tokens';
import { STORED_VOCABULARY, vocabularyOf } from '#server/context/counting/vocabulary';

/**
 * Refuses messages of the user that no context of this model could hold.
 * @throws TooLargeError
 */
export function requireRoom(messages: readonly NewMessage[], target: ModelTarget, settings: ContextSettings): void {
  const room = roomOf(target, settings);
  for (const { role, parts } of messages) {
    if (role !== 'user') continue;
    const tokens = parts.reduce((sum, part) => sum + costOf(part, target), 0);
    if (tokens > room) throw new TooLargeError('The message', room, 'tokens');
  }
}

/** The largest message of the user that a context of this model can hold, by our count of tokens. */
export function roomForRequest(target: ModelTarget, settings: ContextSettings): number {
  return Math.floor(roomOf(target, settings) / target.tokenFactor);
}

/** The newest request is never cut, so it has to fit beside the fixed tokens and a compaction's summary. */
function roomOf(target: ModelTarget, settings: ContextSettings): number {
  const fixed = fixedTokens(target);
  const { usable, target: aim } = createBudget(target, settings, fixed);
  return Math.max(0, usable - Math.floor((aim - fixed) / 2) - fixed);
}

/** Images by the formula of the model's provider, which is in its own tokens already. */
function costOf(part: NewPart, target: ModelTarget): number {
  const vocabulary = vocabularyOf(target.modelId);
  if (part.type === 'file') {
    const { text, media } = fileCost(part, target.modelId, target.acceptsImages);
    return scale(text, target) + media;
  }
  const tokens = vocabulary === STORED_VOCABULARY ? part.tokens : undefined;
  return scale(tokens ?? countPartTokens(part, vocabulary), target);
}
