import { describe, expect, it } from 'vitest';
import type { NewMessage } from '#server/core/conversation/messages';
import { BackgroundSummaries } from '#server/context/background-summaries';
import { measureContext } from '#server/context/context-snapshot';
import type { ContextRequest } from '#server/context/ports';
import { strategies } from '#server/context/strategies';
import { CallBudget } from '#server/context/ask-summarizer';
import { text } from '#tests/support/arbitrary-history';
import { TestSession } from '#tests/support/test-session';
import { engineProcess, summarizerOf, TOLD } from '#tests/support/small-engine';

/** Above the soft limit of a window of 16,000 tokens, below usable. */
const TALK: NewMessage[] = Array.from({ length: 13 }, (_, turn): NewMessage[] => [
  { role: 'user', parts: [{ ...text(`Request ${turn}`), tokens: 4 }] },
  { role: 'assistant', parts: [{ ...text(`Answer ${turn}`), tokens: 700 }] },
]).flat();

describe('BackgroundSummaries', () => {
  it('keeps the summaries of the newest hundred sessions; what the others cost is recorded', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `ses_${index}`);
    const stores = new Map(ids.map((id) => [id, new TestSession(Date.now, id)]));
    for (const store of stores.values()) store.appendMany(TALK);
    const of = (id: string) => stores.get(id)!;
    const process = engineProcess();
    const summaries = new BackgroundSummaries(process);
    const strategy = strategies['reactive-overflow'];
    const requestOf = (id: string): ContextRequest => ({
      session: of(id),
      summarizer: summarizerOf(() => Promise.resolve(TOLD)),
      target: {
        modelId: 'openai/gpt-4o',
        contextWindow: 16_000,
        maxOutputTokens: 4_000,
        warning: null,
        tokenFactor: 1,
        fixed: { instructions: 300, tools: 1_200 },
      },
    });
    for (const id of ids) await summaries.write(requestOf(id), strategy);
    const take = async (id: string) => {
      const snapshot = await measureContext(requestOf(id), process.settings.current());
      const taken = await summaries.take(id, { strategy, budget: new CallBudget(1_000) }, snapshot, undefined);
      return taken === 'failed' ? null : taken;
    };
    expect(await take('ses_0')).toBeNull();
    expect(of('ses_0').list()).toMatchObject([
      { status: 'failed', trigger: 'background', usage: { inputTokens: 700 } },
    ]);
    for (const id of ['ses_1', 'ses_100']) {
      const taken = await take(id);
      expect(taken?.narrative).toContain('Pages and posts were made');
      await summaries.settle(id, true);
      expect(of(id).list()).toEqual([]);
      expect(await take(id)).toBeNull();
    }
  });
});
