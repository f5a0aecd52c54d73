import { compactionRoom, cutView, isRequest, rawTokens } from '#server/context/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';
import { verbatimMessages } from '#server/context/view';

/** Of the verbatim tokens, at most this share for the first request; beyond, it is found by recall. */
const FIRST_REQUEST_SHARE = 0.25;
/** A note of a few lines with the standing instructions. Tokens. */
const NOTE_TOKENS = 1_000;

/** No model: the first request and the newest messages stay, the middle is taken out with a note in its place. */
export const middleRemoval: Strategy = {
  name: 'middle-removal',
  writer: 'note',
  trigger: (budget, settings) =>
    Math.min(budget.usable, Math.floor(budget.contextWindow * settings.middleRemovalThreshold)),
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings.summaryMaxTokens);
    const first = verbatimMessages(stored).find(isRequest);
    const before = first && rawTokens([first]) <= tailTokens * FIRST_REQUEST_SHARE ? [first] : [];
    const tokens = tailTokens - rawTokens(before);
    return cutView(stored, { tokens, turns: Infinity }, Math.min(summaryTokens, NOTE_TOKENS), before);
  },
};
