import { describe, expect, it } from 'vitest';
import { isPaused, judgePast, nextPause } from '#server/context/breaker';
import { defaultSettings } from '#server/context/settings/context-settings';

const settings = { ...defaultSettings, breakerAttempts: 2, breakerMinimumGain: 0.1 };
const little = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 9_500,
  contextWindow: 16_000,
  modelId: 'test/summarizer',
} as const;
const much = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 3_000,
  contextWindow: 16_000,
  modelId: 'test/summarizer',
} as const;

type Judged = Parameters<typeof judgePast>;
const usual = { estimatedTotal: 9_600, contextWindow: 16_000, fits: true, requestedAt: 1 };
const judge = (past: Judged[0], given: Partial<Judged[1]>, of: Judged[2]) =>
  judgePast(past, { ...usual, ...given }, of);
const isFutile = (...args: Parameters<typeof judge>) => judge(...args).isFutile;
const isModelInVain = (...args: Parameters<typeof judge>) => judge(...args).isModelInVain;
const leastGain = (...args: Parameters<typeof judge>) => judge(...args).leastGain;

const at = (estimatedTotal: number, contextWindow = 16_000) => ({ estimatedTotal, contextWindow });

const needing = (...now: Parameters<typeof at>) => ({ ...at(...now), fits: false });
const fitting = (...now: Parameters<typeof at>) => ({ ...at(...now), fits: true });

describe('isFutile', () => {
  it('is true after two compactions that gained under a tenth, while nothing was added since', () => {
    expect(isFutile([little, little], at(9_600), settings)).toBe(true);
  });

  it('is false as long as one of the newest gained enough, or there were too few', () => {
    expect(isFutile([little, much], at(9_600), settings)).toBe(false);
    expect(isFutile([little], at(9_600), settings)).toBe(false);
    expect(isFutile([], at(9_600), settings)).toBe(false);
  });

  it('does not count attempts by hand', () => {
    const byHand = { ...little, trigger: 'manual' as const };
    expect(isFutile([byHand, byHand, little], at(9_600), settings)).toBe(false);
  });

  it('closes again once the conversation has grown: there is something new to compact', () => {
    expect(isFutile([little, little], at(12_000), settings)).toBe(false);
  });

  it('begins anew for another window, and counts attempts whose window is not known any more', () => {
    expect(isFutile([little, little], at(9_600, 32_000), settings)).toBe(false);
    const former = { ...little, contextWindow: 32_000 };
    expect(isFutile([little, former], at(9_600), settings)).toBe(false);
    const unknown = { ...little, contextWindow: null };
    expect(isFutile([little, unknown], at(9_600), settings)).toBe(true);
  });
});

describe('isModelInVain', () => {
  const byCode = { ...little, modelId: null };
  const refused = { ...little, status: 'failed' } as const;

  it('is true after two attempts since the request that took nothing of a model, whatever they gained', () => {
    expect(isModelInVain([byCode, { ...much, modelId: null }], usual, settings)).toBe(true);
    expect(isModelInVain([refused, byCode, little], usual, settings)).toBe(true);
  });

  it('is false where one did, where there were too few, and for attempts by hand', () => {
    expect(isModelInVain([byCode, little], usual, settings)).toBe(false);
    expect(isModelInVain([byCode], usual, settings)).toBe(false);
    expect(isModelInVain([{ ...byCode, trigger: 'manual' }, byCode], usual, settings)).toBe(false);
  });

  it('begins anew with the next request and another window', () => {
    expect(isModelInVain([byCode, byCode], { ...usual, requestedAt: 2 }, settings)).toBe(false);
    expect(isModelInVain([byCode, byCode], { ...usual, contextWindow: 32_000 }, settings)).toBe(false);
  });
});

describe('leastGain', () => {
  it('asks for a real gain where the last attempt had none and nothing was added', () => {
    expect(leastGain([little, much], needing(9_500), settings)).toBe(0.1);
    const failed = { ...little, status: 'failed', tokensAfter: 10_000 } as const;
    expect(leastGain([failed], needing(9_900), settings)).toBe(0.1);
  });

  it('asks for one after a good attempt, too, where the request fits as it is', () => {
    expect(leastGain([much], fitting(3_000), settings)).toBe(0.1);
    expect(leastGain([much], fitting(3_001), settings)).toBe(0);
  });

  it('takes any gain after a good attempt, once something was added, for another window, and after one by hand', () => {
    expect(leastGain([], needing(9_500), settings)).toBe(0);
    expect(leastGain([much, little], needing(3_000), settings)).toBe(0);
    expect(leastGain([little], needing(9_501), settings)).toBe(0);
    expect(leastGain([little], needing(9_500, 8_000), settings)).toBe(0);
    expect(leastGain([{ ...little, trigger: 'manual' as const }], needing(9_500), settings)).toBe(0);
  });
});

describe('a pause of the summarizer', () => {
  const DAY = 86_400_000;

  const asked = { modelId: 'a/b', round: 4, calls: 2 };

  it('is at most a day long, whatever the provider asks for', () => {
    const pause = nextPause(null, asked, { retryAfterMs: 400 * DAY }, 1_000);
    expect(isPaused(pause, 'a/b', 1_000, 4)).toBe(true);
    expect(isPaused(pause, 'a/b', 1_000 + DAY, 4)).toBe(false);
  });

  it('is not believed where it was written by a clock that was ahead', () => {
    const pause = nextPause(null, asked, {}, 400 * DAY);
    expect(isPaused(pause, 'a/b', 1_000, 4)).toBe(false);
  });

  it('comes with the third text in a row that is of no use, not before', () => {
    const first = nextPause(null, asked, { hasAnswered: true }, 1_000);
    const second = nextPause(first, asked, { hasAnswered: true }, 1_000);
    expect(isPaused(second, 'a/b', 1_000, 4)).toBe(false);
    const third = nextPause(second, asked, { hasAnswered: true }, 1_000);
    expect(isPaused(third, 'a/b', 1_000, 4)).toBe(true);
    expect(isPaused(third, 'other/model', 1_000, 4)).toBe(false);
  });

  it('lasts for the compaction that three calls were made for, however late it is, and not for the next', () => {
    const pause = nextPause(null, { ...asked, calls: 3 }, {}, 1_000);
    expect(isPaused(pause, 'a/b', 1_000 + 30 * DAY, 4)).toBe(true);
    expect(isPaused(pause, 'a/b', 1_000 + 30 * DAY, 5)).toBe(false);
  });

  it('of a row from before knows no calls', () => {
    expect(isPaused({ modelId: 'a/b', failures: 1, until: 0 }, 'a/b', 1_000, 4)).toBe(false);
  });
});
