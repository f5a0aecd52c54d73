import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewPart } from '#server/core/parts';
import { createBudget } from '#server/context/budget';
import { defaultSettings } from '#server/context/context-settings';
import {
  type CompactionPlan,
  blocksOf,
  compactionRoom,
  cutView,
  isRequest,
  rawTokens,
} from '#server/context/plan-compaction';
import { pairToolResults } from '#server/context/pair-tool-results';
import { strategies } from '#server/context/strategies/index';
import type { PlanInput } from '#server/context/strategies/strategy';
import { NOTE_LABEL } from '#server/core/engine-words';
import { type StoredView, verbatimMessages } from '#server/context/view';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';

const target = {
  modelId: 'openai/gpt-4o',
  contextWindow: 16_000,
  maxOutputTokens: 4_000,
  warning: null,
  tokenFactor: 1,
  fixed: { instructions: 500, tools: 1_500 },
};
const settings = { ...defaultSettings, exemptTools: new Set<string>() };
const budget = createBudget(target, settings, 2_000);

/** A view as it may be after earlier rounds: some messages kept in front, one kept behind the summary. */
const anyView: fc.Arbitrary<StoredView> = fc
  .tuple(editingHistory, fc.nat(3), fc.nat(3))
  .map(([messages, leading, kept]) => {
    const blocks = blocksOf(messages);
    const [front, behind] = [blocks.slice(0, leading).flat(), blocks.slice(leading, leading + kept).flat()];
    return { leading: front, summary: null, kept: behind, messages: blocks.slice(leading + kept).flat() };
  });
const planInput = (stored: StoredView): PlanInput => ({ stored, budget, target, settings });

function expectPartition(stored: StoredView, plan: CompactionPlan): void {
  const parts = [...plan.keptBefore, ...plan.replaced, ...plan.keptAfter, ...plan.tail];
  const bySeq = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;
  expect(parts.toSorted(bySeq)).toEqual(verbatimMessages(stored).toSorted(bySeq));
}

describe.each(Object.values(strategies))('the plan of $name', (strategy) => {
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
    expect(strategy.trigger(budget, settings)).toBeLessThanOrEqual(budget.usable);
  });
});

describe('cutView', () => {
  const view = (messages: ReturnType<typeof storedMessages>): StoredView => ({
    leading: [],
    summary: null,
    kept: [],
    messages,
  });

  it('keeps the request when it cuts inside one long turn', () => {
    const steps = Array.from({ length: 30 }, (_, index) => [
      { role: 'assistant' as const, parts: [call(`c${index}`)] },
      { role: 'tool' as const, parts: [result(`c${index}`, 'output '.repeat(300))] },
    ]);
    const messages = storedMessages([{ role: 'user', parts: [text('Rework the whole site.')] }, ...steps.flat()]);
    const plan = cutView(view(messages), { tokens: 3_000, turns: 2 }, 2_000);
    expect(plan?.keptAfter).toEqual([messages[0]]);
    expect(plan?.tail[0].seq).toBeGreaterThan(30);
  });

  it('has nothing to do for a conversation of one request', () => {
    const messages = storedMessages([{ role: 'user', parts: [text('Hi')] }]);
    expect(cutView(view(messages), { tokens: 10, turns: 2 }, 2_000)).toBeNull();
  });
});

describe('isRequest', () => {
  const note = text(`${NOTE_LABEL} The answer was cut here.`);
  const image = { type: 'file', content: { mediaType: 'image/png', url: 'https://example.org/a.png' } } as const;
  const isOf = (parts: NewPart[], parentId: string | null = null) =>
    storedMessages([{ role: 'user', parts }]).some((message) => isRequest({ ...message, parentId }));

  it('looks at every part: any text or file that is no note of the engine', () => {
    expect(isOf([text(''), text('Make it blue')])).toBe(true);
    expect(isOf([text(''), image])).toBe(true);
    expect(isOf([note, text('And this, please')], 'msg_request')).toBe(true);
    expect(isOf([note])).toBe(true);
    expect(isOf([note], 'msg_request')).toBe(false);
    expect(isOf([text('')])).toBe(false);
    expect(isOf([])).toBe(false);
  });
});

describe('compactionRoom', () => {
  it('shares out what a compaction may fill as the settings say', () => {
    const room = budget.target - budget.fixed;
    const ofShare = compactionRoom(budget, target, { ...settings, summaryShare: 0.2 });
    expect(ofShare).toEqual({ summaryTokens: room * 0.2, tailTokens: room * 0.8 });
    expect(compactionRoom(budget, target, { ...settings, summaryMaxTokens: 300 }).summaryTokens).toBe(300);
  });
});
