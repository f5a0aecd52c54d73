import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';

/** A model's limits, in tokens. */
export interface ModelWindow {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** A model as the engine needs it: its window, and how its tokens compare with our count. */
export interface ModelTarget extends ModelWindow {
  readonly modelId: string;
  /** Note to the user about these limits: unknown model, not loaded; null when they are sure. */
  readonly warning: string | null;
  /** Multiplies our o200k count: 1 for OpenAI's models, above 1 where a tokenizer is unknown. */
  readonly tokenFactor: number;
  /** False: it reads a line in the place of each image. Default: it sees images. */
  readonly acceptsImages?: boolean;
  /** Tokens sent with every request, uncalibrated. */
  readonly fixed: { readonly instructions: number; readonly tools: number };
}

/** The limits of one model's context, in tokens. */
export interface ContextBudget {
  /** Used part of the model's window: at most `maxContextTokens`. */
  readonly contextWindow: number;
  /** Kept free for the answer. */
  readonly outputReserve: number;
  readonly usable: number;
  /** A step that streams is ended once request and output reach this part of the model's own window; above `usable`. */
  readonly realTimeLimit: number;
  /** Summary and messages may have this before the strategy acts. */
  readonly room: number;
  /** A compaction leaves at most this: fixed tokens and two thirds of the room. */
  readonly target: number;
  /** Instructions and tool schemas, sent with every request. */
  readonly fixed: number;
}

/** The budget of a request, beside so many tokens of instructions and tool schemas. */
export function createBudget(model: ModelWindow, settings: EngineSettings, fixed: number): ContextBudget {
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
export function budgetBelow(trigger: number, budget: ContextBudget, settings: EngineSettings): ContextBudget {
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

export type PruneLimits = ReturnType<typeof pruneLimits>;

/** The configured prune limits, but at most their shares of (window - reserve), for small windows. */
export function pruneLimits({ contextWindow, outputReserve }: ContextBudget, settings: EngineSettings) {
  const atMost = (limit: number, share: number) => Math.min(limit, Math.round((contextWindow - outputReserve) * share));
  return {
    /** Newest tokens of tool outputs that are never cleared. */
    protect: atMost(settings.pruneProtect, settings.pruneProtectMaxShare),
    /** A prune that saves less than this is not worth the lost prompt cache. */
    minimum: atMost(settings.pruneMinimum, settings.pruneMinimumMaxShare),
    /** Newest tokens of images that stay; and what those behind them must come to. */
    images: atMost(settings.imageProtect, settings.pruneMinimumMaxShare),
  };
}

export type ViewShares = ReturnType<typeof viewShares>;

/** Tokens of a budget's `room` for a summary, in it for the user's words, how things stand, and what a model tells. */
export function viewShares(room: number, shares: EngineSettings = defaultSettings) {
  const summary = Math.floor(room * shares.summaryShare);
  const words = Math.floor(room * shares.wordsShare);
  const state = Math.floor(room * shares.stateShare);
  return { summary, words, state, narrative: Math.max(0, summary - words - state) };
}
