import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextManager } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/ports';
import { defaultSettings } from '#server/context/settings/context-settings';
import { strategies } from '#server/context/strategies';
import { createBudget } from '#server/context/budget';
import { strategyNames } from '#server/core/admin/strategy-names';
import { call, result, text } from '#tests/support/arbitrary-history';
import { TestSession } from '#tests/support/test-session';
import { counted, engineProcess, siteWith, summarizerOf, TOLD } from '#tests/support/small-engine';
import { pageChange } from '#tests/support/summary-facts';
import { isDeep } from '#tests/support/deep';

const settings = { ...defaultSettings, exemptTools: new Set<string>() };

/** How large things are, as shares of the window: each is far below the room of the newest step. */
const anyTurn = fc.record({
  words: fc.constantFrom(0.001, 0.005, 0.02),
  language: fc.constantFrom('Bitte kürzer. ', 'please ', '短く'),
  answer: fc.constantFrom(0.001, 0.01, 0.03),
  outputs: fc.array(fc.constantFrom(0.002, 0.02), { maxLength: 3 }),
});
const anyConversation = fc.record({
  turns: fc.array(anyTurn, { minLength: 3, maxLength: 6 }),
  fixedShare: fc.constantFrom(0.05, 0.2),
  wishes: fc.boolean(),
  isTold: fc.boolean(),
});

/** About so many tokens. */
const filler = (word: string, tokens: number) => word.repeat(Math.max(1, Math.ceil(tokens / 3)));

describe.each([8_000, 16_000, 32_000, 200_000])('after a compaction in a window of %i', (contextWindow) => {
  it.each(strategyNames)('at least a quarter of the room is free: %s', { timeout: 60_000 }, async (strategy) => {
    await fc.assert(
      fc.asyncProperty(anyConversation, async ({ turns, fixedShare, wishes, isTold }) => {
        let time = 1_000;
        const store = new TestSession(() => (time += 1));
        const journal = Array.from({ length: 60 }, (_, n) => pageChange({ id: `pag_${n}`, at: n }));
        const things = journal.map(({ kind, id, title }) => ({ kind, id, title, path: `/${id}`, state: 'draft' }));
        const engine = new ContextManager(engineProcess({}, () => time));
        const site = siteWith(
          () => journal,
          () => things,
        );
        const limits = { contextWindow, maxOutputTokens: 8_000 };
        const { usable } = createBudget(limits, settings, 0);
        const fixed = Math.floor(usable * fixedShare);
        const request: ContextRequest = {
          session: store,
          site,
          strategy,
          summarizer: isTold ? summarizerOf(() => Promise.resolve(TOLD)) : null,
          target: {
            modelId: 'openai/gpt-4o',
            ...limits,
            warning: null,
            tokenFactor: 1,
            fixed: { instructions: 0, tools: fixed },
          },
        };
        const budget = createBudget(limits, settings, fixed);
        const trigger = Math.min(usable, strategies[strategy].trigger(budget, settings));
        let count = 0;
        let compactions = 0;
        for (let round = 0; compactions < 2 && round < 400; round += 1) {
          const { words, language, answer, outputs } = turns[round % turns.length]!;
          const ids = outputs.map(() => `call_${(count += 1)}`);
          const [asked] = store.appendMany(
            counted([{ role: 'user', parts: [text(`Nr. ${round}: ${filler(language, words * contextWindow)}`)] }]),
          );
          if (wishes && round === 0) await store.addPreferences([{ quote: 'Nr. 0', messageId: asked!.id }]);
          const steps = outputs.flatMap((size, index) =>
            counted([
              { role: 'assistant', parts: [call(ids[index]!, 'read', { path: `src/file-${count}.ts` })] },
              { role: 'tool', parts: [result(ids[index]!, filler('some output ', size * contextWindow), 'read')] },
            ]),
          );
          store.appendMany([
            ...steps,
            ...counted([{ role: 'assistant', parts: [text(filler('an answer ', answer * contextWindow))] }]),
          ]);
          const prepared = await engine.prepare(request);
          if (!prepared.compaction) continue;
          compactions += 1;
          // Nor is the record given up for the short note.
          if (strategy !== 'middle-removal') expect(prepared.compaction.strategy).not.toBe('middle-removal');
          const room = trigger - fixed;
          expect(trigger - prepared.tokens.afterCompact, `round ${round}`).toBeGreaterThanOrEqual(
            Math.floor(room * 0.25),
          );
        }
        expect(compactions).toBe(2);
      }),
      { numRuns: isDeep ? 8 : 1 },
    );
  });
});

it('keeps the record beside a large newest result in mid-turn', async () => {
  const store = new TestSession(() => 1_000);
  const engine = new ContextManager(engineProcess({}, () => 1_000));
  const limits = { contextWindow: 20_000, maxOutputTokens: 4_096 };
  const fixed = { instructions: 0, tools: 3_400 };
  const target = { modelId: 'openai/gpt-4o', ...limits, warning: null, tokenFactor: 1, fixed };
  const turns = Array.from({ length: 30 }, (_, n) => [
    { role: 'user' as const, parts: [text(`Nr. ${n}: ${filler('please ', 300)}`)] },
    { role: 'assistant' as const, parts: [text(filler('an answer ', 250))] },
  ]).flat();
  const large = [
    { role: 'user' as const, parts: [text('Read it all.')] },
    { role: 'assistant' as const, parts: [call('c1', 'read', { path: 'all.md' })] },
    { role: 'tool' as const, parts: [result('c1', filler('some output ', 9_000), 'read')] },
  ];
  store.appendMany(counted([...turns, ...large]));
  const { messages, compaction, usage } = await engine.prepare({ session: store, target, summarizer: null });
  expect(compaction?.strategy).toBe('ledger');
  expect(usage.isOverflow).toBe(false);
  const kept = turns.filter(({ role }, n) => role === 'user' && JSON.stringify(messages).includes(`Nr. ${n / 2}:`));
  expect(kept.length).toBeGreaterThanOrEqual(15);
});
