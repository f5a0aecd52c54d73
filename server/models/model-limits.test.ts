import { describe, expect, it } from 'vitest';
import { knownModels } from '#server/models/known-models';
import type { PublishedModel } from '#server/models/published-models';
import { findKnownModel, findLimits, findLocalLimits, fitToWindow } from '#server/models/model-limits';

const published = (more: Partial<PublishedModel>): PublishedModel => ({
  id: 'openai/gpt-4o',
  alias: null,
  name: 'GPT-4o',
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  prices: { input: 1, output: 2, cacheRead: null, cacheWrite: null },
  acceptsImages: null,
  ...more,
});

describe('findLimits', () => {
  it.each([
    ['openai/gpt-4o', 128_000],
    ['gpt-4o', 128_000],
    ['GPT-4o', 128_000],
    ['openai/gpt-4o-2024-11-20', 128_000],
    ['anthropic/claude-sonnet-4:beta', 200_000],
    ['anthropic/claude-3.7-sonnet:thinking', 200_000],
    ['claude-sonnet-4@20250514', 200_000],
    ['claude-opus-4-5-20251101', 200_000],
    ['claude-3-5-sonnet-latest', 200_000],
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
      maxOutputTokens: 16_000,
      prices: null,
      tokenFactor: 1.1,
      known: false,
      warning: expect.objectContaining({ code: 'model-window-unknown', params: { model: id, tokens: 16_000 } }),
      acceptsImages: false,
    });
  });

  it('puts what the provider publishes now before the table', () => {
    expect(findLimits('openai/gpt-4o', published({ contextWindow: 64_000, maxOutputTokens: 8_000 }))).toEqual({
      contextWindow: 64_000,
      maxOutputTokens: 8_000,
      prices: { input: 1, output: 2, cacheRead: null, cacheWrite: null },
      tokenFactor: 1,
      known: true,
      warning: null,
      acceptsImages: true,
    });
  });

  it('takes missing values from the table; an unknown model is limited by the window alone', () => {
    const silent = published({ contextWindow: 64_000, maxOutputTokens: null, prices: null });
    expect(findLimits('openai/gpt-4o', silent)).toMatchObject({
      maxOutputTokens: 16_384,
      prices: { input: 2.5, output: 10 },
    });
    const foreign = { ...silent, id: 'new-vendor/new' };
    expect(findLimits('new-vendor/new', { ...foreign, contextWindow: 20_000 })).toEqual({
      contextWindow: 20_000,
      maxOutputTokens: 20_000,
      prices: null,
      tokenFactor: 1.1,
      known: true,
      warning: null,
      acceptsImages: false,
    });
  });

  it.each([
    ['openai/gpt-4o', null, true],
    ['anthropic/claude-sonnet-4:beta', null, true],
    ['throughline/offline', null, false],
    ['openai/gpt-4o', false, false],
    ['openai/gpt-4', true, true],
    ['new-vendor/new', true, true],
  ])('knows whether %s accepts images if its provider reports %j: %j', (id, told, sees) => {
    expect(findLimits(id, published({ id, acceptsImages: told })).acceptsImages).toBe(sees);
    if (told === null) expect(findLimits(id).acceptsImages).toBe(sees);
  });

  it("uses OpenAI's counts unchanged and adds a margin for others", () => {
    expect(findLimits('gpt-4o').tokenFactor).toBe(1);
    expect(findLimits('throughline/offline').tokenFactor).toBe(1);
    expect(findLimits('claude-sonnet-4').tokenFactor).toBe(1.1);
  });
});

describe('findLocalLimits', () => {
  it('goes by the length that the server loaded the model with', () => {
    const model = { name: 'gpt-4o', loadedContext: 4_096, longestContext: 131_072 };
    expect(findLocalLimits('local/gpt-4o', model)).toEqual({
      contextWindow: 4_096,
      maxOutputTokens: 4_096,
      prices: null,
      tokenFactor: 1.1,
      known: true,
      warning: null,
      acceptsImages: false,
    });
  });

  it.each([
    [131_072, 16_000],
    [null, 16_000],
    [8_192, 8_192],
  ])('is cautious and warns while a model of %j tokens is not loaded', (longestContext, contextWindow) => {
    const limits = findLocalLimits('local/m', { name: 'm', loadedContext: null, longestContext, isUnloaded: true });
    expect(limits).toMatchObject({ contextWindow, known: false });
    expect(limits.warning?.text).toContain('has not loaded local/m yet');
  });

  it('sees images if its server reports that', () => {
    const model = { name: 'llava', loadedContext: 4_096, longestContext: null };
    expect(findLocalLimits('local/llava', { ...model, acceptsImages: true }).acceptsImages).toBe(true);
    expect(findLocalLimits('local/llava', { ...model, loadedContext: null, acceptsImages: true }).acceptsImages).toBe(
      true,
    );
  });

  it('is cautious with a model that the server does not tell about', () => {
    expect(findLocalLimits('local/gpt-4o', null)).toEqual(findLimits('local/gpt-4o'));
  });
});

describe('fitToWindow', () => {
  it.each([
    [128_000, 16_000, 8_000, 8_000],
    [128_000, 16_000, 200_000, 16_000],
    [128_000, null, undefined, 128_000],
    [128_000, null, 8_000, 8_000],
    [128_000, null, 200_000, 200_000],
  ])('of a window of %d and an output of %j, set to %j, leaves an answer %d', (window, output, set, fitting) => {
    const limits = findLimits('a/b', published({ id: 'a/b', contextWindow: window, maxOutputTokens: output }));
    expect(fitToWindow(limits, set).maxOutputTokens).toBe(fitting);
  });

  it('takes a configured window as known', () => {
    expect(fitToWindow(findLimits('nobody/none'), 50_000)).toMatchObject({
      contextWindow: 50_000,
      known: true,
      warning: null,
    });
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
