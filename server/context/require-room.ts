import { TooLargeError } from '#server/core/errors';
import type { NewMessage } from '#server/core/messages';
import type { NewPart } from '#server/core/parts';
import { createBudget } from '#server/context/budget';
import type { ContextSettings } from '#server/context/context-settings';
import { type ModelTarget, fixedTokens, scale } from '#server/context/current-tokens';
import { mediaTokens } from '#server/context/media-tokens';
import { countPartTokens } from '#server/context/part-tokens';
import { STORED_VOCABULARY, vocabularyOf } from '#server/context/vocabulary';

/**
 * Refuses messages of the user that no context of this model could hold: the newest request is never cut, so it has to
 * fit beside the fixed tokens and a compaction's summary.
 * @throws TooLargeError
 */
export function requireRoom(messages: readonly NewMessage[], target: ModelTarget, settings: ContextSettings): void {
  const fixed = fixedTokens(target);
  const { usable, target: aim } = createBudget(target, settings, fixed);
  const room = Math.max(0, usable - Math.floor((aim - fixed) / 2) - fixed);
  for (const { role, parts } of messages) {
    if (role !== 'user') continue;
    const tokens = parts.reduce((sum, part) => sum + costOf(part, target), 0);
    if (tokens > room) throw new TooLargeError('The message', room, 'tokens');
  }
}

/** Files by the formula of the model's provider, which is in its own tokens already. */
function costOf(part: NewPart, target: ModelTarget): number {
  if (part.type === 'file') return mediaTokens(part.content, target.modelId);
  const vocabulary = vocabularyOf(target.modelId);
  const tokens = vocabulary === STORED_VOCABULARY ? part.tokens : undefined;
  return scale(tokens ?? countPartTokens(part, vocabulary), target);
}
