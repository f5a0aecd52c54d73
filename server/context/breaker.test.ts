import { describe, expect, it } from 'vitest';
import { isFutile, leastGain } from '#server/context/breaker';

const settings = { breakerAttempts: 2, breakerMinimumGain: 0.1 };
const little = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 9_500,
  contextWindow: 16_000,
} as const;
const much = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 3_000,
  contextWindow: 16_000,
} as const;

const at = (estimatedTotal: number, contextWindow = 16_000) => ({ estimatedTotal, contextWindow });

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
    const byHand = { ...little, trigger: 'manual' };
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

describe('leastGain', () => {
  it('asks for a real gain where the last attempt had none and nothing was added', () => {
    expect(leastGain([little, much], at(9_500), settings)).toBe(0.1);
    const failed = { ...little, status: 'failed', tokensAfter: 10_000 } as const;
    expect(leastGain([failed], at(9_900), settings)).toBe(0.1);
  });

  it('takes any gain after a good attempt, once something was added, for another window, and after one by hand', () => {
    expect(leastGain([], at(9_500), settings)).toBe(0);
    expect(leastGain([much, little], at(3_000), settings)).toBe(0);
    expect(leastGain([little], at(9_501), settings)).toBe(0);
    expect(leastGain([little], at(9_500, 8_000), settings)).toBe(0);
    expect(leastGain([{ ...little, trigger: 'manual' }], at(9_500), settings)).toBe(0);
  });
});
