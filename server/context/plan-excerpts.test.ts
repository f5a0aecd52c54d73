import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensOf } from '#server/context/part-tokens';
import { planExcerpts } from '#server/context/plan-excerpts';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';

function outputs(sizes: readonly number[]) {
  const ids = sizes.map((_, index) => `c${index}`);
  return storedMessages([
    { role: 'user', parts: [text('Read them all.')] },
    { role: 'assistant', parts: ids.map((id) => call(id)) },
    { role: 'tool', parts: ids.map((id, index) => result(id, 'word '.repeat(sizes[index] ?? 0))) },
  ]);
}

describe('planExcerpts', () => {
  it('saves what was asked, cutting the largest down to one allowance and leaving small ones whole', () => {
    const excerpts = planExcerpts(outputs([5_000, 10, 4_000]), 6_000);
    expect(excerpts.map((excerpt) => excerpt.partId).toSorted()).toEqual(['prt_2_0', 'prt_2_2']);
  });

  it('saves at least the excess or says that it cannot', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 8_000 }),
        (sizes, excess) => {
          const messages = outputs(sizes);
          const excerpts = planExcerpts(messages, excess);
          if (excerpts.length === 0) return;
          const parts = new Map(messages.flatMap((message) => message.parts).map((part) => [part.id, part]));
          const saved = excerpts.reduce((sum, { partId, tokensAfter }) => {
            const part = parts.get(partId);
            return sum + (part ? tokensOf(part) - tokensAfter : 0);
          }, 0);
          expect(saved).toBeGreaterThanOrEqual(excess);
        },
      ),
    );
  });

  it('can save nearly everything', () => {
    expect(planExcerpts(outputs([5_000]), 4_500)).toHaveLength(1);
    expect(planExcerpts(outputs([50]), 4_500)).toEqual([]);
  });
});
