import { compactionRoom, cutView } from '#server/context/compaction/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';

/** The default: waits for the overflow, keeps the newest turns (2) verbatim and has the rest told by a model. */
export const reactiveOverflow: Strategy = {
  name: 'reactive-overflow',
  writer: 'narrative',
  trigger: (budget) => budget.usable,
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings);
    return cutView(stored, { tokens: tailTokens, turns: settings.minTurnsToKeep }, summaryTokens);
  },
};
