import { TooLargeError } from '#server/core/errors';
import type { NewMessage } from '#server/core/messages';
import { createBudget } from '#server/context/budget';
import type { ContextSettings } from '#server/context/context-settings';
import { type ModelTarget, fixedTokens, scale } from '#server/context/current-tokens';

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
    const tokens = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    if (role === 'user' && scale(tokens, target) > room) throw new TooLargeError('The message', room, 'tokens');
  }
}
