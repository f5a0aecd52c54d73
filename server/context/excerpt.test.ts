import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt, excerptTokens } from '#server/context/excerpt';
import { countTokens } from '#server/context/tokens';

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.lorem({ mode: 'sentences' }));
/** Scripts that cost one to three tokens a character. */
const dense = fc.oneof(
  fc.constantFrom('静かな陶芸教室', '🧑‍🎨🏺', 'ቤት', 'لغة').map((word) => word.repeat(80)),
  anyText,
);

describe('excerpt', () => {
  it('is the text itself, or its beginning and end with what was left out counted', () => {
    expect(excerpt('0123456789', 10)).toBe('0123456789');
    expect(excerpt('0123456789x', 10)).toBe('0123456 [... 1 characters left out ...] 89x');
    expect(excerpt('anything', 0)).toBe(' [... 8 characters left out ...] ');
  });

  it('keeps no more than asked for and never half a character', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, max) => {
        const short = excerpt(text.toWellFormed(), max);
        expect(short.isWellFormed()).toBe(true);
        expect(short.replace(/ \[\.\.\. \d+ characters left out \.\.\.\] /, '').length).toBeLessThanOrEqual(max);
      }),
    );
  });
});

describe('excerptTokens', () => {
  it('fits its tokens in every script, and keeps what fits whole', () => {
    fc.assert(
      fc.property(dense, fc.nat(120), (text, max) => {
        const short = excerptTokens(text, max, countTokens);
        expect(countTokens(short)).toBeLessThanOrEqual(max);
        if (text.length <= max) expect([text, countTokens(text) > max]).toContainEqual(short === text ? text : true);
      }),
    );
  });
});
