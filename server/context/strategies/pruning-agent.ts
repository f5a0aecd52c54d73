import { blocksOf, compactionRoom, cutView } from '#server/context/plan-compaction';
import { rawTokens } from '#server/context/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';

/** Newest messages that the agent may not take out: 3 to 5, as many as fit. */
const NEWEST_MESSAGES = 5;

/** A chosen model reads the conversation and says which messages stay and what the rest was about. */
export const pruningAgent: Strategy = {
  name: 'pruning-agent',
  writer: 'pruning-agent',
  trigger: (budget, settings) =>
    Math.min(budget.usable, Math.floor(budget.contextWindow * settings.pruningAgentThreshold)),
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings.summaryMaxTokens);
    const newest = blocksOf(stored.messages).slice(-NEWEST_MESSAGES).flat();
    return cutView(stored, { tokens: Math.min(tailTokens, rawTokens(newest)), turns: Infinity }, summaryTokens);
  },
};
