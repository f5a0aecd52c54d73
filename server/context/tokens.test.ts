import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { countTokens as countWhole } from 'gpt-tokenizer/encoding/o200k_base';
import { SLICE_LENGTH, countRecurringTokens, countTokens, slices } from '#server/context/tokens';

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
        const borders = Math.ceil(text.length / SLICE_LENGTH);
        expect(Math.abs(countTokens(text) - countWhole(text))).toBeLessThanOrEqual(borders * 2);
      }),
      { numRuns: 50 },
    );
  });

  it('cuts any text into slices that make it up again, none longer than the tokenizer can take', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), (text) => {
        const pieces = [...slices(text)];
        expect(pieces.join('')).toBe(text);
        expect(pieces.every((piece) => piece.length > 0 && piece.length <= SLICE_LENGTH)).toBe(true);
      }),
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

describe('countRecurringTokens', () => {
  it('equals countTokens however often and in whatever order it is asked', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('Be brief.', 'Never use blue.', ''), { maxLength: 30 }), (texts) => {
        for (const text of texts) expect(countRecurringTokens(text)).toBe(countTokens(text));
      }),
    );
    for (let text = 0; text < 500; text += 1) countRecurringTokens(`instructions ${text}`);
    expect(countRecurringTokens('Be brief.')).toBe(countTokens('Be brief.'));
  });
});
