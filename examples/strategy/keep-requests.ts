import type { Message } from '#server/core/messages';
import { compactionRoom, cutView, isRequest, rawTokens, type Strategy } from '#server/context/strategies';
import { verbatimMessages } from '#server/context/view';

/** Of the tokens that may stay verbatim, the part for older requests; the rest is for the newest messages. */
const REQUESTS_SHARE = 0.5;

/**
 * What the user said stays in the user's own words, as far back as there is room; what the assistant did in between is told
 * by a model. For people whose briefings matter more than the way to what became of them.
 */
export const keepRequests: Strategy = {
  name: 'keep-requests',
  // Who writes what stands for the replaced messages. A model's text is checked, and the engine puts an exact record of
  // ids, changes and standing instructions beside it; without a model that record is the whole summary.
  writer: 'narrative',

  // Tokens of the next request above which this strategy is asked for a plan. Never above `usable`: that is the overflow.
  trigger: (budget) => budget.usable,

  // Pure: the same conversation gives the same plan. It names messages, and changes none of them.
  plan(input) {
    const { stored, settings } = input;
    const room = compactionRoom(input);
    const keptBefore = newestThatFit(verbatimMessages(stored).filter(isRequest), room.tailTokens * REQUESTS_SHARE);
    const tokens = room.tailTokens - rawTokens(keptBefore);
    // `cutView` cuts where no call is parted from its result, and keeps the newest request wherever it is.
    return cutView(stored, room, { tokens, turns: settings.minTurnsToKeep, keptBefore });
  },
};

/** The newest messages that have so many tokens together, in their order. */
function newestThatFit(messages: readonly Message[], tokens: number): Message[] {
  const fitting: Message[] = [];
  let left = tokens;
  for (const message of messages.toReversed()) {
    left -= rawTokens([message]);
    if (left < 0) break;
    fitting.unshift(message);
  }
  return fitting;
}
