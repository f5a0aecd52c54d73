import { expect, it } from 'vitest';
import { viewShares } from '#server/context/view-shares';

it('gives the summary six tenths, most of it to the words of the user, and leaves a quarter free', () => {
  expect(viewShares(10_000)).toEqual({ summary: 6_000, words: 4_000, state: 1_000, narrative: 1_000, free: 2_500 });
});

it('divides in whole tokens, never more than there are', () => {
  for (const room of [0, 1, 7, 333, 4_801]) {
    const { summary, words, state, narrative, free } = viewShares(room);
    expect([summary, words, state, narrative, free].every(Number.isInteger)).toBe(true);
    expect(words + state + narrative).toBe(summary);
    expect(summary + free).toBeLessThanOrEqual(room);
    expect(free).toBeGreaterThanOrEqual(room / 4);
  }
});
