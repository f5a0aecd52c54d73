import { describe, expect, it } from 'vitest';
import { fetchPublishedModels, indexPublishedModels, storedModelsSchema } from '#server/models/published-models';
import { openRouterRow, startFakeModelServer } from '#tests/support/fake-model-server';

async function read(json: unknown) {
  await using server = await startFakeModelServer({ 'GET /api/v1/models': { json } });
  return await fetchPublishedModels(`${server.url}/api/v1/`, 'sk-or-1');
}

describe('fetchPublishedModels', () => {
  it('reads window, output and prices per million tokens', async () => {
    const models = await read({ data: [openRouterRow('vendor/model', 200_000)] });
    expect(models).toEqual([
      {
        id: 'vendor/model',
        alias: 'vendor/model-20260101',
        name: 'Name of vendor/model',
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        prices: { input: 3, output: 15, cacheRead: null, cacheWrite: null },
        acceptsImages: false,
      },
    ]);
    expect(storedModelsSchema.parse(JSON.parse(JSON.stringify(models)))).toEqual(models);

    const pricing = {
      prompt: '0.000003',
      completion: '0.000015',
      input_cache_read: '0.0000003',
      input_cache_write: null,
    };
    expect(await read({ data: [openRouterRow('vendor/model', 200_000, { pricing })] })).toMatchObject([
      { prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: null } },
    ]);
  });

  it('knows a list that was stored before it told of images, and a model that sees them', async () => {
    const { acceptsImages: _, ...stored } = (await read({ data: [openRouterRow('a/b', 8_000)] }))[0]!;
    expect(storedModelsSchema.parse([stored])).toMatchObject([{ id: 'a/b', acceptsImages: null }]);
    const architecture = { input_modalities: ['text', 'image', 'file'] };
    expect(await read({ data: [openRouterRow('a/b', 8_000, { architecture })] })).toMatchObject([
      { acceptsImages: true },
    ]);
  });

  it('takes the smaller window of model and host', async () => {
    const top = { context_length: 32_000, max_completion_tokens: 128_000, is_moderated: false };
    const models = await read({ data: [openRouterRow('a/b', 128_000, { top_provider: top })] });
    expect(models).toMatchObject([{ contextWindow: 32_000, maxOutputTokens: 32_000 }]);
  });

  it.each([
    ['no maximum output', { top_provider: { context_length: 8_000, max_completion_tokens: null } }, 'maxOutputTokens'],
    ['an absurd one', { top_provider: { context_length: 8_000, max_completion_tokens: 1e12 } }, 'maxOutputTokens'],
    ['no host', { top_provider: null }, 'maxOutputTokens'],
    ['prices that depend', { pricing: { prompt: '-1', completion: '-1' } }, 'prices'],
    ['no prices', { pricing: undefined }, 'prices'],
    ['prices as numbers', { pricing: { prompt: 3, completion: 15 } }, 'prices'],
    ['no alias', { canonical_slug: undefined }, 'alias'],
    ['no kinds of input', { architecture: undefined }, 'acceptsImages'],
    ['kinds of input that are none', { architecture: { input_modalities: 'image' } }, 'acceptsImages'],
  ] as const)('does without where a row has %s', async (_, more, field) => {
    expect(await read({ data: [openRouterRow('a/b', 8_000, more)] })).toMatchObject([
      { contextWindow: 8_000, [field]: null },
    ]);
  });

  it('drops rows that cannot be true and keeps the others', async () => {
    const absurd = [0, -1, '8000', 1e12, 12.5, null, {}].map((length, i) => openRouterRow(`a/absurd-${i}`, length));
    const broken = [null, 7, 'text', [], { id: 5 }, openRouterRow('has spaces', 8_000), openRouterRow('', 8_000)];
    const models = await read({ data: [...absurd, ...broken, openRouterRow('a/good', 8_000)] });
    expect(models.map(({ id }) => id)).toEqual(['a/good']);
  });

  it.each([null, [], {}, { data: {} }, { data: [] }, { data: [1, 2] }, { error: 'x' }, 'text'])(
    'refuses %j as no list at all',
    async (json) => {
      await expect(read(json)).rejects.toThrow();
    },
  );
});

describe('indexPublishedModels', () => {
  it('finds a model by id, alias, variant and release, the most exact first', async () => {
    const rows = ['a/model-4.5', 'a/model-4.5:free', 'a/other-2024-11-20'].map((id, i) =>
      openRouterRow(id, (i + 1) * 10_000, i === 1 ? { canonical_slug: 'a/model-4.5-20260101' } : {}),
    );
    const find = indexPublishedModels(await read({ data: rows }));
    expect(find('a/model-4-5')?.contextWindow).toBe(10_000);
    expect(find('a/model-4.5:free')?.contextWindow).toBe(20_000);
    expect(find('a/model-4.5:thinking')?.contextWindow).toBe(10_000);
    expect(find('a/model-4.5-20250101')?.contextWindow).toBe(10_000);
    expect(find('a/other-2024-11-20')?.contextWindow).toBe(30_000);
    expect(find('b/model-4.5')).toBeNull();
    expect(find('__proto__')).toBeNull();
  });
});
