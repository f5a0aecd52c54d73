import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partContentSchemas } from '#server/core/conversation/parts';
import { parseLegacyContent } from '#server/conversation/store/legacy-messages';

const text = (value: string) => ({ type: 'text', content: { text: value } });

describe('parseLegacyContent', () => {
  it.each([
    ['a JSON string', '"Hello"', 'Hello'],
    ['an object with text', '{"text":"Hello"}', 'Hello'],
    ['text that is not JSON', 'Hello [1', 'Hello [1'],
    ['text that happens to be a JSON number', '42', '42'],
    ['the word null', 'null', 'null'],
    ['an object of another shape', '{"a":1}', '{"a":1}'],
    ['nothing', '', ''],
  ])('reads %s', (_, content, expected) => {
    expect(parseLegacyContent(content)).toEqual([text(expected)]);
  });

  it('reads parts of both generations', () => {
    const parts = parseLegacyContent(
      JSON.stringify([
        { type: 'reasoning', text: 'hm' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'get', args: { id: 1 } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'get', input: { id: 2 } },
        { type: 'tool-result', toolCallId: 'a', toolName: 'get', result: { title: 'Home' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'get', output: { type: 'text', value: 'Home' } },
        { type: 'tool-result', toolCallId: 'c', toolName: 'get', result: 'no such page', isError: true },
        { type: 'image', image: 'aGk=', mimeType: 'image/png' },
        { type: 'file', data: 'https://example.com/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
        'plain',
      ]),
    );
    expect(parts).toEqual([
      { type: 'reasoning', content: { text: 'hm' } },
      { type: 'tool-call', content: { toolCallId: 'a', toolName: 'get', input: { id: 1 } } },
      { type: 'tool-call', content: { toolCallId: 'b', toolName: 'get', input: { id: 2 } } },
      result('a', { type: 'json', value: { title: 'Home' } }),
      result('b', { type: 'text', value: 'Home' }),
      result('c', { type: 'error-text', value: 'no such page' }, 'error'),
      { type: 'file', content: { mediaType: 'image/png', url: 'data:image/png;base64,aGk=' } },
      {
        type: 'file',
        content: { mediaType: 'application/pdf', url: 'https://example.com/a.pdf', filename: 'a.pdf' },
      },
      text('plain'),
    ]);
  });

  it('keeps what it does not understand as text', () => {
    expect(parseLegacyContent('[{"type":"tool-call"},7]')).toEqual([text('{"type":"tool-call"}'), text('7')]);
  });

  it('makes valid parts of anything and loses no array item', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (content) => {
        const parts = parseLegacyContent(content);
        for (const part of parts) partContentSchemas[part.type].parse(part.content);
        const count = content.trimStart().startsWith('[') && isJson(content) ? JSON.parse(content).length : 1;
        expect(parts).toHaveLength(count);
      }),
    );
  });
});

function result(toolCallId: string, output: object, state = 'completed') {
  return { type: 'tool-result', content: { toolCallId, toolName: 'get', output }, state };
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}
