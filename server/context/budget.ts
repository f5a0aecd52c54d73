/** What a model can take and give, in tokens. */
export interface ModelWindow {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** The numbers of one model's context, in tokens (design section 4). */
export interface Budget {
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly outputReserve: number;
  /** A request above this is an overflow. */
  readonly usable: number;
  /** What a compaction aims at: fixed tokens plus half of the rest. */
  readonly target: number;
  /** Instructions and tool schemas, sent with every request. */
  readonly fixed: number;
}

/** Usable stays below the real-time limit (0.9), else a step would start only to be cut. */
const USABLE_SHARE = 0.85;
const MAX_RESERVE_SHARE = 0.25;
/** Of what compaction may fill (usable without the fixed tokens), so that it does not trigger again at once. */
const TARGET_SHARE = 0.5;

/**
 * The budget of a request. Sane also where a model's maximum output equals its window: the reserve never takes more
 * than a quarter of it.
 * @param configuredReserve tokens to keep free for an answer (default 4,096 in the settings)
 * @param fixed tokens of instructions and tool schemas
 */
export function createBudget(model: ModelWindow, configuredReserve: number, fixed: number): Budget {
  const { contextWindow } = model;
  const outputReserve = Math.floor(
    Math.min(model.maxOutputTokens, configuredReserve, contextWindow * MAX_RESERVE_SHARE),
  );
  const usable = Math.floor(Math.min(contextWindow - outputReserve, contextWindow * USABLE_SHARE));
  const target = fixed + Math.floor(Math.max(0, usable - fixed) * TARGET_SHARE);
  return { contextWindow, outputReserve, usable, target, fixed };
}

/** The output cap of a step: never more than the model gives nor than the window has left; at least 1. */
export function maxOutputTokens(model: ModelWindow, currentTokens: number): number {
  return Math.max(1, Math.min(model.maxOutputTokens, model.contextWindow - currentTokens));
}

export interface PruneLimits {
  /** Newest tokens of tool outputs that are never cleared. */
  readonly protect: number;
  /** A prune that saves less than this is not worth the lost prompt cache. */
  readonly minimum: number;
}

/** The configured prune limits, but at most a third and a sixth of (window - reserve), for small windows. */
export function pruneLimits(budget: Budget, configured: PruneLimits): PruneLimits {
  const room = budget.contextWindow - budget.outputReserve;
  return {
    protect: Math.min(configured.protect, Math.floor(room / 3)),
    minimum: Math.min(configured.minimum, Math.floor(room / 6)),
  };
}
