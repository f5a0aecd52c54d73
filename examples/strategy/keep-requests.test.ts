import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepRequests } from '#examples/strategy/keep-requests';
import { SUMMARY_LABEL } from '#server/core/conversation/labels';
import { ContextOverflowError } from '#server/core/errors';
import { anyScenario, type Draft, ScenarioRun } from '#tests/support/engine-scenario';
import { describeStrategy } from '#tests/support/strategy-contract';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

describeStrategy(keepRequests);

describe('a context that is kept by keep-requests', () => {
  it('fits the window and is a valid request, or reports that nothing fits', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, async (scenario) => {
        const run = new ScenarioRun(scenario);
        for (const { drafts } of scenario.rounds) {
          run.append(drafts, null);
          const prepared = await run.manager
            .prepare({ ...run.request, strategy: keepRequests })
            .catch((error: unknown) => {
              if (error instanceof ContextOverflowError) return null;
              throw error;
            });
          if (prepared === null || prepared.messages.length === 0) continue;
          expect(prepared.usage.currentTokens).toBeLessThanOrEqual(prepared.usage.usableTokens);
          expect(findSequenceProblems(prepared.messages)).toEqual([]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("still has the user's first words verbatim after several compactions", async () => {
    const run = new ScenarioRun({
      window: 16_000,
      fixed: 0.05,
      modelId: 'test/unknown',
      tokenFactor: 1,
      strategy: 'reactive-overflow',
      summarizer: 'honest',
      minTurnsToKeep: 2,
      rounds: [],
    });
    const step = { kind: 'step', text: 0.12, reasoning: false, calls: [] } satisfies Draft;
    const request = { kind: 'request', text: 0, image: null, isNote: false } satisfies Draft;
    let rounds = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      run.append([request, step], null);
      const { messages, compaction } = await run.manager.prepare({ ...run.request, strategy: keepRequests });
      if (compaction !== null) rounds += 1;
      const said = run.appended.flatMap(({ role, parts }) =>
        role === 'user' ? parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])) : [],
      );
      const requests = messages
        .flatMap(({ content }) => content.map((part) => JSON.stringify(part)))
        .filter((sent) => !sent.includes(SUMMARY_LABEL));
      expect(said.filter((text) => !requests.some((sent) => sent.includes(text)))).toEqual([]);
    }
    expect(rounds).toBeGreaterThan(1);
  });
});
