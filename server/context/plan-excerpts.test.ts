import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '#server/core/messages';
import type { Part, ToolCallPart } from '#server/core/parts';
import { holdsExcerpt, shownInput } from '#server/context/excerpt';
import { countPartTokens, tokensOf } from '#server/context/part-tokens';
import type { PrunedPart } from '#server/context/ports';
import { planExcerpts } from '#server/context/prune';
import { cutToLeast } from '#server/context/view';
import { rawTokens } from '#server/context/strategies';
import { STORED_VOCABULARY } from '#server/context/tokens';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';

function outputs(sizes: readonly number[]) {
  const ids = sizes.map((_, index) => `c${index}`);
  return storedMessages([
    { role: 'user', parts: [text('Read them all.')] },
    { role: 'assistant', parts: ids.map((id) => call(id)) },
    { role: 'tool', parts: ids.map((id, index) => result(id, 'word '.repeat(sizes[index] ?? 0))) },
  ]);
}

describe('cutToLeast', () => {
  it('has what is left when all that can be saved is saved, and leaves small outputs whole', () => {
    const messages = outputs([5_000, 3, 4_000]);
    const least = cutToLeast(messages, STORED_VOCABULARY);
    const most = rawTokens(messages) - rawTokens(least);
    expect(rawTokens(least)).toBeLessThan(250);
    expect(least[2]?.parts[1]).toBe(messages[2]?.parts[1]);
    expect(planExcerpts(messages, most, { inputs: true })).toHaveLength(2);
    expect(planExcerpts(messages, most + 1, { inputs: true })).toEqual([]);
    expect(rawTokens(cutToLeast(least, STORED_VOCABULARY))).toBe(rawTokens(least));
  });
});

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

  it('makes a shorter excerpt of what is one already, and of nothing else', () => {
    const apply = (messages: Message[], excerpts: readonly PrunedPart[]) => {
      const byId = new Map(excerpts.map((excerpt) => [excerpt.partId, excerpt]));
      return messages.map((message) => ({
        ...message,
        parts: message.parts.map((part): Part => {
          const { tokensAfter, excerptChars } = byId.get(part.id) ?? {};
          return excerptChars === undefined
            ? part
            : { ...part, tokens: tokensAfter ?? 0, compactedAt: 9, excerptChars };
        }),
      }));
    };
    const once = apply(outputs([5_000, 5_000]), planExcerpts(outputs([5_000, 5_000]), 4_000));
    const again = planExcerpts(once, 4_000);
    expect(again.map(({ partId }) => partId)).toEqual(['prt_2_0', 'prt_2_1']);
    const chars = (messages: Message[]) => messages[2]?.parts.map((part) => part.excerptChars ?? Infinity) ?? [];
    for (const [index, { excerptChars }] of again.entries()) expect(excerptChars).toBeLessThan(chars(once)[index] ?? 0);
    const total = once
      .flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'))
      .reduce((sum, part) => sum + tokensOf(part), 0);
    const least = apply(once, planExcerpts(once, total - 150));
    expect(planExcerpts(least, 1_000)).toEqual([]);
    const cleared = once.map((message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, excerptChars: null })),
    }));
    expect(planExcerpts(cleared, 10)).toEqual([]);
  });

  it('cuts a giant input, valid and recallable, where asked to, and only then', () => {
    const body = 'Every piece is thrown by hand. '.repeat(2_000);
    const ids = Array.from({ length: 4_000 }, (_, index) => `pag_${index}`);
    for (const input of [
      { ref: 'home', fields: { body } },
      { ref: 'home', ids },
      { ref: 'home', rows: { ids, body } },
    ]) {
      const messages = storedMessages([
        { role: 'user', parts: [text('Write it.')] },
        { role: 'assistant', parts: [{ type: 'tool-call', content: { toolCallId: 'c', toolName: 'write', input } }] },
        { role: 'tool', parts: [result('c', 'done')] },
      ]);
      const part = messages[1]?.parts[0] as ToolCallPart;
      const excess = tokensOf(part) - 300;
      expect(planExcerpts(messages, excess)).toEqual([]);
      const [excerpt, ...others] = planExcerpts(messages, excess, { inputs: true });
      expect(others).toEqual([]);
      const cut = { ...part, compactedAt: 9, excerptChars: excerpt?.excerptChars ?? null };
      const shown = shownInput(cut);
      expect(countPartTokens({ type: 'tool-call', content: { ...part.content, input: shown } })).toBe(
        excerpt?.tokensAfter,
      );
      expect(excerpt?.tokensAfter).toBeLessThanOrEqual(300);
      expect(shown).toMatchObject({ ref: 'home' });
      expect(JSON.stringify(shown)).toContain(`recall_output id: ${part.id}`);
      expect(holdsExcerpt(shown)).toBe(true);
    }
  });

  it('can save nearly everything', () => {
    expect(planExcerpts(outputs([5_000]), 4_500)).toHaveLength(1);
    expect(planExcerpts(outputs([50]), 4_500)).toEqual([]);
  });
});
