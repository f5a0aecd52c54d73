import { describe, expect, it } from 'vitest';
import { TooLargeError } from '#server/core/errors';
import type { NewPart } from '#server/core/parts';
import { defaultSettings } from '#server/context/settings/context-settings';
import { mediaTokens } from '#server/context/part-tokens';
import { withTokens } from '#server/context/part-tokens';
import { requireRoom } from '#server/context/context-snapshot';

const settings = { ...defaultSettings, exemptTools: new Set<string>() };

describe('requireRoom', () => {
  it('counts images by the formula of the model, with no factor', () => {
    const content = { mediaType: 'image/png', url: 'https://example.org/a.png', width: 1_600, height: 1_200 };
    const image = withTokens({ type: 'file', content }) satisfies NewPart;
    const [dear, cheap] = ['anthropic/claude-sonnet-4.5', 'google/gemini-2.5-flash'].toSorted(
      (a, b) => mediaTokens(content, b) - mediaTokens(content, a),
    ) as [string, string];
    expect(mediaTokens(content, cheap)).toBeLessThan(mediaTokens(content, dear));
    const check = (modelId: string, tokenFactor: number, count: number) => {
      const target = { modelId, contextWindow: 16_000, maxOutputTokens: 4_000, warning: null, tokenFactor };
      const fixed = { instructions: 0, tools: 0 };
      requireRoom([{ role: 'user', parts: Array(count).fill(image) }], { ...target, fixed }, settings);
    };
    for (const [modelId, tokenFactor] of [
      [dear, 2],
      [cheap, 0.5],
    ] as const) {
      // Usable 12,000, of which a compaction's summary may take 3,000.
      const fitting = Math.floor(9_000 / mediaTokens(content, modelId));
      expect(() => check(modelId, tokenFactor, fitting)).not.toThrow();
      expect(() => check(modelId, tokenFactor, fitting + 1)).toThrow(TooLargeError);
    }
  });

  it('counts an attached text by its stored count and factor, and an unseen image by its line', () => {
    const target = { modelId: 'a/b', contextWindow: 16_000, maxOutputTokens: 4_000, warning: null, tokenFactor: 1.5 };
    const room = { ...target, acceptsImages: false, fixed: { instructions: 0, tools: 0 } };
    const notes = (tokens: number): NewPart => ({
      type: 'file',
      content: { mediaType: 'text/plain', url: '@blob:blb_1', size: 10 },
      tokens,
    });
    const check = (...parts: NewPart[]) => requireRoom([{ role: 'user', parts }], room, settings);
    // Usable 12,000, of which a compaction's summary may take 3,000.
    expect(() => check(notes(6_000))).not.toThrow();
    expect(() => check(notes(6_001))).toThrow(TooLargeError);
    const image: NewPart = { type: 'file', content: { mediaType: 'image/png', url: '@blob:blb_2' } };
    expect(() => check(notes(5_000), ...Array.from({ length: 10 }, () => image))).not.toThrow();
  });
});
