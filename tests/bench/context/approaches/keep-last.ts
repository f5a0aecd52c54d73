import type { ModelMessage } from 'ai';
import type { Approach, Run, World } from '#tests/bench/context/approach';

const NEWEST = 20;

/** What many programs do: the newest messages, as many as fit. */
export const keepLast: Approach = {
  name: 'Naive: keep last 20',
  source: 'this project',
  isOurs: false,
  setup: `The newest ${NEWEST} messages, fewer if they do not fit, without results whose call is gone.`,
  open: (world) => Promise.resolve(open(world)),
};

function open(world: World): Run {
  const all: ModelMessage[] = [];
  return {
    step(added) {
      all.push(...added);
      return Promise.resolve(newest(all, world));
    },
    recall: null,
    close: () => Promise.resolve(),
  };
}

function newest(all: readonly ModelMessage[], world: World): ModelMessage[] {
  let kept = withoutLeadingResults(all.slice(-NEWEST));
  while (kept.length > 1 && world.count(kept) > world.contextWindow - world.maxOutputTokens)
    kept = withoutLeadingResults(kept.slice(1));
  return kept;
}

function withoutLeadingResults(messages: readonly ModelMessage[]): ModelMessage[] {
  const start = messages.findIndex(({ role }) => role !== 'tool');
  return messages.slice(Math.max(0, start));
}
