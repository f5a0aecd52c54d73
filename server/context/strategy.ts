import type { StoredView } from '#server/core/messages';
import type { Budget } from '#server/context/budget';
import type { ModelTarget } from '#server/context/current-tokens';
import type { CompactionPlan } from '#server/context/plan-compaction';
import type { ContextSettings } from '#server/context/settings/context-settings';

/** Everything a plan may depend on. */
export interface PlanInput {
  readonly stored: StoredView;
  readonly budget: Budget;
  readonly target: ModelTarget;
  readonly settings: ContextSettings;
}

/** Share of the aim that even the earliest trigger leaves for summary and messages. */
const LEAST_ROOM = 1 / 3;

/** The budget with the target lowered to where the strategy would not at once act again. */
export function aimBelowTrigger(strategy: Strategy, budget: Budget, settings: ContextSettings): Budget {
  const { fixed, target } = budget;
  const least = fixed + Math.floor((target - fixed) * LEAST_ROOM);
  const aim = Math.floor(strategy.trigger(budget, settings) * settings.strategyAimShare);
  return { ...budget, target: Math.min(target, Math.max(least, aim)) };
}

/** Tokens above which the strategy's next summary is prepared in the background; always below its trigger. */
export function softLimit(strategy: Strategy, budget: Budget, settings: ContextSettings): number {
  // Half way between what a compaction leaves and the trigger, should that be early.
  const aheadShare = (1 + settings.strategyAimShare) / 2;
  return Math.min(budget.usable * settings.softLimitShare, strategy.trigger(budget, settings) * aheadShare);
}

/** Writer of the text that stands for the replaced messages. */
export type SummaryWriter =
  /** A model's narrative, checked, with what code keeps exactly. */
  | 'narrative'
  /** The facts alone, no model. */
  | 'ledger'
  /** One line saying how much was taken out and how to find it; no model. */
  | 'note'
  /** A model that also chooses which messages stay. */
  | 'pruning-agent';

/** A model's answer to a strategy's plan. */
export interface ModelResult {
  /** The plan with the model's choice of what stays, where it has one. */
  readonly plan: CompactionPlan;
  /** Its text about the replaced messages. */
  readonly text: string;
  /** Tokens of the conversation before and after, by the model's own account. */
  readonly claims?: { readonly originalTokens: number; readonly prunedTokens: number };
}

/**
 * Decides when and how to compact. Adding one is one file here and its name in `strategyNames`, from where the type
 * checker leads to its line in `strategies` and its words on the screens.
 */
export interface Strategy {
  /** Stored with every compaction that it makes. */
  readonly name: string;
  readonly writer: SummaryWriter;
  /** Tokens of the next request above which it compacts; never above `budget.usable`, the overflow itself. */
  trigger(budget: Budget, settings: ContextSettings): number;
  /** Pure. Null when there is nothing worth replacing. */
  plan(input: PlanInput): CompactionPlan | null;
  /**
   * Pure. What is wrong with a model's result beside what every narrative is checked for, as a short sentence; null:
   * nothing. A result that is refused is asked for once more, then a summary without a model takes its place.
   */
  validate?(result: ModelResult, planned: CompactionPlan, settings: ContextSettings): string | null;
}
