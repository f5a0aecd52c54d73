import { describe, expect, it } from 'vitest';
import type { Message, Usage } from '#server/core/messages';
import { type ModelTarget, fixedTokens, measure, scale } from '#server/context/current-tokens';
import { buildView } from '#server/context/view';
import { call, result, storedMessages, text } from '#tests/support/arbitrary-history';

const target: ModelTarget = {
  modelId: 'openai/gpt-4o',
  contextWindow: 16_000,
  maxOutputTokens: 4_000,
  tokenFactor: 1,
  fixed: { instructions: 300, tools: 700 },
};

const history = storedMessages([
  { role: 'user', parts: [text('word '.repeat(500))] },
  { role: 'assistant', parts: [text('Looking.'), call('c1')], modelId: target.modelId },
  { role: 'tool', parts: [result('c1', 'output '.repeat(300))] },
]);
/** The history with a report on its step. */
function reported(usage: Usage, messages: readonly Message[] = history): Message[] {
  return messages.map((message, index) => (index === 1 ? { ...message, usage } : message));
}
function measured(messages: readonly Message[], model = target, summary: Message | null = null) {
  const stored = { summary, messages };
  return measure(stored, buildView(stored, model.modelId), model);
}
const estimate = measured(history).currentTokens;

describe('measure', () => {
  it('estimates instructions, tools and every message while nothing was reported', () => {
    const { currentTokens, source, breakdown } = measured(history);
    expect(source).toBe('estimated');
    expect(breakdown).toMatchObject({ instructions: 300, tools: 700, summary: 0, media: 0 });
    expect(Object.values(breakdown).reduce((sum, tokens) => sum + tokens, 0)).toBe(currentTokens);
    expect(measured(history, { ...target, tokenFactor: 2 }).currentTokens).toBe(2 * currentTokens);
  });

  it('takes what the provider reported, and estimates only what came after', () => {
    const { currentTokens, source } = measured(reported({ inputTokens: 2_000, outputTokens: 100 }));
    expect(source).toBe('reported');
    expect(currentTokens).toBeGreaterThan(2_000 + 100 + 300);
    expect(currentTokens).toBeLessThan(2_000 + 100 + 300 + 80);
  });

  it('does not count cached tokens twice', () => {
    const usage = { inputTokens: 2_000, outputTokens: 100 };
    const cached = { ...usage, cacheReadTokens: 1_500, cacheWriteTokens: 400 };
    expect(measured(reported(cached)).currentTokens).toBe(measured(reported(usage)).currentTokens);
  });

  it.each([
    ['nothing', { inputTokens: 0, outputTokens: 0 }],
    ['more than the window', { inputTokens: 16_000, outputTokens: 1 }],
    ['far less than was sent', { inputTokens: 30, outputTokens: 1 }],
    ['far more than was sent', { inputTokens: 3 * estimate, outputTokens: 1 }],
  ])('does not believe a report of %s', (_, usage) => {
    expect(measured(reported(usage))).toMatchObject({ source: 'estimated', currentTokens: estimate });
  });

  it('does not use a report on another model or on a view that was changed since', () => {
    const usage = { inputTokens: 2_000, outputTokens: 100 };
    expect(measured(reported(usage), { ...target, modelId: 'openai/gpt-4' }).source).toBe('estimated');
    const pruned = reported(usage).map((message, index) =>
      index === 2 ? { ...message, parts: message.parts.map((part) => ({ ...part, compactedAt: 5_000 })) } : message,
    );
    expect(measured(pruned).source).toBe('estimated');
    const summary = { ...history[0]!, isSummary: true, createdAt: 5_000 };
    expect(measured(reported(usage), target, summary).source).toBe('estimated');
    expect(measured(reported(usage), target, { ...summary, createdAt: 1 }).source).toBe('reported');
  });

  it('measures a message of very many parts', () => {
    const parts = Array.from({ length: 130_000 }, () => text(''));
    const messages = reported({ inputTokens: 2_000, outputTokens: 1 }, [...history, ...storedMessages([{ role: 'user', parts }])]); // prettier-ignore
    expect(measured(messages).source).toBe('reported');
  });
});

describe('scale', () => {
  it('rounds up, so that an estimate is never below', () => {
    expect(scale(10, { tokenFactor: 1.11 })).toBe(12);
    expect(fixedTokens({ ...target, tokenFactor: 1.1 })).toBe(330 + 771);
  });
});
