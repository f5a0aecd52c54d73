import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { createSummarizer } from '#server/conversation/step/session-context';
import { defaultSettings } from '#server/context/settings/context-settings';
import { countTokens } from '#server/context/tokens';
import type { OpenedModel } from '#server/models/model-registry';

describe('createSummarizer', () => {
  it.each([
    ['openai/gpt-4', 'cl100k_base'],
    ['openai/gpt-4o', 'o200k_base'],
  ] as const)('counts what %s reads in its own vocabulary', (id, vocabulary) => {
    const limits = { contextWindow: 8_192, maxOutputTokens: 4_096, tokenFactor: 1 };
    const model = { id, model: new MockLanguageModelV4(), limits } as unknown as OpenedModel;
    const { count } = createSummarizer(model, { ...defaultSettings, exemptTools: new Set() }, 1);
    const text = '窯はまだ温かく、棚の上の器はどれも手で作られた。'.repeat(20);
    expect(count?.(text)).toBe(countTokens(text, vocabulary));
    expect(countTokens(text, 'cl100k_base')).toBeGreaterThan(countTokens(text, 'o200k_base') * 1.1);
  });

  it('requests no more than its window holds, however cheap earlier requests were', async () => {
    const model = new MockLanguageModelV4({ doGenerate: () => Promise.reject(new Error('not now')) });
    const limits = { contextWindow: 8_000, maxOutputTokens: 8_000, tokenFactor: 1 };
    const resolved = { id: 'openai/gpt-4o', model, limits } as unknown as OpenedModel;
    const writer = createSummarizer(resolved, { ...defaultSettings, exemptTools: new Set() }, 0.6);
    const transcript = 'The kiln is warm. '.repeat(700);
    await expect(
      writer.summarize({ transcript, maxTokens: 900, instructions: undefined, problem: undefined, signal: undefined }),
    ).rejects.toThrow('not now');
    const [call] = model.doGenerateCalls;
    const sent = countTokens(JSON.stringify(call?.prompt), 'o200k_base');
    expect(sent + (call?.maxOutputTokens ?? Infinity)).toBeLessThanOrEqual(8_000);
  });
});
