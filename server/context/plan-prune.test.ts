import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planPrune, type PruneRules } from '#server/context/plan-prune';
import { tokensOf } from '#server/context/part-tokens';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';

const rules: PruneRules = { protect: 1_000, minimum: 500, protectedTurns: 2, exemptTools: new Set(['get_settings']) };

/** Turns that each read one page of `tokens` tokens with the given tool. */
function reads(...tools: { tool?: string; tokens: number }[]) {
  return storedMessages(
    tools.flatMap(({ tool = 'get_content', tokens }, index) => [
      { role: 'user' as const, parts: [text('Read it')] },
      { role: 'assistant' as const, parts: [call(`c${index}`, tool)] },
      { role: 'tool' as const, parts: [{ ...result(`c${index}`, 'x', tool), tokens }] },
    ]),
  );
}

describe('planPrune', () => {
  it('clears the oldest outputs beyond the protected newest ones', () => {
    const plan = planPrune(
      reads({ tokens: 900 }, { tokens: 900 }, { tokens: 900 }, { tokens: 10 }, { tokens: 10 }),
      rules,
    );
    expect(plan.parts.map((part) => part.partId)).toEqual(['prt_2_0', 'prt_5_0']);
    expect(plan.tools).toEqual(['get_content']);
  });

  it('leaves the newest turns alone however large they are', () => {
    expect(planPrune(reads({ tokens: 50_000 }, { tokens: 50_000 }), rules).parts).toEqual([]);
  });

  it('does nothing when it would save less than the minimum', () => {
    expect(
      planPrune(reads({ tokens: 1_100 }, { tokens: 5 }, { tokens: 5 }), { ...rules, minimum: 1_200 }).parts,
    ).toEqual([]);
  });

  it('never clears errors, exempt tools or what is cleared already', () => {
    const messages = reads(
      { tool: 'get_settings', tokens: 5_000 },
      { tokens: 5_000 },
      { tokens: 5_000 },
      { tokens: 1 },
      { tokens: 1 },
    );
    const altered = messages.map((message, index) => {
      if (index === 5) return { ...message, parts: message.parts.map((part) => ({ ...part, compactedAt: 7 })) };
      if (index !== 8) return message;
      const parts = message.parts.map((part) => ({ ...part, state: 'error' as const }));
      return { ...message, parts };
    });
    expect(planPrune(altered, rules).parts).toEqual([]);
  });

  it('saves exactly what it says and is empty when done again', () => {
    fc.assert(
      fc.property(editingHistory, (messages) => {
        const plan = planPrune(messages, { ...rules, minimum: 1 });
        const cleared = new Map(plan.parts.map((part) => [part.partId, part.tokensAfter]));
        const after = messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) => {
            const tokens = cleared.get(part.id);
            return tokens === undefined ? part : { ...part, tokens, compactedAt: 9 };
          }),
        }));
        const sum = (list: typeof messages) =>
          list.flatMap((message) => message.parts).reduce((total, part) => total + tokensOf(part), 0);
        expect(sum(messages) - sum(after)).toBe(plan.tokensSaved);
        expect(planPrune(after, { ...rules, minimum: 1 }).parts).toEqual([]);
      }),
    );
  });
});
