import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { countTokens as countWhole } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens } from '#server/context/tokens';

describe('countTokens', () => {
  it('equals the tokenizer for texts within one slice', () => {
    const text = 'Our pricing page lists three plans, each with its own call to action.';
    expect(countTokens(text)).toBe(countWhole(text));
  });

  it('counts special tokens as plain text instead of throwing', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('over-counts long texts by at most one token a slice and never under-counts by more', () => {
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 30 }), { maxLength: 40 }), (sentences) => {
        const text = sentences.join(' ');
        const slices = Math.ceil(text.length / 1024);
        expect(Math.abs(countTokens(text) - countWhole(text))).toBeLessThanOrEqual(slices * 2);
      }),
      { numRuns: 50 },
    );
  });

  it('finishes on texts that make the tokenizer quadratic', () => {
    for (const text of ['a'.repeat(100_000), ' '.repeat(200_000), '文'.repeat(100_000)]) {
      expect(countTokens(text)).toBeGreaterThan(100);
    }
  });

  it('counts any unicode, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        expect(countTokens(text)).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
      }),
    );
  });
});
