import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBudget } from '#server/context/budget';
import { defaultSettings } from '#server/context/settings/context-settings';
import { pairToolResults } from '#server/context/tool-results';
import { blocksOf, type CompactionPlan, isRequest, rawTokens } from '#server/context/plan-compaction';
import type { PlanInput, Strategy } from '#server/context/strategies';
import { type StoredView, verbatimMessages } from '#server/context/view';
import { editingHistory } from '#tests/support/arbitrary-history';

const target = {
  modelId: 'openai/gpt-4o',
  contextWindow: 16_000,
  maxOutputTokens: 4_000,
  warning: null,
  tokenFactor: 1,
  fixed: { instructions: 500, tools: 1_500 },
};
const settings = { ...defaultSettings, exemptTools: new Set<string>() };

/** The window that strategies are tried in. */
export const smallWindow = { target, settings, budget: createBudget(target, settings, 2_000) };

/** A view as it may be after earlier rounds: some messages kept in front, one kept behind the summary. */
const anyView: fc.Arbitrary<StoredView> = fc
  .tuple(editingHistory, fc.nat(3), fc.nat(3))
  .map(([messages, leading, kept]) => {
    const blocks = blocksOf(messages);
    const [front, behind] = [blocks.slice(0, leading).flat(), blocks.slice(leading, leading + kept).flat()];
    return { leading: front, summary: null, kept: behind, messages: blocks.slice(leading + kept).flat() };
  });
const planInput = (stored: StoredView): PlanInput => ({ stored, ...smallWindow });

function expectPartition(stored: StoredView, plan: CompactionPlan): void {
  const parts = [...plan.keptBefore, ...plan.replaced, ...plan.keptAfter, ...plan.tail];
  const bySeq = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
  expect(parts.toSorted(bySeq)).toEqual(verbatimMessages(stored).toSorted(bySeq));
}

/** What the plan of every strategy promises, whatever the conversation: run it for each of them. */
export function describeStrategy(strategy: Strategy): void {
  const { budget } = smallWindow;

  describe(`the plan of ${strategy.name}`, () => {
    it('puts every message in one place, keeps the newest request, and never parts a call from its result', () => {
      fc.assert(
        fc.property(anyView, (stored) => {
          const plan = strategy.plan(planInput(stored));
          if (!plan) return;
          expectPartition(stored, plan);
          expect(stored.messages.slice(-plan.tail.length)).toEqual(plan.tail);
          const verbatim = [...plan.keptBefore, ...plan.keptAfter, ...plan.tail];
          expect(verbatim).toContain(verbatimMessages(stored).findLast(isRequest));
          for (const list of [plan.replaced, verbatim]) {
            const calls = list.flatMap((message) => message.parts).filter((part) => part.type === 'tool-call');
            expect(pairToolResults(list).size).toBe(calls.length);
          }
        }),
        { numRuns: 200 },
      );
    });

    it('leaves summary and verbatim messages below the target, but for one step that is larger', () => {
      fc.assert(
        fc.property(anyView, (stored) => {
          const plan = strategy.plan(planInput(stored));
          if (!plan || blocksOf(plan.tail).length === 1) return;
          const verbatim = rawTokens([...plan.keptBefore, ...plan.keptAfter, ...plan.tail]);
          expect(budget.fixed + plan.summaryTokens + verbatim).toBeLessThanOrEqual(budget.target);
        }),
        { numRuns: 200 },
      );
    });

    it('acts at or before the overflow', () => {
      expect(strategy.trigger(budget, smallWindow.settings)).toBeLessThanOrEqual(budget.usable);
    });
  });
}
