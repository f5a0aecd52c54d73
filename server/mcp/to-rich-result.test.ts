import { describe, expect, it } from 'vitest';
import { toRichResult } from '#server/mcp/mcp-tool';

const convert = (result: object) => toRichResult({ ...result });

describe('toRichResult', () => {
  it('takes texts, pictures and resources, and names what it does not take', () => {
    const { parts, isError } = convert({
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'image', data: 'AQID', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a:1', mimeType: 'text/plain', text: 'Words' } },
        { type: 'resource', resource: { uri: 'a:2', mimeType: 'image/webp', blob: 'AQID' } },
        { type: 'resource', resource: { uri: 'a:3', mimeType: 'application/gzip', blob: 'AQID' } },
        { type: 'resource_link', uri: 'a:4', name: 'Four', description: 'The fourth.' },
        { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
        { type: 'image', data: 7 },
      ],
    });
    expect(isError).toBe(false);
    expect(parts).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'image', data: Buffer.from([1, 2, 3]), mediaType: 'image/png' },
      { type: 'resource', uri: 'a:1', mediaType: 'text/plain', text: 'Words' },
      { type: 'image', data: Buffer.from([1, 2, 3]), mediaType: 'image/webp' },
      { type: 'other', kind: 'binary resource a:3 (application/gzip)' },
      { type: 'resource', uri: 'a:4', title: 'Four: The fourth.' },
      { type: 'other', kind: 'audio (audio/wav)' },
      { type: 'other', kind: 'image' },
    ]);
  });

  it('says structured data once, where a text repeats it', () => {
    const structuredContent = { degrees: 20, sky: 'clear' };
    const texts = ['{"sky":"clear","degrees":20}', 'A fine day.'].map((text) => ({ type: 'text', text }));
    expect(convert({ content: texts, structuredContent })).toMatchObject({
      parts: [{ type: 'text', text: 'A fine day.' }],
      structured: structuredContent,
    });
  });

  it('keeps that it is an error, and the older form of a result', () => {
    expect(convert({ content: [], isError: true }).isError).toBe(true);
    expect(convert({ toolResult: { ok: 1 } })).toMatchObject({ parts: [], structured: { ok: 1 } });
  });
});
