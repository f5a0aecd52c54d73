import type { Budget } from '#server/context/budget';
import type { ContextSettings } from '#server/context/context-settings';
import type { StrategyName } from '#server/core/strategies';
import type { ModelTarget } from '#server/context/current-tokens';
import type { CompactionPlan } from '#server/context/plan-compaction';
import type { StoredView } from '#server/context/view';

/** Everything a plan may depend on. */
export interface PlanInput {
  readonly stored: StoredView;
  readonly budget: Budget;
  readonly target: ModelTarget;
  readonly settings: ContextSettings;
}

/** Of a strategy's trigger, what a compaction leaves at most: the next one must be some way off. */
const AIM_SHARE = 0.8;
/** Of what there is to aim at, what even the earliest trigger leaves for summary and messages. */
const LEAST_ROOM = 1 / 3;

/** The budget with the target lowered to where the strategy would not at once act again. */
export function aimBelowTrigger(strategy: Strategy, budget: Budget, settings: ContextSettings): Budget {
  const { fixed, target } = budget;
  const least = fixed + Math.floor((target - fixed) * LEAST_ROOM);
  const aim = Math.floor(strategy.trigger(budget, settings) * AIM_SHARE);
  return { ...budget, target: Math.min(target, Math.max(least, aim)) };
}

/** Who writes the text that stands for what was replaced. */
export type SummaryWriter =
  /** A model's narrative, checked, with what code keeps exactly. */
  | 'narrative'
  /** The facts alone, no model. */
  | 'ledger'
  /** One line saying how much was taken out and how to find it; no model. */
  | 'note'
  /** A model that also chooses which messages stay. */
  | 'pruning-agent';

/**
 * Decides when and how to compact. Adding one is one file here and its name in `strategies`.
 */
export interface Strategy {
  readonly name: StrategyName;
  readonly writer: SummaryWriter;
  /** Tokens of the next request above which it compacts; never above `budget.usable`, the overflow itself. */
  trigger(budget: Budget, settings: ContextSettings): number;
  /** Pure. Null when there is nothing worth replacing. */
  plan(input: PlanInput): CompactionPlan | null;
}
