import { compactionRoom, cutView, isRequest, rawTokens } from '#server/context/compaction/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';
import { verbatimMessages } from '#server/context/view/view';

/** No model: the first request and the newest messages stay, the middle is taken out with a note in its place. */
export const middleRemoval: Strategy = {
  name: 'middle-removal',
  writer: 'note',
  trigger: (budget, settings) =>
    Math.min(budget.usable, Math.floor(budget.contextWindow * settings.middleRemovalThreshold)),
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings);
    // Behind a summary the oldest request that is left may be any one, and what was done for it is gone.
    const first = (stored.summary === null ? verbatimMessages(stored) : stored.leading).find(isRequest);
    // A larger one is found by recall.
    const before = first && rawTokens([first]) <= tailTokens * settings.firstRequestShare ? [first] : [];
    const tokens = tailTokens - rawTokens(before);
    return cutView(stored, { tokens, turns: Infinity }, Math.min(summaryTokens, settings.noteMaxTokens), before);
  },
};
