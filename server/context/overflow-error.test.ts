import { describe, expect, it } from 'vitest';
import { defaultSettings } from '#server/context/settings/context-settings';
import { type ContextSnapshot, measureContext } from '#server/context/context-snapshot';
import { overflowError } from '#server/context/context-snapshot';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { MemoryContextStore } from '#tests/support/memory-context-store';

const target = {
  modelId: 'openai/gpt-4o',
  contextWindow: 16_000,
  maxOutputTokens: 4_000,
  warning: null,
  tokenFactor: 1,
  fixed: { instructions: 300, tools: 1_200 },
};

async function snapshot(
  messages: Parameters<typeof storedMessages>[0],
  changes: { autoCompact?: boolean } = {},
): Promise<ContextSnapshot> {
  const store = new MemoryContextStore(() => 1_000);
  store.appendMany(messages);
  return measureContext(
    { store, settings: () => ({ ...defaultSettings, exemptTools: new Set<string>(), ...changes }) },
    { sessionId: store.sessionId, target },
  );
}

describe('overflowError', () => {
  it('names what cannot fit, the largest first, with what each part of it needs', async () => {
    const error = overflowError(
      await snapshot([
        { role: 'user', parts: [text('Hello')] },
        { role: 'assistant', parts: [text('Hello to you')] },
        { role: 'user', parts: [text('word '.repeat(12_000))] },
        { role: 'assistant', parts: [call('c')] },
        { role: 'tool', parts: [result('c', 'output '.repeat(3_000))] },
      ]),
    );
    expect(error.message).toMatch(
      /^Even with everything older taken out, the request needs 13,\d{3} tokens \(12,\d{3} for the newest message, 1,500 for instructions and tools, \d\d for the assistant's newest step, \d\d for a note about everything older\), but only 12,000 are usable\. Shorten the newest message or choose a model with a larger window\.$/,
    );
    expect(error.details).toMatchObject({
      usableTokens: 12_000,
      currentTokens: expect.closeTo(16_600, -3),
      neededTokens: expect.closeTo(13_600, -2),
      needs: { fixed: 1_500, request: expect.closeTo(12_005, -1) },
    });
  });

  it('does not ask to shorten what the user did not write', async () => {
    const error = overflowError(
      await snapshot([
        { role: 'user', parts: [text('Hello')] },
        { role: 'assistant', parts: [text('word '.repeat(12_000))] },
      ]),
    );
    expect(error.message).toContain('. Choose a model with a larger window.');
    expect(error.details).toMatchObject({ needs: { summary: 0 } });
  });

  it('says that a compaction would help where none was allowed', async () => {
    const long = { role: 'assistant' as const, parts: [text('word '.repeat(6_000))] };
    const session = [{ role: 'user' as const, parts: [text('Hello')] }, long, long];
    const error = overflowError(await snapshot(session, { autoCompact: false }));
    expect(error.message).toMatch(/ but only 12,000 are usable\. Automatic compaction is switched off\. Compact the/);
  });
});
