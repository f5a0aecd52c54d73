import { describe, expect, it } from 'vitest';
import { isFutile } from '#server/context/breaker';

const settings = { breakerAttempts: 2, breakerMinimumGain: 0.1 };
const little = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 9_500,
} as const;
const much = {
  status: 'completed',
  trigger: 'overflow',
  createdAt: 1,
  tokensBefore: 10_000,
  tokensAfter: 3_000,
} as const;

describe('isFutile', () => {
  it('is true after two compactions that gained under a tenth, while nothing was added since', () => {
    expect(isFutile([little, little], 9_600, settings)).toBe(true);
  });

  it('is false as long as one of the newest gained enough, or there were too few', () => {
    expect(isFutile([little, much], 9_600, settings)).toBe(false);
    expect(isFutile([little], 9_600, settings)).toBe(false);
    expect(isFutile([], 9_600, settings)).toBe(false);
  });

  it('does not count attempts by hand', () => {
    const byHand = { ...little, trigger: 'manual' };
    expect(isFutile([byHand, byHand, little], 9_600, settings)).toBe(false);
  });

  it('closes again once the conversation has grown: there is something new to compact', () => {
    expect(isFutile([little, little], 12_000, settings)).toBe(false);
  });
});
