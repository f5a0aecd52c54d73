import { describe, expect, it } from 'vitest';
import { fileCost, unseenImage } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';

const image = {
  mediaType: 'image/png',
  url: '@blob:blb_1',
  filename: 'kiln.png',
  size: 900,
  width: 1_024,
  height: 1_024,
};
const notes = { mediaType: 'text/markdown', url: '@blob:blb_2', filename: 'notes.md', size: 3_000 };
const GPT = 'openai/gpt-4o';

describe('what a file costs', () => {
  it('is by its pixels for a model that sees images, whatever its bytes', () => {
    expect(fileCost({ content: image }, GPT)).toEqual({ text: 0, media: 765 });
    expect(fileCost({ content: { ...image, size: 4_000_000 } }, GPT)).toEqual({ text: 0, media: 765 });
  });

  it('is the line that stands for an image where the model sees none', () => {
    const line = '[Image attached: kiln.png, 1024 x 1024; this model cannot see images]';
    expect(unseenImage({ content: image }, false)).toBe(line);
    expect(fileCost({ content: image }, GPT, false)).toEqual({ text: countTokens(line), media: 0 });
  });

  it('is the line that stands for an old image that left the view', () => {
    const cleared = { id: 'prt_1', content: image, tokens: 9, compactedAt: 5 };
    const line = '[Image attached: kiln.png, 1024 x 1024; no longer shown; recall_output id: prt_1 shows it again]';
    expect(unseenImage(cleared, true)).toBe(line);
    expect(fileCost(cleared, GPT)).toEqual({ text: countTokens(line), media: 0 });
    expect(unseenImage(cleared, false)).toBe(unseenImage({ content: image }, false));
    const elsewhere = { ...cleared, content: { ...image, url: 'https://example.com/a.png' } };
    expect(unseenImage(elsewhere, true)).toContain('ask the user for it where it is needed');
  });

  it('is the count of a text, which is sent as text to every model', () => {
    expect(unseenImage({ content: notes }, false)).toBeNull();
    for (const sees of [true, false]) {
      expect(fileCost({ content: notes, tokens: 700 }, GPT, sees)).toEqual({ text: 700, media: 0 });
    }
    expect(fileCost({ content: notes }, GPT)).toEqual({ text: 1_000, media: 0 });
  });

  it('is media for files that go to the provider as they are', () => {
    const data = { mediaType: 'text/plain', url: 'data:text/plain;base64,aGVsbG8=' };
    expect(fileCost({ content: data, tokens: 700 }, GPT).text).toBe(0);
    expect(fileCost({ content: data }, GPT, false).media).toBeGreaterThan(0);
  });
});
