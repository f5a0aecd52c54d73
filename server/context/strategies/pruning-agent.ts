import { blocksOf, compactionRoom, cutView, headOf, rawTokens } from '#server/context/compaction/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';
import { countTokens } from '#server/context/tokens';

/** It is told how many tokens there are; more than so many times as many, or as few, is another conversation. */
const CLAIM_FACTOR = 2;
/** How far the share that it says it has kept may be from the share that it kept. */
const CLAIM_TOLERANCE = 0.3;

/** A chosen model reads the conversation and says which messages stay and what the rest was about. */
export const pruningAgent: Strategy = {
  name: 'pruning-agent',
  writer: 'pruning-agent',
  trigger: (budget, settings) =>
    Math.min(budget.usable, Math.floor(budget.contextWindow * settings.pruningAgentThreshold)),
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings);
    const newest = blocksOf(stored.messages).slice(-settings.pruningAgentKeepMessages).flat();
    return cutView(stored, { tokens: Math.min(tailTokens, rawTokens(newest)), turns: Infinity }, summaryTokens);
  },
  validate({ plan, text, claims }, planned, { pruningAgentMinReduction }) {
    const removed = rawTokens(plan.replaced) - countTokens(text);
    if (removed < rawTokens(planned.replaced) * pruningAgentMinReduction) return 'It takes out too little.';
    if (!claims) return 'It does not say what it took out.';
    const shown = rawTokens(headOf(planned));
    const { originalTokens, prunedTokens } = claims;
    const isNear = originalTokens <= shown * CLAIM_FACTOR && originalTokens >= shown / CLAIM_FACTOR;
    const keptShare = 1 - removed / shown;
    return isNear && Math.abs(prunedTokens / originalTokens - keptShare) <= CLAIM_TOLERANCE
      ? null
      : 'Its figures are not those of its choice.';
  },
};
