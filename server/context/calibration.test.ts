import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { calibrate, factorOf } from '#server/context/current-tokens';
import { defaultSettings } from '#server/context/settings/context-settings';

const { calibrationReports: MAX_RATIOS, calibrationMinReports: MIN_RATIOS } = defaultSettings;

const contextWindow = 200_000;

describe('calibrate', () => {
  it('adds reported / counted and keeps the newest twenty', () => {
    const ratios = Array.from({ length: 25 }).reduce<readonly number[]>(
      (known, _, index) => calibrate(known, { reported: 1_000 + index, counted: 1_000, contextWindow }),
      [],
    );
    expect(ratios).toHaveLength(MAX_RATIOS);
    expect(ratios.at(0)).toBe(1.005);
    expect(ratios.at(-1)).toBe(1.024);
  });

  it.each([
    ['nothing', 0, 1_000],
    ['less than nothing', -5, 1_000],
    ['no number', Number.NaN, 1_000],
    ['infinity', Infinity, 1_000],
    ['more than the window', 200_001, 190_000],
    ['five times what was sent', 6_000, 1_000],
    ['a tenth of it (a cache left out)', 100, 1_000],
    ['something about an empty request', 100, 0],
    ['something about a request that was not counted', 100, Number.NaN],
  ])('ignores a report of %s', (_, reported, counted) => {
    const known = [1.1, 1.2];
    expect(calibrate(known, { reported, counted, contextWindow })).toBe(known);
  });
});

describe('factorOf', () => {
  it('is the fallback until there are five ratios', () => {
    expect(
      factorOf(
        Array.from({ length: MIN_RATIOS - 1 }, () => 1.4),
        1.1,
      ),
    ).toBe(1.1);
    expect(
      factorOf(
        Array.from({ length: MIN_RATIOS }, () => 1.4),
        1.1,
      ),
    ).toBe(1.4);
  });

  it('is the median, so that single reports far off do not move it', () => {
    expect(factorOf([1.2, 4.9, 1.21, 0.21, 1.19], 1)).toBe(1.2);
    expect(factorOf([1, 1.1, 1.2, 1.3, 1.4, 1.5], 1)).toBeCloseTo(1.25);
  });

  it('stays within 0.5 and 3 whatever is reported', () => {
    const anyNumber = fc.oneof(fc.double(), fc.integer({ min: -10, max: 400_000 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(anyNumber, anyNumber), { maxLength: 60 }), (reports) => {
        const ratios = reports.reduce<readonly number[]>(
          (known, [reported, counted]) => calibrate(known, { reported, counted, contextWindow }),
          [],
        );
        expect(ratios.length).toBeLessThanOrEqual(MAX_RATIOS);
        const factor = factorOf(ratios, 1.1);
        expect(factor).toBeGreaterThanOrEqual(0.5);
        expect(factor).toBeLessThanOrEqual(3);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a tokenizer again from noisy reports, with up to a third of them absurd', () => {
    const ratio = fc.double({ min: 0.6, max: 2.5, noNaN: true });
    const counted = fc.integer({ min: 1_000, max: 50_000 });
    const noise = fc.double({ min: 0.97, max: 1.03, noNaN: true });
    fc.assert(
      fc.property(ratio, fc.array(fc.tuple(counted, noise), { minLength: 10, maxLength: 40 }), (truth, steps) => {
        const ratios = steps.reduce<readonly number[]>((known, [tokens, off], step) => {
          const reported = step % 3 === 2 ? tokens * 4.5 : tokens * truth * off;
          return calibrate(known, { reported, counted: tokens, contextWindow });
        }, []);
        // Should all absurd reports lie on one side, the median moves to the edge of the noise, not beyond it.
        expect(Math.abs(factorOf(ratios, 1.1) / truth - 1)).toBeLessThanOrEqual(0.03 + 1e-9);
      }),
    );
  });
});
