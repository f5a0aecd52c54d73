import { describe, expect, it } from 'vitest';
import { InvalidInputError, UnknownModelError } from '#server/core/errors';
import { InvalidEnvironmentError, parseEnv } from '#server/env';
import { createModelRegistry } from '#server/models/model-registry';

const registry = (variables: Record<string, string> = {}) => createModelRegistry(parseEnv(variables));
const withOpenRouter = { OPENROUTER_API_KEY: 'sk-or-test' };
const withLocal = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1234/v1' };

describe('resolve', () => {
  it('serves the offline assistant when nothing is configured', () => {
    const { id, model, limits } = registry().resolve();
    expect(id).toBe('throughline/offline');
    expect(model.specificationVersion).toBe('v4');
    expect(limits).toMatchObject({ contextWindow: 128_000, maxOutputTokens: 4_096, known: true });
  });

  it('serves any vendor/name by OpenRouter once there is a key', () => {
    const models = registry(withOpenRouter);
    expect(models.defaultModelId).toBe('anthropic/claude-sonnet-5.5');
    expect(models.resolve('openai/gpt-4o-2024-11-20')).toMatchObject({
      id: 'openai/gpt-4o-2024-11-20',
      model: { provider: 'openrouter', modelId: 'openai/gpt-4o-2024-11-20' },
      limits: { contextWindow: 128_000, known: true },
    });
    expect(models.resolve('new-vendor/new-model').limits).toMatchObject({ contextWindow: 16_000, known: false });
  });

  it('completes the bare name of a known model', () => {
    expect(registry(withOpenRouter).resolve('claude-sonnet-4-20250514').id).toBe('anthropic/claude-sonnet-4');
  });

  it('serves local models by the OpenAI-compatible server, with a cautious window', () => {
    const { model, limits } = registry(withLocal).resolve('local/gpt-4o');
    expect(model).toMatchObject({ modelId: 'gpt-4o', provider: 'local.chat' });
    expect(limits).toMatchObject({ contextWindow: 16_000, known: false });
  });

  it.each([
    ['openai/gpt-4o', {}],
    ['local/llama', {}],
    ['gpt-4o', {}],
    ['never-heard-of-it', withOpenRouter],
    ['throughline/other', { ...withOpenRouter, ...withLocal }],
    ['offline', withOpenRouter],
    ['local/', withLocal],
    ['a/b/c', withOpenRouter],
    ['__proto__', withOpenRouter],
  ])('refuses %s when no configured provider serves it', (id, variables) => {
    expect(() => registry(variables).resolve(id)).toThrow(UnknownModelError);
  });

  it.each(['', 'x'.repeat(201), 'openai/\u0000gpt', 'openai/gpt\n4', 'a/\ud800', 'a/\u202eb', 'a b/c'])(
    'refuses %j as no id at all',
    (id) => {
      expect(() => registry(withOpenRouter).resolve(id)).toThrow(InvalidInputError);
      expect(() => registry(withOpenRouter).limits(id)).toThrow(InvalidInputError);
    },
  );
});

describe('limits', () => {
  it('knows models that no provider serves here', () => {
    expect(registry().limits('claude-sonnet-4').contextWindow).toBe(200_000);
    expect(() => registry().limits('new-vendor/new-model')).toThrow(UnknownModelError);
    expect(registry(withOpenRouter).limits('new-vendor/new-model').known).toBe(false);
  });

  it('puts CONTEXT_WINDOW in the place of every window and never answers with more than half of it', () => {
    const models = registry({ ...withOpenRouter, CONTEXT_WINDOW: '6000' });
    expect(models.resolve('throughline/offline').limits).toMatchObject({
      contextWindow: 6_000,
      maxOutputTokens: 3_000,
    });
    expect(models.limits('gpt-4o')).toMatchObject({ contextWindow: 6_000, maxOutputTokens: 3_000 });
    expect(models.limits('new-vendor/new-model').contextWindow).toBe(6_000);
    for (const choice of models.list()) expect(choice.contextWindow).toBe(6_000);
  });

  it('leaves half of the window to the request where a maximum output equals it', () => {
    expect(registry().limits('qwen-2.5-72b-instruct')).toMatchObject({
      contextWindow: 32_768,
      maxOutputTokens: 16_384,
    });
  });
});

describe('list', () => {
  it('offers what can be resolved, the built-in assistant first', () => {
    expect(registry().list()).toEqual([
      { id: 'throughline/offline', name: 'Offline assistant', contextWindow: 128_000, provider: 'built-in' },
    ]);
    const models = registry({ ...withOpenRouter, ...withLocal, DEFAULT_MODEL: 'local/llama' });
    const choices = models.list();
    expect(choices[0]?.id).toBe('throughline/offline');
    expect(choices).toContainEqual({
      id: 'local/llama',
      name: 'local/llama',
      contextWindow: 16_000,
      provider: 'openai-compatible',
    });
    for (const choice of choices) expect(models.resolve(choice.id).id).toBe(choice.id);
  });
});

describe('configuration', () => {
  it('stops the start when a configured model has no provider, and says which variable is wrong', () => {
    expect(() => registry({ DEFAULT_MODEL: 'openai/gpt-4o' })).toThrow(InvalidEnvironmentError);
    expect(() => registry({ COMPACTION_MODEL: 'local/llama' })).toThrow(/COMPACTION_MODEL names "local\/llama"/);
  });

  it('lets tests put their own model under an id', () => {
    const model = registry().resolve().model;
    const models = createModelRegistry(parseEnv({}), { models: { 'test/fake': model } });
    expect(models.resolve('test/fake').model).toBe(model);
  });
});
