import { describe, expect, it } from 'vitest';
import { InvalidInputError, UnknownModelError } from '#server/core/errors';
import { InvalidEnvironmentError, parseEnv } from '#server/platform/config/env';
import { emptyCatalog, type ModelCatalog } from '#server/models/model-catalog';
import { indexPublishedModels } from '#server/models/published-models';
import { knownModels } from '#server/models/known-models';
import { createModelRegistry } from '#server/models/model-registry';
import { recommendedAmong } from '#server/models/recommended';

const bill = { userId: 'usr_1', sessionId: null, kind: 'chat' } as const;
const registry = (variables: Record<string, string> = {}) => createModelRegistry(parseEnv(variables));
const withOpenRouter = { OPENROUTER_API_KEY: 'sk-or-test' };
const withLocal = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1234/v1' };

describe('resolve', () => {
  it('serves the basic assistant when nothing is configured', () => {
    const { id, open, limits } = registry().resolve();
    expect(id).toBe('throughline/offline');
    expect(open(bill).specificationVersion).toBe('v4');
    expect(limits).toMatchObject({ contextWindow: 128_000, maxOutputTokens: 4_096, known: true });
  });

  it('serves any vendor/name by OpenRouter once there is a key', () => {
    const models = registry(withOpenRouter);
    expect(models.defaultModelId).toBe('anthropic/claude-sonnet-5.5');
    const release = models.resolve('openai/gpt-4o-2024-11-20');
    expect(release).toMatchObject({
      id: 'openai/gpt-4o-2024-11-20',
      limits: { contextWindow: 128_000, known: true },
    });
    expect(release.open(bill)).toMatchObject({ provider: 'openrouter', modelId: 'openai/gpt-4o-2024-11-20' });
    expect(models.resolve('new-vendor/new-model').limits).toMatchObject({ contextWindow: 16_000, known: false });
  });

  it('completes the bare name of a known model', () => {
    expect(registry(withOpenRouter).resolve('claude-sonnet-4-20250514').id).toBe('anthropic/claude-sonnet-4');
  });

  it('serves local models by the OpenAI-compatible server, with a cautious window', () => {
    const { open, limits } = registry(withLocal).resolve('local/gpt-4o');
    expect(open(bill)).toMatchObject({ modelId: 'gpt-4o', provider: 'local.chat' });
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

  it('replaces every window and larger outputs with CONTEXT_WINDOW', () => {
    const models = registry({ ...withOpenRouter, CONTEXT_WINDOW: '6000' });
    expect(models.resolve('throughline/offline').limits).toMatchObject({
      contextWindow: 6_000,
      maxOutputTokens: 4_096,
    });
    expect(models.limits('gpt-4o')).toMatchObject({ contextWindow: 6_000, maxOutputTokens: 6_000 });
    expect(models.limits('new-vendor/new-model').contextWindow).toBe(6_000);
    for (const choice of models.list()) expect(choice.contextWindow).toBe(6_000);
  });
});

describe('limits published by providers', () => {
  const catalog: ModelCatalog = {
    ...emptyCatalog,
    published: indexPublishedModels([
      {
        id: 'new-vendor/new-model',
        alias: null,
        name: 'New Model',
        contextWindow: 300_000,
        maxOutputTokens: 300_000,
        prices: null,
        acceptsImages: true,
      },
    ]),
    local: (name) => (name === 'llama' ? { name, loadedContext: 8_192, longestContext: null } : null),
    localNames: () => ['llama'],
  };
  const create = (modelWindowOverrides: () => Record<string, number> = () => ({})) =>
    createModelRegistry(
      parseEnv({ ...withOpenRouter, ...withLocal, COMPACTION_MODEL: 'new-vendor/new-model' }),
      {},
      {
        catalog,
        settings: () => ({
          defaultModel: '__auto__',
          compactionModel: 'new-vendor/new-model',
          pictureModel: '__same__',
          modelWindowOverrides: modelWindowOverrides(),
          shareLocalModels: false,
          localParallelRequests: 0,
        }),
      },
    );

  it('is what their limits are, and names the models that may be chosen', () => {
    const models = create();
    expect(models.limits('new-vendor/new-model')).toMatchObject({ contextWindow: 300_000, maxOutputTokens: 300_000 });
    expect(models.resolve('local/llama').limits).toMatchObject({ contextWindow: 8_192, known: true });
    expect(models.limits('local/other').known).toBe(false);
    expect(models.list().map(({ id }) => id)).toContain('local/llama');
    expect(models.list()).toContainEqual(expect.objectContaining({ id: 'new-vendor/new-model', name: 'New Model' }));
  });

  it('ranks below the settings, which apply immediately', () => {
    let overrides: Record<string, number> = {};
    const models = create(() => overrides);
    expect(models.limits('gpt-4o').contextWindow).toBe(128_000);
    overrides = { 'openai/gpt-4o': 20_000, 'local/llama': 4_000, 'local/other': 5_000, 'a/b': 6_000 };
    expect(models.limits('gpt-4o')).toMatchObject({ contextWindow: 20_000, maxOutputTokens: 16_384 });
    expect(models.limits('openai/gpt-4o-2024-11-20').contextWindow).toBe(20_000);
    expect(models.limits('openai/gpt-4').contextWindow).toBe(8_192);
    expect(models.limits('local/llama').contextWindow).toBe(4_000);
    expect(models.limits('local/other')).toMatchObject({ contextWindow: 5_000, known: true, warning: null });
    expect(models.limits('a/b')).toMatchObject({ contextWindow: 6_000, known: true });
    expect(models.limits('toString/valueOf').known).toBe(false);
  });

  it('comes after a window for one model, and after one for all', () => {
    const models = registry({
      ...withOpenRouter,
      CONTEXT_WINDOW: '6000',
      CONTEXT_MODEL_WINDOWS: 'openai/gpt-4o=9000',
    });
    expect(models.limits('gpt-4o').contextWindow).toBe(9_000);
    expect(models.limits('openai/gpt-4').contextWindow).toBe(6_000);
  });
});

describe('list', () => {
  it('offers what can be resolved, the basic assistant first', () => {
    expect(registry().list()).toMatchObject([
      { id: 'throughline/offline', name: 'Basic assistant', provider: 'built-in', known: true, warning: null },
    ]);
    const models = registry({ ...withOpenRouter, ...withLocal, DEFAULT_MODEL: 'local/llama' });
    const choices = models.list();
    expect(choices[0]?.id).toBe('throughline/offline');
    expect(choices.find(({ id }) => id === 'local/llama')).toMatchObject({
      provider: 'openai-compatible',
      contextWindow: 16_000,
      known: false,
      warningMessage: { code: 'model-window-unknown', params: { model: 'local/llama', tokens: 16_000 } },
    });
    for (const choice of choices) expect(models.resolve(choice.id).id).toBe(choice.id);
  });
});

describe('configuration', () => {
  it('stops the start when a configured model has no provider, and says which variable is wrong', () => {
    expect(() => registry({ DEFAULT_MODEL: 'openai/gpt-4o' })).toThrow(InvalidEnvironmentError);
    expect(() => registry({ COMPACTION_MODEL: 'local/llama' })).toThrow(/COMPACTION_MODEL names "local\/llama"/);
  });
});

describe('the price of a turn', () => {
  const turn = { inputTokens: 100_000, outputTokens: 1_000, cacheReadTokens: 50_000 };
  const priceOf = (id: string, env: Record<string, string>) =>
    registry(env)
      .list()
      .find((choice) => choice.id === id)
      ?.priceOf(turn);

  it('uses the price list with cached input; local models cost nothing', () => {
    // 50,000 at 3, 50,000 at 0.3 and 1,000 at 15 dollars a million.
    expect(priceOf('anthropic/claude-sonnet-4.5', withOpenRouter)).toBeCloseTo(0.18, 6);
    expect(priceOf('throughline/offline', withOpenRouter)).toBe(0);
    expect(priceOf('local/llama', { ...withLocal, DEFAULT_MODEL: 'local/llama' })).toBe(0);
    expect(priceOf('new-vendor/new-model', { ...withOpenRouter, DEFAULT_MODEL: 'new-vendor/new-model' })).toBeNull();
  });
});

it('recommends one model for each purpose, of those that are served', () => {
  const served = ['openai/gpt-5.5', 'openai/gpt-5-mini', 'google/gemini-3.8-flash', 'google/gemini-2.5-flash'];
  expect([...recommendedAmong((id) => served.includes(id))]).toEqual([
    ['openai/gpt-5.5', 'best'],
    ['google/gemini-3.8-flash', 'balanced'],
    ['openai/gpt-5-mini', 'cheap'],
  ]);
  // Each of them is one that we know.
  const known = new Set(knownModels.map(({ id }) => id));
  expect([...recommendedAmong(() => true).keys()].every((id) => known.has(id))).toBe(true);
});
