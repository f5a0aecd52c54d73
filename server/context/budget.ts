import type { ServerText } from '#server/core/coded-message';
import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';

/** A model's limits, in tokens. */
export interface ModelWindow {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** A model for the engine: its window, and the ratio of its tokens to our count. */
export interface ModelTarget extends ModelWindow {
  readonly modelId: string;
  /** Note to the user about these limits (unknown model, limits not loaded); null if they are certain. */
  readonly warning: ServerText | null;
  /** Factor for our o200k count: 1 for OpenAI's models, above 1 if the tokenizer is unknown. */
  readonly tokenFactor: number;
  /** False: the model receives a line of text for each image. Default: it receives images. */
  readonly acceptsImages?: boolean;
  /** Tokens sent with every request, uncalibrated. */
  readonly fixed: { readonly instructions: number; readonly tools: number };
}

/** The limits of one model's context, in tokens. */
export interface ContextBudget {
  /** The part of the model's window that is used: at most `maxContextTokens`. */
  readonly contextWindow: number;
  /** Tokens kept free for the answer. */
  readonly outputReserve: number;
  /**
   * Tokens above which a request counts as an overflow: the window without the reserve, at most `usableShare` of it.
   */
  readonly usable: number;
  /** A streaming step is ended when request and output reach this share of the model's own window; above `usable`. */
  readonly realTimeLimit: number;
  /** Token budget of summary and messages before the strategy compacts. */
  readonly room: number;
  /** Tokens that a compaction leaves of the token budget: summary and newest messages fill them. */
  readonly view: number;
  /** Size of the request after a compaction: fixed tokens and `view`. */
  readonly target: number;
  /** Tokens of instructions and tool schemas, sent with every request. */
  readonly fixed: number;
}

/** The budget of a request whose instructions and tool schemas take `fixed` tokens. */
export function createBudget(model: ModelWindow, settings: EngineSettings, fixed: number): ContextBudget {
  const contextWindow = Math.min(model.contextWindow, settings.maxContextTokens);
  const outputReserve = Math.floor(
    Math.min(model.maxOutputTokens, settings.outputReserve, contextWindow * settings.outputReserveMaxShare),
  );
  const usable = Math.floor(Math.min(contextWindow - outputReserve, contextWindow * settings.usableShare));
  // The unused part of a huge window is available for a long answer.
  const realTimeLimit = Math.floor(model.contextWindow * settings.realTimeShare);
  const limits = { contextWindow, outputReserve, usable, realTimeLimit, fixed };
  return { ...limits, ...divide(usable, fixed, settings) };
}

/**
 * Minimum token budget for planning; tokens. Even without free tokens a compaction has to produce a plan. A choice, not
 * measured.
 */
const MIN_ROOM = 500;

/**
 * The budget for a strategy that compacts before the overflow: its target is low enough that the strategy is not
 * triggered again immediately.
 */
export function budgetBelow(trigger: number, budget: ContextBudget, settings: EngineSettings): ContextBudget {
  return { ...budget, ...divide(Math.min(trigger, budget.usable), budget.fixed, settings) };
}

/**
 * Share of the token budget that a compaction leaves at least, because large instructions and tools would leave nothing
 * of `targetShare`. It applies if they take more than 30 % of the usable tokens. A choice, not measured.
 */
const MIN_VIEW_SHARE = 0.35;

/**
 * Divides `limit`, the most that a request may take: tokens for summary and messages (`room`), and how many of them a
 * compaction leaves (`view`).
 */
function divide(limit: number, fixed: number, { targetShare }: EngineSettings) {
  const room = Math.max(MIN_ROOM, Math.floor(limit - fixed));
  const view = Math.max(Math.floor(limit * targetShare - fixed), Math.floor(room * MIN_VIEW_SHARE));
  return { room, view, target: fixed + view };
}

/** The maximum output tokens of a step: at most the model's limit and the free tokens; at least 1. */
export function maxOutputTokens({ maxOutputTokens: limit }: ModelWindow, room: number): number {
  return Math.max(1, Math.min(limit, room));
}

/** Limits of a prune, in tokens. */
export interface PruneLimits {
  /** Newest tokens of tool outputs that are never cleared. */
  readonly protect: number;
  /** Minimum saving that makes a prune worth the lost prompt cache. */
  readonly minimum: number;
  /** Newest tokens of images that are kept, and minimum tokens of the older ones before they are cleared. */
  readonly images: number;
}

/** The configured prune limits, in small windows at most their shares of (window - reserve). */
export function pruneLimits({ contextWindow, outputReserve }: ContextBudget, settings: EngineSettings): PruneLimits {
  const atMost = (limit: number, share: number) => Math.min(limit, Math.round((contextWindow - outputReserve) * share));
  return {
    protect: atMost(settings.pruneProtect, settings.pruneProtectMaxShare),
    minimum: atMost(settings.pruneMinimum, settings.pruneMinimumMaxShare),
    images: atMost(settings.imageProtect, settings.pruneMinimumMaxShare),
  };
}

/** Shares of what a compaction leaves, in tokens. */
export interface ViewShares {
  readonly summary: number;
  /** Within the summary: the user's words, the current state, and the narrative. */
  readonly words: number;
  readonly state: number;
  readonly narrative: number;
}

/** Share of what a compaction leaves for the narrative. More of it would be taken from the user's words. */
const NARRATIVE_SHARE = 0.1;

/**
 * Of the tokens that a compaction leaves (`view`), the most for a summary and, within it, for the user's words, the
 * current state and the narrative.
 */
export function viewShares(view: number, shares: EngineSettings = defaultSettings): ViewShares {
  const summary = Math.floor(view * shares.summaryShare);
  const words = Math.floor(view * shares.wordsShare);
  const state = Math.floor(view * shares.stateShare);
  return { summary, words, state, narrative: Math.floor(Math.min(summary, view * NARRATIVE_SHARE)) };
}
