import type { ContextSettings } from '#server/context/settings/context-settings';

/** A model's limits, in tokens. */
export interface ModelWindow {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** The limits of one model's context, in tokens. */
export interface Budget {
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly outputReserve: number;
  /** A request above this is an overflow. */
  readonly usable: number;
  /** A step that streams is ended once request and output reach this; always above `usable`. */
  readonly realTimeLimit: number;
  /** Aim of a compaction: fixed tokens plus half of the rest. */
  readonly target: number;
  /** Instructions and tool schemas, sent with every request. */
  readonly fixed: number;
}

/**
 * The budget of a request. Sane also where a model's maximum output equals its window: the reserve never takes more
 * than a share of it.
 * @param fixed tokens of instructions and tool schemas
 */
export function createBudget(
  model: ModelWindow,
  settings: Pick<
    ContextSettings,
    'outputReserve' | 'outputReserveMaxShare' | 'usableShare' | 'realTimeShare' | 'targetShare'
  >,
  fixed: number,
): Budget {
  const { contextWindow } = model;
  const outputReserve = Math.floor(
    Math.min(model.maxOutputTokens, settings.outputReserve, contextWindow * settings.outputReserveMaxShare),
  );
  const usable = Math.floor(Math.min(contextWindow - outputReserve, contextWindow * settings.usableShare));
  const realTimeLimit = Math.floor(contextWindow * settings.realTimeShare);
  const target = fixed + Math.floor(Math.max(0, usable - fixed) * settings.targetShare);
  return { contextWindow, outputReserve, usable, realTimeLimit, target, fixed };
}

/** The output cap of a step: never more than the model gives nor than there is room for; at least 1. */
export function maxOutputTokens({ maxOutputTokens: limit }: ModelWindow, room: number): number {
  return Math.max(1, Math.min(limit, room));
}

export interface PruneLimits {
  /** Newest tokens of tool outputs that are never cleared. */
  readonly protect: number;
  /** A prune that saves less than this is not worth the lost prompt cache. */
  readonly minimum: number;
  /** Newest tokens of images that stay; and what those behind them must come to. */
  readonly images: number;
}

/** The configured prune limits, but at most their shares of (window - reserve), for small windows. */
export function pruneLimits(
  budget: Budget,
  settings: Pick<
    ContextSettings,
    'pruneProtect' | 'pruneProtectMaxShare' | 'pruneMinimum' | 'pruneMinimumMaxShare' | 'imageProtect'
  >,
): PruneLimits {
  const room = budget.contextWindow - budget.outputReserve;
  return {
    protect: Math.min(settings.pruneProtect, Math.round(room * settings.pruneProtectMaxShare)),
    minimum: Math.min(settings.pruneMinimum, Math.round(room * settings.pruneMinimumMaxShare)),
    images: Math.min(settings.imageProtect, Math.round(room * settings.pruneMinimumMaxShare)),
  };
}
