import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coalesceTexts, splitCoalescedText } from '#server/core/coalesced-text';

describe('coalesceTexts', () => {
  it('keeps one as it is, names two, numbers more', () => {
    expect(coalesceTexts(['A'])).toBe('A');
    expect(coalesceTexts(['A', 'B'])).toBe('First: A\n\nAlso: B');
    expect(coalesceTexts(['A', 'B', 'C'])).toBe('[1] A\n\n[2] B\n\n[3] C');
  });
});

describe('splitCoalescedText', () => {
  it('gives back what was put together', () => {
    const line = fc.string().filter((text) => !text.includes('\n') && text !== '');
    fc.assert(
      fc.property(fc.array(line, { minLength: 2, maxLength: 12 }), (texts) => {
        expect(splitCoalescedText(coalesceTexts(texts))).toEqual(texts);
      }),
    );
  });

  it.each(['Make a page', 'First: look at it', '[1] is a footnote\n\n[2] another', '', '[1] alone', '[2] A\n\n[3] B'])(
    'leaves %j alone',
    (text) => expect(splitCoalescedText(text)).toEqual([text]),
  );
});
