import type { TextStreamPart, ToolSet } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputWatch } from '#server/agent/call-model';
import { countTokens, SLICE_LENGTH } from '#server/context/tokens';

type StreamPart = TextStreamPart<ToolSet>;
const text = (delta: string): StreamPart => ({ type: 'text-delta', id: 't', text: delta });
const SENTENCE = 'Every piece is thrown by hand and fired twice in the electric kiln. ';

describe('OutputWatch', () => {
  it('counts text, reasoning and tool input, and nothing else', () => {
    const watch = new OutputWatch(1_000, 1);
    watch.add({ type: 'text-start', id: 't' });
    watch.add(text(SENTENCE));
    watch.add({ type: 'reasoning-delta', id: 'r', text: SENTENCE });
    watch.add({ type: 'tool-input-delta', id: 'c', delta: SENTENCE });
    watch.add({ type: 'tool-call', toolCallId: 'c', toolName: 'undo', input: { text: SENTENCE } });
    expect(watch.tokens).toBe(countTokens(SENTENCE.repeat(3)));
  });

  it('counts nearly the same however the text is cut into pieces', () => {
    const whole = SENTENCE.repeat(60);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), (size) => {
        const watch = new OutputWatch(Infinity, 1);
        for (let start = 0; start < whole.length; start += size) watch.add(text(whole.slice(start, start + size)));
        const exact = countTokens(whole);
        // The whole is counted in slices too: at their borders a word can count one token more.
        expect(watch.tokens).toBeGreaterThanOrEqual(exact - Math.ceil(whole.length / SLICE_LENGTH));
        expect(watch.tokens).toBeLessThanOrEqual(exact * 1.03);
      }),
      { numRuns: 50 },
    );
  });

  it("says that the limit is reached, in the model's tokens, with the piece that reaches it", () => {
    const watch = new OutputWatch(countTokens(SENTENCE.repeat(2)) * 1.5, 1.5);
    expect(watch.add(text(SENTENCE))).toBe(false);
    expect(watch.add(text(SENTENCE))).toBe(true);
    expect(new OutputWatch(0, 1).add(text('a'))).toBe(true);
  });

  it('says so at the same piece as counting each of them would, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: fc.constantFrom('a', ' ', '漢', '😀', '\uD83D', '\n'), minLength: 1, maxLength: 90 }),
        ),
        fc.integer({ min: 0, max: 900 }),
        fc.constantFrom(0.7, 1, 1.5),
        (pieces, room, factor) => {
          const watch = new OutputWatch(room, factor);
          for (const piece of pieces) expect(watch.add(text(piece))).toBe(watch.tokens >= room);
        },
      ),
    );
  });
});
