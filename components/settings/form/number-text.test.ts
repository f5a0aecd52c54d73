import { afterEach, describe, expect, it } from 'vitest';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import { type NumberInput, stepOf } from '#components/settings/form/number-text.ts';
import { settingsReference } from '#server/context/settings/context-settings';
import { fromDisplayUnit, toDisplayUnit } from '#server/core/admin/display-units';

const reference = settingsReference();
const of = (name: string) => {
  const { input, unit } = reference.find((setting) => setting.name === name)!;
  if (input.kind !== 'number') throw new Error(`${name} is no number.`);
  return { input, unit };
};

afterEach(async () => setLanguage(await loadLanguage('en')));

describe('a number in the unit of people', () => {
  it.each([
    ['proactiveThreshold', 0.29, 29],
    ['turnTimeLimitMs', 900_000, 15],
    ['toolTimeoutMs', 500, 0.5],
    ['outputReserve', 4_096, 4.096],
    ['toolOutputLimit', 120_000, 120],
    ['maxSteps', 50, 50],
    ['monthBudget', 12.5, 12.5],
  ])('of %s, %s is %s and back', (name, value, shown) => {
    const { displayUnit, whole } = of(name).input;
    expect(toDisplayUnit(displayUnit, value)).toBe(shown);
    expect(fromDisplayUnit(displayUnit, shown, whole)).toBe(value);
  });
});

describe('the step of the arrow keys', () => {
  const whole: NumberInput = { min: 0, max: 1_000_000, whole: true, displayUnit: 'number' };
  it.each([
    [whole, 40_000, 1_000],
    [whole, 50, 1],
    [whole, 0, 1],
    [{ ...whole, displayUnit: 'thousand-tokens' } as const, 400_000, 10],
    [{ ...whole, displayUnit: 'minutes' } as const, 900_000, 1],
    [{ ...whole, whole: false, displayUnit: 'percent' } as const, 0.85, 1],
    [{ ...whole, whole: false, displayUnit: 'dollars' } as const, 5, 0.1],
  ])('of %o at %s is %s', (input, value, step) => {
    expect(stepOf(input, value)).toBe(step);
  });
});
