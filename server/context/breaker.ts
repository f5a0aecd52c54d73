import type { AskedCompaction, PastCompaction, SummarizerFault, SummarizerPause } from '#server/context/ports';
import type { EngineSettings } from '#server/context/settings/context-settings';

/** Maximum number of model calls for one compaction, background calls included: each costs as much as a step. */
export const MAX_COMPACTION_CALLS = 3;

/** The session before the next attempt. */
interface Now {
  /** Tokens of the current view, estimated in the same way as in the earlier attempts. */
  readonly estimatedTotal: number;
  readonly contextWindow: number;
  /** True if the request fits without a compaction. */
  readonly fits: boolean;
  /** Time of the user's newest message; epoch milliseconds. */
  readonly requestedAt: number;
}

/**
 * Judges the next attempt by the earlier ones of the session, newest first; manual ones do not count.
 * - `isFutile`: the newest attempts all gained too little, and too little was added since; compaction would repeat
 *   without effect.
 * - `isModelInVain`: since the user's last message, none of the newest attempts used a model's text, for example
 *   because the token budget only allowed a note.
 * - `leastGain`: share that the attempt has to gain. Usually any gain counts. If nothing was added since the last
 *   attempt, a few tokens are not worth another view, unless the request does not fit and the last attempt gained
 *   enough.
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
 * The first pause, as long as a short outage of a provider; doubled with each further failure. Milliseconds. A choice,
 * not measured.
 */
const FIRST_PAUSE_MS = 120_000;
/**
 * Number of unusable texts that cause no pause, because the conversation may be the reason for them. A choice, not
 * measured.
 */
const TEXTS_WITHOUT_PAUSE = 2;
/**
 * Upper limit of the growing pause, so that a model that works again is used within the hour. Milliseconds. A choice,
 * not measured.
 */
const MAX_GROWING_PAUSE_MS = 3_600_000;
/**
 * Upper limit of any pause, including one requested by a provider; milliseconds. A stored pause that ends later comes
 * from a wrong clock and is ignored. A choice, not measured.
 */
const MAX_PAUSE_MS = 86_400_000;

/** Returns whether the model is not asked in this compaction round because it failed for the session. */
export function isPaused(pause: SummarizerPause | null, modelId: string, now: number, round: number): boolean {
  if (pause === null || pause.modelId !== modelId) return false;
  return (now < pause.until && pause.until <= now + MAX_PAUSE_MS) || callsMade(pause, round) >= MAX_COMPACTION_CALLS;
}

/** Number of model calls that failed attempts have made for this compaction. */
export function callsMade(pause: SummarizerPause | null, round: number): number {
  return pause?.round === round ? (pause.calls ?? 0) : 0;
}

/**
 * The pause after another failure: longer with each consecutive failure, and not shorter than the provider asks for, up
 * to a day.
 */
export function nextPause(
  former: SummarizerPause | null,
  asked: AskedCompaction,
  { retryAfterMs = 0, hasAnswered = false }: Pick<SummarizerFault, 'retryAfterMs' | 'hasAnswered'>,
  now: number,
): SummarizerPause {
  const failures = former?.modelId === asked.modelId ? former.failures + 1 : 1;
  const isFree = hasAnswered && failures <= TEXTS_WITHOUT_PAUSE;
  const growing = isFree ? 0 : Math.min(MAX_GROWING_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return { ...asked, failures, until: now + Math.min(MAX_PAUSE_MS, Math.max(growing, retryAfterMs)) };
}
