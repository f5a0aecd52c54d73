import { compactionRoom, splitView } from '#server/context/compaction/plan-compaction';
import { middleRemoval } from '#server/context/strategies/middle-removal';
import type { Strategy } from '#server/context/strategies/strategy';

/**
 * For a request that nothing else brings under the limit: the newest request and the newest step alone, and a note as
 * short as there is room for, also in place of an earlier summary alone. Nobody chooses it.
 */
export const lastResort: Strategy = {
  ...middleRemoval,
  plan({ stored, budget, target, settings }) {
    const { summaryTokens } = compactionRoom(budget, target, settings);
    const noteTokens = Math.min(summaryTokens, settings.noteMaxTokens);
    const plan = splitView(stored, { tokens: 0, turns: Infinity }, noteTokens);
    return plan && (plan.replaced.length > 0 || stored.summary) ? plan : null;
  },
};
