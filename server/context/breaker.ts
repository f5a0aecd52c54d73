import type { ContextSettings } from '#server/context/context-settings';

/** What an earlier compaction achieved, newest first. Tokens of the whole view, both estimated in the same way. */
export interface PastCompaction {
  /** `failed`: an attempt that gained nothing. */
  readonly status: 'completed' | 'failed' | 'undone';
  /** What made it run; attempts by hand say nothing about automatic ones. */
  readonly trigger: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Of the model that it was for; null where it is not known any more. */
  readonly contextWindow: number | null;
}

/**
 * Whether compacting once more would be futile: the newest attempts all gained too little, and too little was added
 * since for that to have changed. Stops a conversation whose newest message alone fills the window from being
 * summarized again and again. Attempts for another window say nothing about this one.
 * @param now the view as it stands, estimated as the attempts were
 */
export function isFutile(
  past: readonly PastCompaction[],
  now: { readonly estimatedTotal: number; readonly contextWindow: number },
  { breakerAttempts, breakerMinimumGain }: Pick<ContextSettings, 'breakerAttempts' | 'breakerMinimumGain'>,
): boolean {
  const newest = past.filter(({ trigger }) => trigger !== 'manual').slice(0, breakerAttempts);
  const isSameWindow = ({ contextWindow }: PastCompaction) =>
    (contextWindow ?? now.contextWindow) === now.contextWindow;
  if (newest.length < breakerAttempts || !newest.every(isSameWindow)) return false;
  const gained = ({ tokensBefore, tokensAfter }: PastCompaction) => 1 - tokensAfter / Math.max(1, tokensBefore);
  const [last] = newest;
  const added = last ? now.estimatedTotal / Math.max(1, last.tokensAfter) - 1 : Infinity;
  return newest.every((compaction) => gained(compaction) < breakerMinimumGain) && added < breakerMinimumGain;
}
