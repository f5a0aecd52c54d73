import type { PastCompaction, SummarizerFault, SummarizerPause } from '#server/context/ports';
import type { EngineSettings } from '#server/context/settings/context-settings';

/** Model calls for one compaction, those in the background included: each costs as much as a step. */
export const MOST_CALLS = 3;

interface Now {
  /** Tokens of the view as it stands, estimated as the attempts were. */
  readonly estimatedTotal: number;
  readonly contextWindow: number;
  readonly fits: boolean;
  /** The user spoke last then; epoch milliseconds. */
  readonly requestedAt: number;
}

/**
 * Judges the next attempt by those of the session before, the newest first; those by hand do not count.
 * - `isFutile`: the newest all gained too little, and too little was added since: it would go on again and again.
 * - `isModelInVain`: since the user spoke last, none of the newest took what a model wrote, as in room for a note only.
 * - `leastGain`: share that it has to gain. Usually anything counts; where nothing was added since the last one, a few
 *   tokens are not worth another view, unless the request does not fit and the last one gained enough.
 */
export function judgePast(
  past: readonly PastCompaction[],
  { estimatedTotal, contextWindow, fits, requestedAt }: Now,
  { breakerAttempts, breakerMinimumGain }: EngineSettings,
) {
  const attempts = past.filter(({ trigger }) => trigger !== 'manual');
  const newest = attempts.slice(0, breakerAttempts);
  const [last] = newest;
  const isForWindow = (attempt: PastCompaction) => (attempt.contextWindow ?? contextWindow) === contextWindow;
  const gainsEnough = ({ tokensBefore, tokensAfter }: PastCompaction) =>
    1 - tokensAfter / Math.max(1, tokensBefore) >= breakerMinimumGain;
  const isInVain = ({ createdAt, status, modelId }: PastCompaction) =>
    createdAt >= requestedAt && (status !== 'completed' || modelId === null);
  const areMany = newest.length === breakerAttempts && newest.every(isForWindow);
  const added = last ? estimatedTotal / Math.max(1, last.tokensAfter) - 1 : Infinity;
  const isFree = !last || !isForWindow(last) || added > 0 || (!fits && gainsEnough(last));
  return {
    isFutile: areMany && !newest.some(gainsEnough) && added < breakerMinimumGain,
    isModelInVain: areMany && newest.every(isInVain),
    leastGain: isFree ? 0 : breakerMinimumGain,
  };
}

/**
 * The first pause, as long as a short disturbance of a provider lasts; doubled with each further failure.
 * Milliseconds.
 */
const FIRST_PAUSE = 120_000;
/** Texts that cannot be used may be due to what they were asked about: so many are no reason for a pause. */
const TEXTS_WITHOUT_PAUSE = 2;
/** A model that is back is found again within the hour. Milliseconds. */
const LONGEST_PAUSE = 3_600_000;
/** No pause is longer, whatever a provider asks for, and none that ends later was written by a clock that is right. */
const MOST_PAUSE = 86_400_000;

/** Returns whether this model is left alone before the compaction of this round, as it failed for the session. */
export function isPaused(pause: SummarizerPause | null, modelId: string, now: number, round: number): boolean {
  if (pause === null || pause.modelId !== modelId) return false;
  return (now < pause.until && pause.until <= now + MOST_PAUSE) || callsMade(pause, round) >= MOST_CALLS;
}

export function callsMade(pause: SummarizerPause | null, round: number): number {
  return pause?.round === round ? (pause.calls ?? 0) : 0;
}

/** The pause after one more failure: longer with each in a row, up to a day never shorter than the provider asks for. */
export function nextPause(
  former: SummarizerPause | null,
  asked: Pick<SummarizerPause, 'modelId' | 'round' | 'calls'>,
  { retryAfterMs = 0, hasAnswered = false }: Pick<SummarizerFault, 'retryAfterMs' | 'hasAnswered'>,
  now: number,
): SummarizerPause {
  const failures = former?.modelId === asked.modelId ? former.failures + 1 : 1;
  const isFree = hasAnswered && failures <= TEXTS_WITHOUT_PAUSE;
  const growing = isFree ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));
  return { ...asked, failures, until: now + Math.min(MOST_PAUSE, Math.max(growing, retryAfterMs)) };
}
