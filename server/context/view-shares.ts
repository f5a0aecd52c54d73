import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';

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
