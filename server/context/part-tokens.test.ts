import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { countPartTokens, withTokens } from '#server/context/part-tokens';
import { fileCost, mediaTokens, unseenImage, withMediaSize } from '#server/context/media-tokens';
import { countTokens } from '#server/context/tokens';
import { anyCharacter } from '#tests/support/any-character';

const call = (toolCallId: string, input = {}) =>
  ({ type: 'tool-call', content: { toolCallId, toolName: 'get_content', input } }) as const;

describe('countPartTokens', () => {
  it('counts a text as its tokens and a step start as nothing', () => {
    const text = 'Publish the pricing page.';
    expect(countPartTokens({ type: 'text', content: { text } })).toBe(countTokens(text));
    expect(countPartTokens({ type: 'step-start', content: {} })).toBe(0);
  });

  it('counts ids of usual length alike and longer ones in full', () => {
    const usual = countPartTokens(call('call_1'));
    expect(countPartTokens(call('toolu_01Xh4mYhYYFVfQTjNjS6YVnr'))).toBe(usual);
    expect(countPartTokens(call('7f3k9q'.repeat(80)))).toBeGreaterThan(usual + 100);
  });
});

describe('withTokens', () => {
  it('counts an image by its pixels, which it stores, and not by its base64', () => {
    const bytes = Buffer.alloc(600_000);
    bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
    bytes.write('IHDR', 12);
    bytes.writeUInt32BE(600, 16);
    bytes.writeUInt32BE(500, 20);
    const url = `data:image/png;base64,${bytes.toString('base64')}`;
    const part = withTokens({ type: 'file', content: { mediaType: 'image/png', url } });
    expect(part).toMatchObject({ tokens: 400, content: { width: 600, height: 500, url } });
  });

  it('keeps everything else of a part', () => {
    const part = { ...call('call_1'), state: 'pending' } as const;
    expect(withTokens(part)).toEqual({ ...part, tokens: countPartTokens(part) });
  });
});

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

describe('the cost of a file', () => {
  it('depends on its pixels for a model that sees images, not on its bytes', () => {
    expect(fileCost({ content: image }, GPT)).toEqual({ text: 0, media: 765 });
    expect(fileCost({ content: { ...image, size: 4_000_000 } }, GPT)).toEqual({ text: 0, media: 765 });
  });

  it('is the placeholder line of an image for a model without images', () => {
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

  it('is counted as media for files that are sent to the provider unchanged', () => {
    const data = { mediaType: 'text/plain', url: 'data:text/plain;base64,aGVsbG8=' };
    expect(fileCost({ content: data, tokens: 700 }, GPT).text).toBe(0);
    expect(fileCost({ content: data }, GPT, false).media).toBeGreaterThan(0);
  });
});

const PNG_3_BY_2 =
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWNYFaoEQQxwFgBHAAbH2jr4tQAAAABJRU5ErkJggg==';

describe('withMediaSize', () => {
  it('reads the pixels of an image in a data URL and keeps everything else', () => {
    const file = { mediaType: 'image/png', filename: 'dot.png', url: `data:image/png;base64,${PNG_3_BY_2}` };
    expect(withMediaSize(file)).toEqual({ ...file, width: 3, height: 2 });
  });

  it('believes the bytes, not the media type or a size that came along', () => {
    const file = { mediaType: 'image/jpeg', url: `data:image/jpeg;base64,${PNG_3_BY_2}` };
    expect(withMediaSize({ ...file, width: 9_000, height: 9_000 })).toEqual({ ...file, width: 3, height: 2 });
  });

  it('counts the pages of a PDF, not its page tree', () => {
    const tree = '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>';
    const pages = ['<< /Type /Page /Parent 2 0 R >>', '<</Type/Page/Parent 2 0 R>>', '<< /Type  /Page>>'];
    expect(withMediaSize(pdf([tree, ...pages].join('\n'))).pages).toBe(3);
  });

  it('leaves out what it cannot read: web addresses, other formats, compressed page trees', () => {
    const files = [
      { mediaType: 'image/png', url: 'https://example.com/photo.png' },
      { mediaType: 'image/svg+xml', url: 'data:image/svg+xml,%3Csvg/%3E' },
      { mediaType: 'image/avif', url: `data:image/avif;base64,${Buffer.alloc(100).toString('base64')}` },
      pdf('%PDF-1.7 stream ... endstream'),
      { mediaType: 'text/plain', url: 'data:text/plain;base64,SGVsbG8=' },
    ];
    for (const file of files) expect(withMediaSize(file)).toEqual(file);
  });

  it('takes any file at all, and the same one twice, alike', () => {
    const anyFile = fc.record({
      mediaType: fc.constantFrom('image/png', 'application/pdf', 'text/plain', ''),
      url: fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => `data:x;base64,${Buffer.from(bytes).toString('base64')}`),
        fc.string().map((text) => `data:;base64,${text}`),
      ),
    });
    fc.assert(
      fc.property(anyFile, (file) => {
        const sized = withMediaSize(file);
        expect(sized).toMatchObject(file);
        expect(withMediaSize(sized)).toEqual(sized);
      }),
    );
  });

  it('bounds the pages that a file may claim', () => {
    expect(withMediaSize(pdf('/Type /Page '.repeat(5_000))).pages).toBe(2_000);
  });
});

function pdf(text: string) {
  return {
    mediaType: 'application/pdf',
    url: `data:application/pdf;base64,${Buffer.from(text).toString('base64')}`,
  };
}

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
    expect(mediaTokens({ ...picture(), width, height }, modelId)).toBe(tokens);
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

  it('stays within what a provider charges at most, and a larger image costs no less', () => {
    const side = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        side,
        side,
        fc.integer({ min: 1, max: 8 }),
        (modelId, width, height, by) => {
          const tokens = mediaTokens({ ...picture(), width, height }, modelId);
          expect(Number.isInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThan(0);
          expect(tokens).toBeLessThanOrEqual(50_000);
          const larger = mediaTokens({ ...picture(), width: width * by, height: height * by }, modelId);
          expect(larger).toBeGreaterThanOrEqual(tokens * 0.98);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('guesses the pages of a PDF it could not read by its bytes, within limits', () => {
    const sized = (bytes: number) => ({
      mediaType: 'application/pdf',
      url: `data:application/pdf;base64,${'A'.repeat((bytes * 4) / 3)}`,
    });
    expect(mediaTokens(sized(300), 'google/gemini-2.5-pro')).toBe(258);
    expect(mediaTokens(sized(600_000), 'google/gemini-2.5-pro')).toBe(258 * 12);
    expect(mediaTokens(sized(6_000_000), 'google/gemini-2.5-pro')).toBe(258 * 100);
    expect(mediaTokens({ mediaType: 'application/pdf', url: 'https://example.com/a.pdf' }, null)).toBe(1_500);
  });

  it('counts a text file by its bytes and anything else by a fixed guess', () => {
    const url = `data:text/csv;base64,${'A'.repeat(4_000)}`;
    expect(mediaTokens({ mediaType: 'text/csv', url }, 'openai/gpt-4o')).toBe(1_000);
    expect(mediaTokens({ mediaType: 'application/json', url: 'data:application/json,%7B%7D' }, null)).toBe(2);
    expect(mediaTokens({ mediaType: 'audio/mpeg', url }, null)).toBe(1_600);
  });
});

function picture(bytes = 100) {
  return { mediaType: 'image/png', url: `data:image/png;base64,${'A'.repeat(bytes)}` };
}
