import { compactionRoom, cutView, rawTokens } from '#server/context/compaction/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';
import { verbatimMessages } from '#server/context/view/view';

/** Compacts early (at half of the window), keeps the newest 30 % of the tokens whatever turns they belong to. */
export const proactiveThreshold: Strategy = {
  name: 'proactive-threshold',
  writer: 'narrative',
  trigger: (budget, settings) =>
    Math.min(budget.usable, Math.floor(budget.contextWindow * settings.proactiveThreshold)),
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings);
    const newest = rawTokens(verbatimMessages(stored)) * settings.proactiveKeepShare;
    return cutView(stored, { tokens: Math.min(newest, tailTokens), turns: Infinity }, summaryTokens);
  },
};
