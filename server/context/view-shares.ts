import type { Budget } from '#server/context/budget';
import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';

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
  /** Left free by a compaction. */
  readonly free: number;
}

/**
 * Divides the room of a view.
 * @param room tokens that summary and messages may have before the strategy acts; see `viewRoom`
 */
export function viewShares(
  room: number,
  shares: Pick<ContextSettings, 'summaryShare' | 'wordsShare' | 'stateShare' | 'freeShare'> = defaultSettings,
): ViewShares {
  const [summary, words, state] = [room * shares.summaryShare, room * shares.wordsShare, room * shares.stateShare].map(
    Math.floor,
  ) as [number, number, number];
  return {
    summary,
    words,
    state,
    narrative: Math.max(0, summary - words - state),
    free: Math.ceil(room * shares.freeShare),
  };
}

/**
 * Tokens that summary and messages may have before the strategy acts, in the model's tokens.
 * @param trigger the strategy's, in tokens of the whole request
 */
export function viewRoom(trigger: number, { usable, fixed }: Pick<Budget, 'usable' | 'fixed'>): number {
  return Math.max(0, Math.floor(Math.min(trigger, usable)) - fixed);
}
