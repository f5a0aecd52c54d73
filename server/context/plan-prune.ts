import type { Message } from '#server/core/messages';
import type { ToolResultPart } from '#server/core/parts';
import type { PruneLimits } from '#server/context/budget';
import { tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { clearedOutputText } from '#server/context/view';

export interface PrunePlan {
  /** The outputs to clear, oldest first, with what each will cost afterwards. */
  readonly parts: readonly { readonly partId: string; readonly tokensAfter: number }[];
  readonly tokensSaved: number;
  /** Names of the tools whose outputs are cleared, each once. */
  readonly tools: readonly string[];
}

const NOTHING_TO_PRUNE: PrunePlan = { parts: [], tokensSaved: 0, tools: [] };

export interface PruneRules extends PruneLimits {
  /** Newest turns that are left alone. */
  readonly protectedTurns: number;
  /** Tools whose outputs are never cleared. */
  readonly exemptTools: ReadonlySet<string>;
}

/**
 * Which old tool outputs to clear from the view. Walks from the newest message back: outputs of the newest turns and
 * the newest `protect` tokens of outputs stay, and so do errors, exempt tools and what is already cleared. Empty when
 * less than `minimum` tokens would be saved: a small saving does not pay for the lost prompt cache.
 * @param messages the view's messages after the newest summary, in order
 */
export function planPrune(messages: readonly Message[], rules: PruneRules): PrunePlan {
  const candidates = oldOutputs(messages, rules.protectedTurns);
  const clearable: { part: ToolResultPart; tokensAfter: number }[] = [];
  let newest = 0;
  for (const part of candidates) {
    newest += tokensOf(part);
    if (newest <= rules.protect || rules.exemptTools.has(part.content.toolName)) continue;
    const tokensAfter = toolResultTokens(part.content.toolCallId, clearedOutputText(part.id));
    if (tokensAfter < tokensOf(part)) clearable.push({ part, tokensAfter });
  }
  const tokensSaved = clearable.reduce((sum, { part, tokensAfter }) => sum + tokensOf(part) - tokensAfter, 0);
  if (clearable.length === 0 || tokensSaved < rules.minimum) return NOTHING_TO_PRUNE;
  const oldestFirst = clearable.toReversed();
  return {
    parts: oldestFirst.map(({ part, tokensAfter }) => ({ partId: part.id, tokensAfter })),
    tokensSaved,
    tools: [...new Set(oldestFirst.map(({ part }) => part.content.toolName))],
  };
}

/** Completed, uncleared outputs before the newest `turns` turns, newest first. */
function oldOutputs(messages: readonly Message[], turns: number): ToolResultPart[] {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const end = turns === 0 ? messages.length : (starts.at(-turns) ?? 0);
  return messages
    .slice(0, end)
    .flatMap((message) => message.parts)
    .filter((part) => part.type === 'tool-result')
    .filter((part) => part.state === 'completed' && part.compactedAt === null && isOutput(part))
    .toReversed();
}

function isOutput(part: ToolResultPart): boolean {
  return !part.content.output.type.startsWith('error') && part.content.output.type !== 'execution-denied';
}
