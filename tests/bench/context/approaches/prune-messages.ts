import { createRequire } from 'node:module';
import { type ModelMessage, pruneMessages } from 'ai';
import type { Approach, Run } from '#tests/bench/context/approach';

const { version } = createRequire(import.meta.url)('ai/package.json') as { version: string };

/** The AI SDK's own function for this, given what its reference shows. */
export const pruning: Approach = {
  name: 'AI SDK: pruneMessages',
  source: `ai ${version}`,
  isOurs: false,
  setup:
    'As in its reference: before each step it removes reasoning before the last message and tool calls before the last two. It knows no window.',
  open: () => Promise.resolve(open()),
};

function open(): Run {
  const all: ModelMessage[] = [];
  return {
    step(added) {
      all.push(...added);
      const pruned = pruneMessages({
        messages: all,
        reasoning: 'before-last-message',
        toolCalls: 'before-last-2-messages',
        emptyMessages: 'remove',
      });
      return Promise.resolve(pruned);
    },
    recall: null,
    close: () => Promise.resolve(),
  };
}
