import type { ModelMessage } from 'ai';
import { partsOf } from '#tests/bench/context/message-parts';
import { countTokens } from '#server/context/tokens';

/** Role and marks around a message, and names, ids and marks around a call or result; as the engine has them. */
const MESSAGE_TOKENS = 4;
const TOOL_TOKENS = 14;

/**
 * One way to count for everybody: o200k tokens of every text, tool input and output, and something for what is around
 * them. Files count nothing. Each message is counted once for as long as the counter lives.
 */
export function createMessageCounter(): (messages: readonly ModelMessage[]) => number {
  const known = new WeakMap<ModelMessage, number>();
  const byText = new Map<string, number>();
  const countOnce = (text: string): number => {
    const counted = byText.get(text) ?? countTokens(text);
    byText.set(text, counted);
    return counted;
  };
  const count = (message: ModelMessage): number => {
    const parts = partsOf([message]).map(({ text, toolName }) => {
      return countOnce(text) + (toolName === null ? 0 : TOOL_TOKENS + countOnce(toolName));
    });
    return parts.reduce((sum, tokens) => sum + tokens, MESSAGE_TOKENS);
  };
  return (messages) =>
    messages.reduce((sum, message) => {
      const tokens = known.get(message) ?? count(message);
      known.set(message, tokens);
      return sum + tokens;
    }, 0);
}
