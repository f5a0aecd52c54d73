import type { ConnectableId } from '#server/core/admin/provider-names';
import { fullWindowStrategies, type StrategyName } from '#server/core/admin/strategy-names';

/**
 * How conversations that other programs keep are compacted for the models of one provider. Thresholds are shares of the
 * window.
 */
export type ProgramCompactionRules = {
  readonly strategy?: StrategyName;
  /** Share at which a strategy with a threshold compacts. */
  readonly compactAt?: number;
  /** Share of request and answer together at which a step is ended; at least `MIN_ANSWER_SHARE` above `compactAt`. */
  readonly endAt?: number;
  /** Model that the strategy `pruning-agent` calls. */
  readonly pruningAgentModel?: string;
};

/** The rules of each provider that has some. */
export type ProgramCompactionByProvider = { readonly [Id in ConnectableId]?: ProgramCompactionRules };

/** What applies to `/v1` where a provider has no rule. */
export const programCompactionDefaults = { strategy: 'proactive-threshold', compactAt: 0.8, endAt: 0.9 } as const;

/** Smallest and largest thresholds. A request above 85 % of the window is an overflow in any case. */
export const programCompactionRanges = {
  compactAt: { min: 0.1, max: 0.85 },
  endAt: { min: 0.5, max: 0.98 },
} as const;

/** Share of the window that an answer has at least before its step is ended. A choice, not measured. */
export const MIN_ANSWER_SHARE = 0.05;
/** Larger than what binary fractions add. */
const ROUNDING = 1e-9;

/** Returns whether an answer has its share between the thresholds. A strategy without a threshold needs none. */
export function hasAnswerShare({
  strategy = programCompactionDefaults.strategy,
  compactAt = programCompactionDefaults.compactAt,
  endAt = programCompactionDefaults.endAt,
}: ProgramCompactionRules): boolean {
  return fullWindowStrategies.has(strategy) || compactAt <= endAt - MIN_ANSWER_SHARE + ROUNDING;
}
