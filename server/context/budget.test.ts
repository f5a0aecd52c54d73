import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { defaultSettings } from '#server/context/settings/context-settings';
import { budgetBelow, createBudget, maxOutputTokens, pruneLimits, viewShares } from '#server/context/budget';

describe('createBudget', () => {
  it('gives 12,000 usable tokens in a 16,000 window', () => {
    const budget = createBudget({ contextWindow: 16_000, maxOutputTokens: 4_096 }, defaultSettings, 2_000);
    expect(budget).toEqual({
      contextWindow: 16_000,
      outputReserve: 4_000,
      usable: 12_000,
      realTimeLimit: 14_400,
      room: 10_000,
      view: 4_600,
      target: 6_600,
      fixed: 2_000,
    });
  });

  it('uses no more of a huge window than is set, and leaves the rest to a long answer', () => {
    const model = { contextWindow: 1_000_000, maxOutputTokens: 64_000 };
    expect(createBudget(model, defaultSettings, 0)).toMatchObject({
      contextWindow: 200_000,
      usable: 170_000,
      realTimeLimit: 900_000,
    });
    expect(createBudget(model, { ...defaultSettings, maxContextTokens: 2_000_000 }, 0).usable).toBe(850_000);
  });

  it('keeps usable positive and below the real-time limit for any model', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4_000, max: 2_000_000 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (contextWindow, share) => {
          const model = { contextWindow, maxOutputTokens: Math.ceil(contextWindow * share) };
          const budget = createBudget(model, defaultSettings, 1_000);
          expect(budget.usable).toBeGreaterThan(Math.min(contextWindow, defaultSettings.maxContextTokens) / 2);
          expect(budget.usable).toBeLessThan(budget.realTimeLimit);
          expect(budget.target).toBeLessThanOrEqual(budget.usable);
        },
      ),
    );
  });
});

describe('budgetBelow', () => {
  const budget = createBudget({ contextWindow: 16_000, maxOutputTokens: 4_096 }, defaultSettings, 2_000);

  it('is the room under the trigger, 55 % of which a compaction fills, fixed tokens included', () => {
    expect(budgetBelow(8_000, budget, defaultSettings)).toEqual({ ...budget, room: 6_000, view: 2_400, target: 4_400 });
    expect(budgetBelow(Infinity, budget, defaultSettings)).toEqual(budget);
  });

  it('leaves a minimum to plan with if there is no room', () => {
    expect(budgetBelow(1_000, budget, defaultSettings)).toMatchObject({ room: 500, target: 2_175 });
  });

  it('leaves a third of the room for messages, however large instructions and tools are', () => {
    expect(createBudget({ contextWindow: 16_000, maxOutputTokens: 4_096 }, defaultSettings, 8_000)).toMatchObject({
      room: 4_000,
      view: 1_400,
      target: 9_400,
    });
  });
});

describe('maxOutputTokens', () => {
  it('is capped by what the window has left', () => {
    expect(maxOutputTokens({ contextWindow: 16_000, maxOutputTokens: 8_000 }, 4_000)).toBe(4_000);
    expect(maxOutputTokens({ contextWindow: 16_000, maxOutputTokens: 8_000 }, -1_000)).toBe(1);
  });
});

describe('pruneLimits', () => {
  it('shrinks the configured numbers for small windows', () => {
    const budget = createBudget({ contextWindow: 16_000, maxOutputTokens: 4_000 }, defaultSettings, 0);
    expect(pruneLimits(budget, defaultSettings)).toEqual({ protect: 4_000, minimum: 2_000, images: 2_000 });
  });
});

it('gives most of the summary to the words of the user', () => {
  expect(viewShares(10_000)).toEqual({ summary: 8_500, words: 7_500, state: 1_000, narrative: 1_000 });
});

it('divides in whole tokens, never more than there are', () => {
  for (const room of [0, 1, 7, 333, 4_801]) {
    const { summary, words, state, narrative } = viewShares(room);
    expect([summary, words, state, narrative].every(Number.isInteger)).toBe(true);
    expect(Math.max(words, state, narrative)).toBeLessThanOrEqual(summary);
    expect(summary).toBeLessThanOrEqual(room);
  }
});
