import { describe, expect, it } from 'vitest';
import { knownModels } from '#server/models/known-models';
import { findKnownModel, findLimits } from '#server/models/model-limits';

describe('findLimits', () => {
  it.each([
    ['openai/gpt-4o', 128_000],
    ['gpt-4o', 128_000],
    ['GPT-4o', 128_000],
    ['openai/gpt-4o-2024-11-20', 128_000],
    ['gpt-4-32k-0314', 32_768],
    ['qwen/qwen-2.5-72b-instruct', 32_768],
    ['anthropic/claude-sonnet-4', 200_000],
    ['anthropic/claude-sonnet-4:beta', 200_000],
    ['anthropic/claude-3.7-sonnet:thinking', 200_000],
    ['claude-sonnet-4-20250514', 200_000],
    ['claude-sonnet-4@20250514', 200_000],
    ['claude-opus-4-5-20251101', 200_000],
    ['claude-3-5-sonnet-latest', 200_000],
    ['google/gemini-2.5-pro', 1_048_576],
    ['meta-llama/llama-3.3-70b-instruct:free', 131_072],
    ['throughline/offline', 128_000],
  ])('knows %s', (id, contextWindow) => {
    expect(findLimits(id)).toMatchObject({ contextWindow, known: true });
  });

  it('keeps versions of a family apart', () => {
    expect(findKnownModel('gpt-4')?.id).toBe('openai/gpt-4');
    expect(findKnownModel('gpt-4.1')?.id).toBe('openai/gpt-4.1');
    expect(findKnownModel('claude-opus-4')?.id).toBe('anthropic/claude-opus-4');
    expect(findKnownModel('claude-opus-4-1')?.id).toBe('anthropic/claude-opus-4.1');
  });

  it.each(['nobody/none', 'local/gpt-4o', 'other-vendor/gpt-4o', 'constructor', ''])('is cautious with %j', (id) => {
    expect(findLimits(id)).toEqual({
      contextWindow: 16_000,
      maxOutputTokens: 4_096,
      prices: null,
      tokenFactor: 1.1,
      known: false,
    });
  });

  it('counts for OpenAI as it is and adds a margin for others', () => {
    expect(findLimits('gpt-4o').tokenFactor).toBe(1);
    expect(findLimits('throughline/offline').tokenFactor).toBe(1);
    expect(findLimits('claude-sonnet-4').tokenFactor).toBe(1.1);
  });
});

describe('knownModels', () => {
  it('has sane figures and no id twice', () => {
    expect(new Set(knownModels.map((model) => model.id)).size).toBe(knownModels.length);
    for (const model of knownModels) {
      expect(model.maxOutputTokens, model.id).toBeLessThanOrEqual(model.contextWindow);
      expect(model.prices.output, model.id).toBeGreaterThanOrEqual(model.prices.input);
      expect(findKnownModel(model.id), model.id).toBe(model);
      expect(findKnownModel(model.id.split('/')[1] ?? ''), model.id).toBe(model);
    }
  });
});
