import { type Budget, budgetBelow } from '#server/context/budget';
import {
  blocksOf,
  type CompactionPlan,
  type CompactionRoom,
  compactionRoom,
  cutView,
  headOf,
  isRequest,
  type PlanInput,
  rawTokens,
  splitView,
} from '#server/context/plan-compaction';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTokens } from '#server/context/tokens';
import { verbatimMessages } from '#server/context/view';
import type { StrategyName } from '#server/core/compactions';

export interface ModelResult {
  /** The plan with the model's choice of what stays, where it has one. */
  readonly plan: CompactionPlan;
  readonly text: string;
  /** Tokens of the conversation before and after, by the model's own account. */
  readonly claims?: { readonly originalTokens: number; readonly prunedTokens: number };
}

/** Decides when and how to compact. To add one: its object here, its name in `strategyNames`; types show the rest. */
export interface Strategy {
  readonly name: string;
  /** Writer of the summary: a model, which may also choose what stays; without one, the facts or a short note. */
  readonly writer: 'narrative' | 'pruning-agent' | 'ledger' | 'note';
  /** Tokens of the next request above which it compacts; never above `budget.usable`, the overflow itself. */
  trigger(budget: Budget, settings: ContextSettings): number;
  /** Pure. Null when there is nothing worth replacing. */
  plan(input: PlanInput): CompactionPlan | null;
  /** Pure. What is wrong with a model's result, as a short sentence: it is asked for once more then. Null: nothing. */
  validate?(result: ModelResult, planned: CompactionPlan, settings: ContextSettings): string | null;
}

/** The budget for the compactions of a strategy; `refused`: tokens of a request that its provider did not take. */
export function budgetFor(strategy: Strategy, budget: Budget, settings: ContextSettings, refused = Infinity): Budget {
  return budgetBelow(Math.min(strategy.trigger(budget, settings), refused), budget, settings);
}

/** The same for a summary that is written ahead: what may be added until it is needed is left free as well. */
export function budgetAhead(strategy: Strategy, { budget, settings }: PlanInput, currentTokens: number): Budget {
  const below = budgetFor(strategy, budget, settings);
  const ahead = Math.max(0, below.fixed + below.room - currentTokens);
  return { ...below, target: below.target - Math.min(ahead, below.room - below.target + below.fixed) };
}

/** Tokens above which the strategy's next summary is prepared in the background; always below its trigger. */
export function softLimit(strategy: Strategy, budget: Budget, settings: ContextSettings): number {
  const { fixed, room } = budgetFor(strategy, budget, settings);
  return fixed + room * settings.aheadShare;
}

/** A trigger at a share of the window, never above the overflow. */
function shareOfWindow({ usable, contextWindow }: Budget, share: number): number {
  return Math.min(usable, Math.floor(contextWindow * share));
}

/** The default: waits for the overflow, keeps the newest turns verbatim and has the rest told by a model. */
const reactiveOverflow: Strategy = {
  name: 'reactive-overflow',
  writer: 'narrative',
  trigger: (budget) => budget.usable,
  plan(input) {
    const room = compactionRoom(input);
    return cutView(input.stored, room, { tokens: room.tailTokens, turns: input.settings.minTurnsToKeep });
  },
};

/** Compacts early (at half of the window), keeps the newest 30 % of the tokens whatever turns they belong to. */
const proactiveThreshold: Strategy = {
  name: 'proactive-threshold',
  writer: 'narrative',
  trigger: (budget, settings) => shareOfWindow(budget, settings.proactiveThreshold),
  plan(input) {
    const newest = rawTokens(verbatimMessages(input.stored)) * input.settings.proactiveKeepShare;
    return cutView(input.stored, compactionRoom(input), { tokens: newest, turns: Infinity });
  },
};

/** Most that its figures may be off: times the tokens that it is told, and by which the share that it kept may differ. */
const CLAIM_FACTOR = 2;
const CLAIM_TOLERANCE = 0.3;

/** A chosen model reads the conversation and says which messages stay and what the rest was about. */
const pruningAgent: Strategy = {
  name: 'pruning-agent',
  writer: 'pruning-agent',
  trigger: (budget, { pruningAgentThreshold }) => shareOfWindow(budget, pruningAgentThreshold),
  plan(input) {
    const newest = blocksOf(input.stored.messages).slice(-input.settings.pruningAgentKeepMessages).flat();
    const room = compactionRoom(input);
    // Half of the summary's room is for messages that the model chooses.
    const halved = { ...room, summaryTokens: Math.floor(room.summaryTokens / 2) };
    return cutView(input.stored, halved, { tokens: rawTokens(newest), turns: Infinity });
  },
  validate({ plan, text, claims }, planned, { pruningAgentMinReduction }) {
    const removed = rawTokens(plan.replaced) - countTokens(text);
    if (removed < rawTokens(planned.replaced) * pruningAgentMinReduction) return 'It takes out too little.';
    if (!claims) return 'It does not say what it took out.';
    const shown = rawTokens(headOf(planned));
    const { originalTokens, prunedTokens } = claims;
    const isNear = originalTokens <= shown * CLAIM_FACTOR && originalTokens >= shown / CLAIM_FACTOR;
    const off = Math.abs(prunedTokens / originalTokens - (1 - removed / shown));
    return isNear && off <= CLAIM_TOLERANCE ? null : 'Its figures are not those of its choice.';
  },
};

/** No model, deterministic: as reactive-overflow, but the facts that code keeps are the whole summary. */
const ledger: Strategy = { ...reactiveOverflow, name: 'ledger', writer: 'ledger' };

/** No model: the first request and the newest messages stay, the middle is taken out with a note in its place. */
export const middleRemoval: Strategy = {
  name: 'middle-removal',
  writer: 'note',
  trigger: (budget, { middleRemovalThreshold }) => shareOfWindow(budget, middleRemovalThreshold),
  plan(input) {
    const { stored, settings } = input;
    const room = noteRoom(input);
    // Behind a summary the oldest request that is left may be any one, and what was done for it is gone.
    const first = (stored.summary === null ? verbatimMessages(stored) : stored.leading).find(isRequest);
    // A larger one is found by recall.
    const keptBefore = first && rawTokens([first]) <= room.tokens * settings.firstRequestShare ? [first] : [];
    return cutView(stored, room, { turns: Infinity, keptBefore });
  },
};

function noteRoom(input: PlanInput): CompactionRoom {
  const room = compactionRoom(input);
  return { ...room, summaryTokens: Math.min(room.summaryTokens, input.settings.noteMaxTokens) };
}

export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'reactive-overflow': reactiveOverflow,
  'proactive-threshold': proactiveThreshold,
  'middle-removal': middleRemoval,
  ledger,
  'pruning-agent': pruningAgent,
};

/** Leaves the newest request and the newest step alone, and a note, where nothing else fits. Nobody chooses it. */
export const lastResort: Strategy = {
  ...middleRemoval,
  plan(input) {
    const plan = splitView(input.stored, noteRoom(input), { tokens: 0, turns: 1 });
    return plan && (plan.replaced.length > 0 || input.stored.summary) ? plan : null;
  },
};
