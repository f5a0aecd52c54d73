import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolOutputText } from '#server/core/part-text';
import type { JsonValue } from '#server/core/json';
import { type OutputLimits, truncateOutput } from '#server/agent/run-tool-call';

const NOTE = '\n\n[Output truncated - exceeded maximum length]';
/** An output of this value, truncated. */
const cut = (value: JsonValue, within: OutputLimits) =>
  truncateOutput(typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }, within);
const limits = { maxChars: 1_000, maxLines: 10, maxLineLength: 50, maxMatches: 5 };

describe('truncateOutput', () => {
  it('leaves what is inside every limit as it is', () => {
    const text = Array.from({ length: 10 }, () => 'x'.repeat(50)).join('\n');
    expect(cut(text, limits)).toEqual({ output: { type: 'text', value: text }, truncated: false });
    const json = { items: [1, 2, 3, 4, 5], more: [{ nested: [] }] };
    expect(cut(json, limits)).toEqual({ output: { type: 'json', value: json }, truncated: false });
    expect(cut('', limits)).toEqual({ output: { type: 'text', value: '' }, truncated: false });
    expect(cut(null, limits)).toEqual({ output: { type: 'json', value: null }, truncated: false });
  });

  it.each([
    ['too many lines', 'short\n'.repeat(30), `${'short\n'.repeat(10).slice(0, -1)}${NOTE}`],
    ['a line that is too long', `ok\n${'y'.repeat(60)}`, `ok\n${'y'.repeat(50)}${NOTE}`],
  ])('cuts a text with %s and says so', (_, text, expected) => {
    expect(cut(text, limits)).toEqual({ output: { type: 'text', value: expected }, truncated: true });
  });

  it('cuts a text that is too long, note included in the limit', () => {
    const wide = { ...limits, maxLineLength: 5_000 };
    const { output, truncated } = cut('z'.repeat(2_000), wide);
    expect(truncated).toBe(true);
    expect(toolOutputText(output)).toBe('z'.repeat(1_000 - NOTE.length) + NOTE);
  });

  it('cuts lists wherever they are, and tells the model', () => {
    const value = { total: 9, items: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => ({ id, tags: ['a'] })) };
    const { output, truncated } = cut(value, limits);
    expect(truncated).toBe(true);
    expect(output).toEqual({
      type: 'text',
      value: `${JSON.stringify({ ...value, items: value.items.slice(0, 5) })}${NOTE}`,
    });
  });

  it('never splits a character of two units, and never exceeds the limit', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 60, max: 300 }),
        (json, text, max) => {
          for (const value of [json as never, `👍${text}`.repeat(20)]) {
            const { output, truncated } = cut(value, { ...limits, maxChars: max });
            const shown = toolOutputText(output);
            expect(shown.length).toBeLessThanOrEqual(max);
            expect(truncated).toBe(shown.endsWith(NOTE));
            expect(!truncated || typeof value !== 'string' || shown.isWellFormed() || !value.isWellFormed()).toBe(true);
          }
        },
      ),
    );
  });

  it('cuts the texts beside images, all together, and leaves the images', () => {
    const image = { type: 'file', mediaType: 'image/png', url: '@blob:blb_1' };
    const text = (value: string) => ({ type: 'text', text: value });
    const pieces = [text('a'.repeat(40)), image, text('b\n'.repeat(20)), text('c'), image];
    const { output, truncated } = truncateOutput({ type: 'content', value: pieces }, { ...limits, maxChars: 100 });
    expect(truncated).toBe(true);
    expect(output).toEqual({
      type: 'content',
      value: [pieces[0], image, text(`b\nb\nb\nb\nb\nb\nb\n${NOTE}`), image],
    });
    const whole = { type: 'content', value: [text('a'), image] } as const;
    expect(truncateOutput({ ...whole, value: [...whole.value] }, limits)).toEqual({ output: whole, truncated: false });
  });

  it('cuts what a tool says of its failure, too', () => {
    const { output } = truncateOutput({ type: 'error-text', value: 'no\n'.repeat(30) }, limits);
    expect(output).toEqual({ type: 'error-text', value: `${'no\n'.repeat(10).slice(0, -1)}${NOTE}` });
  });
});
