import { describe, expect, it } from 'vitest';
import { isPaused, judgePast, nextPause } from '#server/context/breaker';
import { defaultSettings } from '#server/context/settings/context-settings';

const settings = { ...defaultSettings, breakerAttempts: 2, breakerMinimumGain: 0.1 };
const much = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 3_000,
  contextWindow: 16_000,
  modelId: 'test/summarizer',
} as const;
const little = { ...much, tokensAfter: 9_500 };
const byHand = { ...little, trigger: 'manual' } as const;
const byCode = { ...little, modelId: null };
const refused = { ...little, status: 'failed' } as const;
const gainedNothing = { ...refused, tokensAfter: 10_000 };

type Judged = Parameters<typeof judgePast>;
const usual = { estimatedTotal: 9_600, contextWindow: 16_000, fits: true, requestedAt: 1 };
const judge = (past: Judged[0], now: Partial<Judged[1]>) => judgePast(past, { ...usual, ...now }, settings);

it.each<[string, Judged[0], Partial<Judged[1]>, boolean]>([
  ['after two that gained under a tenth', [little, little], {}, true],
  ['where one of the newest gained enough', [little, much], {}, false],
  ['after too few', [little], {}, false],
  ['after none', [], {}, false],
  ['after attempts by hand, which do not count', [byHand, byHand, little], {}, false],
  ['once the conversation has grown', [little, little], { estimatedTotal: 12_000 }, false],
  ['for another window', [little, little], { contextWindow: 32_000 }, false],
  ['after an attempt for another window', [little, { ...little, contextWindow: 32_000 }], {}, false],
  ['after one whose window is not known any more', [little, { ...little, contextWindow: null }], {}, true],
])('a compaction is futile, or not, %s', (_, past, now, isFutile) => {
  expect(judge(past, now).isFutile).toBe(isFutile);
});

it.each<[string, Judged[0], Partial<Judged[1]>, boolean]>([
  ['two took nothing of it, whatever they gained', [byCode, { ...much, modelId: null }], {}, true],
  ['one failed and one took nothing', [refused, byCode, little], {}, true],
  ['one took what it wrote', [byCode, little], {}, false],
  ['there was one attempt', [byCode], {}, false],
  ['one was by hand', [{ ...byCode, trigger: 'manual' }, byCode], {}, false],
  ['the user has spoken since', [byCode, byCode], { requestedAt: 2 }, false],
  ['the window is another one', [byCode, byCode], { contextWindow: 32_000 }, false],
])('a model is asked in vain, or not, where %s', (_, past, now, isModelInVain) => {
  expect(judge(past, now).isModelInVain).toBe(isModelInVain);
});

it.each<[string, Judged[0], boolean, number, number, number?]>([
  ['the last had none and nothing was added', [little, much], false, 9_500, 0.1],
  ['the last failed', [gainedNothing], false, 9_900, 0.1],
  ['the last was good and the request fits as it is', [much], true, 3_000, 0.1],
  ['something was added since', [much], true, 3_001, 0],
  ['there was none', [], false, 9_500, 0],
  ['the last was good and the request does not fit', [much, little], false, 3_000, 0],
  ['something was added since one without gain', [little], false, 9_501, 0],
  ['the window is another one', [little], false, 9_500, 0, 8_000],
  ['the last was by hand', [byHand], false, 9_500, 0],
])('the least gain asked for where %s', (_, past, fits, estimatedTotal, leastGain, contextWindow = 16_000) => {
  expect(judge(past, { fits, estimatedTotal, contextWindow }).leastGain).toBe(leastGain);
});

describe('a pause of the summarizer', () => {
  const DAY = 86_400_000;

  const asked = { modelId: 'a/b', round: 4, calls: 2 };

  it('is at most a day long, for any value from the provider', () => {
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

  it('lasts for the compaction that used its three calls, and not for the next', () => {
    const pause = nextPause(null, { ...asked, calls: 3 }, {}, 1_000);
    expect(isPaused(pause, 'a/b', 1_000 + 30 * DAY, 4)).toBe(true);
    expect(isPaused(pause, 'a/b', 1_000 + 30 * DAY, 5)).toBe(false);
  });

  it('of a row from before knows no calls', () => {
    expect(isPaused({ modelId: 'a/b', failures: 1, until: 0 }, 'a/b', 1_000, 4)).toBe(false);
  });
});
