import { number } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import type { CompactionTrigger, StrategyName } from '#server/core/conversation/compactions';

interface StrategyWords {
  readonly name: string;
  /** Effect when started manually. */
  readonly does: string;
  /** Effect as a setting. */
  readonly effect: string;
}

/** Names and descriptions of the strategies. */
export const strategyWords: Readonly<Record<StrategyName, StrategyWords>> = inYourLanguage('strategyWords', {
  'reactive-overflow': {
    name: 'Summary on overflow',
    does: 'A model summarizes everything but the newest 2 turns.',
    effect:
      'Waits until the next request would not fit. Then a model summarizes everything but the newest turns. The fewest compactions.',
  },
  'proactive-threshold': {
    name: 'Early summary',
    does: 'A model summarizes all but the newest 30 % of the tokens, whatever turns they belong to.',
    effect:
      'Acts early, at its threshold. A model summarizes all but the newest share of the conversation. Cheaper requests, more summaries.',
  },
  'middle-removal': {
    name: 'Middle removal',
    does: 'Keeps the first request and the newest messages. The messages between them become a note; no model is used.',
    effect:
      'Keeps the first request and the newest messages; a note replaces the messages between them. No model is used.',
  },
  ledger: {
    name: 'Ledger',
    does: 'The record that code keeps of every action replaces older turns; no model is used.',
    effect:
      'Replaces older turns with the record that code keeps of every action. No model is used, and nothing is paraphrased.',
  },
  'pruning-agent': {
    name: 'Pruning agent',
    does: 'A model chooses which older messages may go and sums them up; the newest 3 to 5 always stay.',
    effect: 'A model chooses which older messages may go and sums them up. The most careful, and the slowest.',
  },
});

const triggers: Record<Exclude<CompactionTrigger, 'manual'>, string> = {
  overflow: 'the next request would not have fit',
  threshold: 'the strategy’s threshold was reached',
  'tool-response': 'a tool result would not have fit',
  'real-time': 'the answer reached the window while it was being written',
  'provider-overflow': 'the provider refused the request as too long',
  background: 'prepared in advance, after an answer',
  'turn-end': 'an answer had ended',
};

/** Facts about a compaction, for the conversation and the administrator's pages. */
export const compactionFacts = inYourLanguage('compactionFacts', {
  reason: (trigger: CompactionTrigger) => (trigger === 'manual' ? 'Started manually' : `Because ${triggers[trigger]}`),
  strategy: (name: string) => (name in strategyWords ? strategyWords[name as StrategyName].name : name),
  change: (before: number, after: number) => `${number.format(before)} → ${number.format(after)} tokens`,
});

/** Strategies whose summary a model writes, which accept instructions about its focus. */
export const modelStrategies: ReadonlySet<StrategyName> = new Set([
  'reactive-overflow',
  'proactive-threshold',
  'pruning-agent',
]);
