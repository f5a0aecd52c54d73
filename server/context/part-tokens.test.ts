import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { countPartTokens, toolResultTokens, withTokens } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';

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

  it('counts more for more input or output', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 50 }), (words) => {
        expect(countPartTokens(call('call_1', { words }))).toBeGreaterThan(countPartTokens(call('call_1')));
        expect(toolResultTokens('call_1', words)).toBe(toolResultTokens('call_1', '') + countTokens(words));
      }),
    );
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
