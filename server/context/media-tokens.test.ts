import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { mediaTokens } from '#server/context/part-tokens';

const models = [
  'openai/gpt-4o',
  'openai/gpt-4o-mini',
  'openai/gpt-5',
  'openai/gpt-5-mini',
  'openai/gpt-5.5',
  'openai/o3',
  'anthropic/claude-sonnet-4.5',
  'anthropic/claude-opus-4.8',
  'google/gemini-2.5-pro',
  'google/gemini-3.1-pro-preview',
  'qwen/qwen3-vl',
  null,
];

describe('mediaTokens', () => {
  it.each([
    // The examples of OpenAI's guide.
    ['openai/gpt-4o', 1_024, 1_024, 765],
    ['openai/gpt-4o', 2_048, 4_096, 1_105],
    ['gpt-4o-2024-11-20', 512, 512, 255],
    ['openai/gpt-4.1-mini', 1_024, 1_024, 1_659],
    ['openai/gpt-5', 1_024, 1_024, 630],
    ['openai/o3', 1_024, 1_024, 675],
    // The examples of Anthropic's guide; and what larger images are scaled to, before and after Opus 4.7.
    ['anthropic/claude-sonnet-4.5', 200, 200, 54],
    ['claude-sonnet-4-5-20250929', 1_000, 1_000, 1_334],
    ['anthropic/claude-3.5-haiku:beta', 4_000, 3_000, 1_600],
    ['anthropic/claude-opus-4.8', 4_000, 3_000, 4_784],
    ['anthropic/claude-sonnet-5', 1_000, 1_000, 1_334],
    // Google's: small, in tiles, fixed.
    ['google/gemini-2.5-flash', 384, 384, 258],
    ['google/gemini-2.5-flash', 1_536, 768, 516],
    ['google/gemini-3.8-flash', 4_000, 3_000, 1_120],
    // Unknown models and the model-neutral count.
    ['some/model', 1_000, 1_000, 1_334],
    [null, 8_000, 6_000, 1_600],
  ])('counts an image for %s of %i x %i pixels as %i tokens', (modelId, width, height, tokens) => {
    expect(mediaTokens({ ...image(), width, height }, modelId)).toBe(tokens);
  });

  it.each([
    ['anthropic/claude-sonnet-4.5', 30_000],
    ['openai/gpt-4o', 16_000],
    ['google/gemini-2.5-pro', 2_580],
    ['google/gemini-3.1-pro-preview', 5_600],
    [null, 15_000],
  ])('counts ten pages of a PDF for %s as %i tokens', (modelId, tokens) => {
    const file = { mediaType: 'application/pdf', url: 'data:application/pdf;base64,AAAA', pages: 10 };
    expect(mediaTokens(file, modelId)).toBe(tokens);
  });

  it('never looks at the length of an image', () => {
    for (const modelId of models) {
      const small = mediaTokens({ ...image(), width: 300, height: 200 }, modelId);
      expect(mediaTokens({ ...image(2_000_000), width: 300, height: 200 }, modelId)).toBe(small);
      expect(mediaTokens(image(2_000_000), modelId)).toBe(mediaTokens(image(), modelId));
    }
  });

  it('stays within what a provider charges at most, and a larger image costs no less', () => {
    const side = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        side,
        side,
        fc.integer({ min: 1, max: 8 }),
        (modelId, width, height, by) => {
          const tokens = mediaTokens({ ...image(), width, height }, modelId);
          expect(Number.isInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThan(0);
          expect(tokens).toBeLessThanOrEqual(50_000);
          const larger = mediaTokens({ ...image(), width: width * by, height: height * by }, modelId);
          expect(larger).toBeGreaterThanOrEqual(tokens * 0.98);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('guesses the pages of a PDF it could not read by its bytes, within limits', () => {
    const pdf = (bytes: number) => ({
      mediaType: 'application/pdf',
      url: `data:application/pdf;base64,${'A'.repeat((bytes * 4) / 3)}`,
    });
    expect(mediaTokens(pdf(300), 'google/gemini-2.5-pro')).toBe(258);
    expect(mediaTokens(pdf(600_000), 'google/gemini-2.5-pro')).toBe(258 * 12);
    expect(mediaTokens(pdf(30_000_000), 'google/gemini-2.5-pro')).toBe(258 * 100);
    expect(mediaTokens({ mediaType: 'application/pdf', url: 'https://example.com/a.pdf' }, null)).toBe(1_500);
  });

  it('counts a text file by its bytes and anything else by a fixed guess', () => {
    const url = `data:text/csv;base64,${'A'.repeat(4_000)}`;
    expect(mediaTokens({ mediaType: 'text/csv', url }, 'openai/gpt-4o')).toBe(1_000);
    expect(mediaTokens({ mediaType: 'application/json', url: 'data:application/json,%7B%7D' }, null)).toBe(2);
    expect(mediaTokens({ mediaType: 'audio/mpeg', url }, null)).toBe(1_600);
  });
});

function image(bytes = 100) {
  return { mediaType: 'image/png', url: `data:image/png;base64,${'A'.repeat(bytes)}` };
}
