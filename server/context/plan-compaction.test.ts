import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBudget } from '#server/context/budget';
import { isRequest, messageTokens, planCompaction } from '#server/context/plan-compaction';
import { pairToolResults } from '#server/context/pair-tool-results';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';

const target = {
  modelId: 'openai/gpt-4o',
  contextWindow: 16_000,
  maxOutputTokens: 4_000,
  tokenFactor: 1,
  fixed: { instructions: 500, tools: 1_500 },
};
const budget = createBudget(target, 4_096, 2_000);

describe('planCompaction', () => {
  it('keeps the newest turns within its budget and never parts a call from its result', () => {
    fc.assert(
      fc.property(editingHistory, fc.integer({ min: 1, max: 4 }), (messages, turns) => {
        const plan = planCompaction(messages, budget, target, turns);
        if (!plan) return;
        const request = messages.findLast(isRequest);
        expect(plan.kept.filter((message) => message === request)).toHaveLength(1);
        expect([...plan.head, ...messages.slice(plan.head.length)]).toEqual(messages);
        expect(messages[plan.head.length]).toBe(plan.firstKept);
        const tail = messages.slice(plan.head.length);
        const calls = tail.flatMap((message) => message.parts).filter((part) => part.type === 'tool-call');
        expect(pairToolResults(tail).size).toBe(calls.length);
        expect(tail[0]?.role).not.toBe('tool');
      }),
    );
  });

  it('leaves the summary and the tail below the target, except for one block that is larger', () => {
    fc.assert(
      fc.property(editingHistory, (messages) => {
        const plan = planCompaction(messages, budget, target, 2);
        if (!plan) return;
        const tail = messages.slice(plan.head.length);
        const blocks = tail.filter((message) => message.role !== 'tool').length;
        const total = budget.fixed + plan.summaryTokens + messageTokens(plan.kept, target);
        if (blocks > 1) expect(total).toBeLessThanOrEqual(budget.target);
      }),
    );
  });

  it('keeps the request when it cuts inside one long turn', () => {
    const steps = Array.from({ length: 30 }, (_, index) => [
      { role: 'assistant' as const, parts: [call(`c${index}`)] },
      { role: 'tool' as const, parts: [result(`c${index}`, 'output '.repeat(300))] },
    ]);
    const messages = storedMessages([{ role: 'user', parts: [text('Rework the whole site.')] }, ...steps.flat()]);
    const plan = planCompaction(messages, budget, target, 2);
    expect(plan?.kept[0]).toBe(messages[0]);
    expect(plan?.replaced).not.toContain(messages[0]);
    expect(plan?.firstKept.seq).toBeGreaterThan(30);
  });

  it('has nothing to do for a conversation of one request', () => {
    expect(planCompaction(storedMessages([{ role: 'user', parts: [text('Hi')] }]), budget, target, 2)).toBeNull();
  });
});
