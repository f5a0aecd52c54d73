import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBudget } from '#server/context/budget';
import { defaultSettings } from '#server/context/settings/context-settings';
import { budgetFor, type Strategy } from '#server/context/strategies';
import { blocksOf, type CompactionPlan, type PlanInput, rawTokens } from '#server/context/compaction-plan';
import { viewShares } from '#server/context/budget';
import { type StoredView, verbatimMessages } from '#server/context/view';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { pairToolResults } from '#server/core/conversation/messages';
import { isRequest } from '#server/core/conversation/part-text';
import { isDeep } from '#tests/support/deep';

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

/** A view as it may be after earlier rounds: some messages kept in front, one kept after the summary. */
const anyView: fc.Arbitrary<StoredView> = fc
  .tuple(editingHistory, fc.nat(3), fc.nat(3))
  .map(([messages, leading, kept]) => {
    const blocks = blocksOf(messages);
    const [front, behind] = [blocks.slice(0, leading).flat(), blocks.slice(leading, leading + kept).flat()];
    return { leading: front, summary: null, kept: behind, messages: blocks.slice(leading + kept).flat() };
  });
const WINDOWS = [8_000, 16_000, 32_000, 200_000] as const;
const FIXED_SHARE = 0.2;

/** In a window with as much always sent as may be. */
function inputFor(strategy: Strategy, stored: StoredView, contextWindow: number): PlanInput {
  const { usable } = createBudget({ ...target, contextWindow }, settings, 0);
  const fixed = Math.floor(usable * FIXED_SHARE);
  const model = { ...target, contextWindow, fixed: { instructions: fixed, tools: 0 } };
  const budget = budgetFor(strategy, createBudget(model, settings, fixed), settings);
  return { stored, target: model, settings, budget };
}

/** Of the room: one step of the assistant, and a request. */
const STEP_SHARES = [0.001, 0.01, 0.05, 0.1];
const REQUEST_SHARES = [0.0005, 0.01, 0.05];
/** The text of a summary that has so many tokens. */
const summaryOf = (tokens: number) => 'word '.repeat(tokens);

/** A view that has grown over the window, after earlier rounds or none: turns of any length, all sizes to its scale. */
const fullView: fc.Arbitrary<{ window: number; stored: StoredView }> = fc
  .record({
    window: fc.constantFrom(...WINDOWS),
    summary: fc.constantFrom(0, 0, 0.05, 0.2, 0.6),
    isCut: fc.boolean(),
    turns: fc.array(
      fc.record({
        request: fc.constantFrom(...REQUEST_SHARES),
        steps: fc.array(fc.constantFrom(...STEP_SHARES), { maxLength: 12 }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  })
  .map(({ window, summary, isCut, turns }) => {
    const drafts: Parameters<typeof storedMessages>[0][number][] = [];
    for (let tokens = 0; tokens < window;) {
      for (const { request, steps } of turns) {
        drafts.push({ role: 'user', parts: [{ ...text('Go on.'), tokens: Math.ceil(request * window) }] });
        for (const step of steps) {
          const id = `call_${drafts.length}`;
          drafts.push({ role: 'assistant', parts: [{ ...call(id), tokens: 10 }] });
          drafts.push({ role: 'tool', parts: [{ ...result(id, 'done'), tokens: Math.ceil(step * window) }] });
        }
      }
      tokens = drafts.flatMap(({ parts }) => parts).reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    }
    const messages = storedMessages(drafts);
    const [first, second] = messages;
    const told = {
      summary: summaryOf(Math.floor(window * summary)),
      compactedAt: 1,
      messagesCompacted: 9,
      originalTokens: 9,
      round: 1,
    };
    const [marker = null] = storedMessages([
      { role: 'user', parts: [{ type: 'compaction-marker', content: told, tokens: 0 }] },
    ]);
    const startsCut = isCut && second?.role === 'assistant';
    return {
      window,
      stored: {
        leading: [],
        summary: summary === 0 ? null : marker,
        kept: startsCut && first ? [first] : [],
        messages: startsCut ? messages.slice(1) : messages,
      },
    };
  });
const planInput = (stored: StoredView): PlanInput => ({ stored, ...smallWindow });

function expectPartition(stored: StoredView, plan: CompactionPlan): void {
  const parts = [...plan.keptBefore, ...plan.replaced, ...plan.keptAfter, ...plan.tail];
  const bySeq = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
  expect(parts.toSorted(bySeq)).toEqual(verbatimMessages(stored).toSorted(bySeq));
}

/** What the plan of every strategy promises, for any conversation: run it for each of them. */
export function describeStrategy(strategy: Strategy): void {
  describe(`the plan of ${strategy.name}`, () => {
    it('assigns every message once, keeps the newest request, and keeps calls with results', () => {
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
        { numRuns: isDeep ? 200 : 60 },
      );
    });

    it('leaves no more than its share in every window, but for one step that is larger', () => {
      fc.assert(
        fc.property(
          fc.oneof(
            anyView.map((stored) => ({ window: 16_000, stored })),
            fullView,
          ),
          ({ window, stored }) => {
            const input = inputFor(strategy, stored, window);
            const plan = strategy.plan(input);
            if (!plan || blocksOf(plan.tail).length === 1) return;
            const verbatim = rawTokens([...plan.keptBefore, ...plan.keptAfter, ...plan.tail]);
            const { view } = input.budget;
            expect(plan.summaryTokens + verbatim).toBeLessThanOrEqual(view);
            expect(plan.summaryTokens).toBeLessThanOrEqual(viewShares(view).summary);
          },
        ),
        { numRuns: isDeep ? 100 : 40 },
      );
    });

    it('has a plan for every full view, which marks a cut turn and keeps its request', () => {
      fc.assert(
        fc.property(fullView, ({ window, stored }) => {
          const plan = strategy.plan(inputFor(strategy, stored, window));
          expect(plan?.replaced).not.toEqual([]);
          if (!plan) return;
          const [first] = plan.tail;
          expect(plan.cutsTurn).toBe(!isRequest(first));
          const own = verbatimMessages(stored).findLast((message) => isRequest(message) && message.seq <= first.seq);
          expect([...plan.keptBefore, ...plan.keptAfter, ...plan.tail]).toContain(own);
        }),
        { numRuns: isDeep ? 100 : 40 },
      );
    });

    it('acts at or before the overflow', () => {
      const { budget } = smallWindow;
      expect(strategy.trigger(budget, settings)).toBeLessThanOrEqual(budget.usable);
    });
  });
}
