import type { Message } from '#server/core/conversation/messages';
import type { Strategy } from '#server/context/strategies';
import { compactionBudget, cutView, rawTokens } from '#server/context/compaction-plan';
import { verbatimMessages } from '#server/context/view';
import { isRequest } from '#server/core/conversation/part-text';

/** Share of the verbatim tokens for older requests; the rest is for the newest messages. */
const REQUESTS_SHARE = 0.5;

/**
 * Keeps the user's messages word for word, as far back as the token budget allows; a model summarizes what the
 * assistant did in between. For people whose briefings matter more than the work that followed them.
 */
export const keepRequests: Strategy = {
  name: 'keep-requests',
  // Selects who writes the summary of the replaced messages. With a model, its text is checked, and the engine adds an
  // exact record of ids, changes and standing instructions; without a model that record is the whole summary.
  writer: 'narrative',

  // Tokens of the next request above which this strategy is asked for a plan. Never above `usable`, where the request
  // overflows.
  trigger: (budget) => budget.usable,

  // Pure: the same conversation gives the same plan. The plan refers to messages and changes none of them.
  plan(input) {
    const { stored, settings } = input;
    const room = compactionBudget(input);
    const keptBefore = newestThatFit(verbatimMessages(stored).filter(isRequest), room.tailTokens * REQUESTS_SHARE);
    const tokens = room.tailTokens - rawTokens(keptBefore);
    // `cutView` never separates a call from its result, and always keeps the newest request.
    return cutView(stored, room, { tokens, turns: settings.minTurnsToKeep, keptBefore });
  },
};

/** The newest messages that fit into `tokens`, in their order. */
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
