import { expect, it } from 'vitest';
import { defaultSettings } from '#server/context/settings/context-settings';
import { viewShares } from '#server/context/budget';

it('gives the summary six tenths, most of it to the words of the user', () => {
  expect(viewShares(10_000)).toEqual({ summary: 6_000, words: 4_000, state: 1_000, narrative: 1_000 });
});

it('divides in whole tokens, never more than there are', () => {
  for (const room of [0, 1, 7, 333, 4_801]) {
    const { summary, words, state, narrative } = viewShares(room);
    expect([summary, words, state, narrative].every(Number.isInteger)).toBe(true);
    expect(words + state + narrative).toBe(summary);
    expect(summary).toBeLessThanOrEqual(room * defaultSettings.targetShare);
  }
});
