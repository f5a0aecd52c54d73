import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';

/** A model's limits, in tokens. */
export interface ModelWindow {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** The limits of one model's context, in tokens. */
export interface Budget {
  /** Of the model's window, what is used: at most `maxContextTokens`. */
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly outputReserve: number;
  /** A request above this is an overflow. */
  readonly usable: number;
  /** A step that streams is ended once request and output reach this part of the model's own window; above `usable`. */
  readonly realTimeLimit: number;
  /** Summary and messages may have this before the strategy acts. */
  readonly room: number;
  /** A compaction leaves at most this: fixed tokens and three quarters of the room. */
  readonly target: number;
  /** Instructions and tool schemas, sent with every request. */
  readonly fixed: number;
}

/**
 * The budget of a request. Sane also where a model's maximum output equals its window: the reserve never takes more
 * than a share of it.
 * @param fixed tokens of instructions and tool schemas
 */
export function createBudget(model: ModelWindow, settings: EngineSettings, fixed: number): Budget {
  const contextWindow = Math.min(model.contextWindow, settings.maxContextTokens);
  const outputReserve = Math.floor(
    Math.min(model.maxOutputTokens, settings.outputReserve, contextWindow * settings.outputReserveMaxShare),
  );
  const usable = Math.floor(Math.min(contextWindow - outputReserve, contextWindow * settings.usableShare));
  // What is not used of a huge window is there for a long answer.
  const realTimeLimit = Math.floor(model.contextWindow * settings.realTimeShare);
  const limits = { contextWindow, outputReserve, usable, realTimeLimit, fixed };
  return { ...limits, ...divide(usable - fixed, fixed, settings) };
}

/** The least room that is planned with: tokens. Where there is none, a compaction still has to make a plan. */
const LEAST_ROOM = 500;

/** The budget for a strategy that acts before the overflow: it compacts to where it would not at once act again. */
export function budgetBelow(trigger: number, budget: Budget, settings: EngineSettings): Budget {
  return { ...budget, ...divide(Math.min(trigger, budget.usable) - budget.fixed, budget.fixed, settings) };
}

function divide(tokens: number, fixed: number, { targetShare }: EngineSettings) {
  const room = Math.max(LEAST_ROOM, Math.floor(tokens));
  return { room, target: fixed + Math.floor(room * targetShare) };
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
export function pruneLimits({ contextWindow, outputReserve }: Budget, settings: EngineSettings): PruneLimits {
  const atMost = (limit: number, share: number) => Math.min(limit, Math.round((contextWindow - outputReserve) * share));
  return {
    protect: atMost(settings.pruneProtect, settings.pruneProtectMaxShare),
    minimum: atMost(settings.pruneMinimum, settings.pruneMinimumMaxShare),
    images: atMost(settings.imageProtect, settings.pruneMinimumMaxShare),
  };
}

/** The room of a view divided: tokens, whole. */
export interface ViewShares {
  /** Tokens the whole summary may have. */
  readonly summary: number;
  /** The user's words in it. */
  readonly words: number;
  /** How things stand now, in it. */
  readonly state: number;
  /** What a model tells in it: the rest of the summary. */
  readonly narrative: number;
}

/**
 * Divides the room of a view.
 * @param room `room` of the budget: tokens of summary and messages before the strategy acts
 */
export function viewShares(room: number, shares: EngineSettings = defaultSettings): ViewShares {
  const summary = Math.floor(room * shares.summaryShare);
  const words = Math.floor(room * shares.wordsShare);
  const state = Math.floor(room * shares.stateShare);
  return { summary, words, state, narrative: Math.max(0, summary - words - state) };
}
