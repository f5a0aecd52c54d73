import type { ConnectableId } from '#server/core/admin/provider-names';
import type { StrategyName } from '#server/core/admin/strategy-names';

/**
 * How conversations that other programs keep are compacted for the models of one provider. Thresholds are shares of the
 * window.
 */
export type ProgramCompactionRules = {
  readonly strategy?: StrategyName;
  /** Share at which a strategy with a threshold compacts. */
  readonly compactAt?: number;
  /** Share of request and answer together at which a step is ended; above `compactAt`. */
  readonly endAt?: number;
  /** Model that the strategy `pruning-agent` calls. */
  readonly pruningAgentModel?: string;
};

/** The rules of each provider that has some. */
export type ProgramCompactionByProvider = { readonly [Id in ConnectableId]?: ProgramCompactionRules };

/** What applies to `/v1` where a provider has no rule. */
export const programCompactionDefaults = { strategy: 'proactive-threshold', compactAt: 0.8, endAt: 0.9 } as const;

/** Smallest and largest thresholds. */
export const programCompactionRanges = {
  compactAt: { min: 0.1, max: 0.95 },
  endAt: { min: 0.5, max: 0.98 },
} as const;
