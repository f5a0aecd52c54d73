import {
  blocksOf,
  compactionRoom,
  cutView,
  headOf,
  isRequest,
  rawTokens,
  splitView,
} from '#server/context/plan-compaction';
import type { Strategy } from '#server/context/strategy';
import { countTokens } from '#server/context/tokens';
import { verbatimMessages } from '#server/context/view';
import type { StrategyName } from '#server/core/compactions';

/** The default: waits for the overflow, keeps the newest turns (2) verbatim and has the rest told by a model. */
const reactiveOverflow: Strategy = {
  name: 'reactive-overflow',
  writer: 'narrative',
  trigger: (budget) => budget.usable,
  plan({ stored, budget, target, settings }) {
    const { summaryTokens, tailTokens } = compactionRoom(budget, target, settings);
    return cutView(stored, { tokens: tailTokens, turns: settings.minTurnsToKeep }, summaryTokens);
  },
};

/** Compacts early (at half of the window), keeps the newest 30 % of the tokens whatever turns they belong to. */
const proactiveThreshold: Strategy = {
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

/** It is told how many tokens there are; more than so many times as many, or as few, is another conversation. */
const CLAIM_FACTOR = 2;
/** How far the share that it says it has kept may be from the share that it kept. */
const CLAIM_TOLERANCE = 0.3;

/** A chosen model reads the conversation and says which messages stay and what the rest was about. */
const pruningAgent: Strategy = {
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

/** No model, deterministic: as reactive-overflow, but the facts that code keeps are the whole summary. */
const ledger: Strategy = { ...reactiveOverflow, name: 'ledger', writer: 'ledger' };

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

/** Every strategy by its name. */
export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'reactive-overflow': reactiveOverflow,
  'proactive-threshold': proactiveThreshold,
  'middle-removal': middleRemoval,
  ledger,
  'pruning-agent': pruningAgent,
};

/**
 * For a request that nothing else brings under the limit: the newest request and the newest step alone, and a note as
 * short as there is room for, also in place of an earlier summary alone. Nobody chooses it.
 */
export const lastResort: Strategy = {
  ...middleRemoval,
  plan({ stored, budget, target, settings }) {
    const { summaryTokens } = compactionRoom(budget, target, settings);
    const noteTokens = Math.min(summaryTokens, settings.noteMaxTokens);
    const plan = splitView(stored, { tokens: 0, turns: Infinity }, noteTokens);
    return plan && (plan.replaced.length > 0 || stored.summary) ? plan : null;
  },
};
