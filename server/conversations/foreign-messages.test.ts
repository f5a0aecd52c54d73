import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '#server/core/errors';
import { importMessages } from '#server/conversations/import-messages';

describe('importing OpenAI chat messages', () => {
  it('keeps texts, images, calls and results, and names the tool of each result', async () => {
    const { messages, instructions } = await importMessages([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' } }] }, // prettier-ignore
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 'b', type: 'function', function: { name: 'wait', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'a vase' },
      { role: 'tool', tool_call_id: 'z', content: [{ type: 'text', text: 'stray' }] },
      { role: 'assistant', content: 'A vase.' },
    ]);
    expect(instructions).toBe('Be brief.');
    expect(messages.map(({ role, parts }) => [role, parts.map(({ content }) => content)])).toEqual([
      ['user', [{ text: 'What is this?' }, { mediaType: 'image/webp', url: 'data:image/webp;base64,aGk=' }]],
      ['assistant', [{ toolCallId: 'a', toolName: 'look', input: { at: 1 } }, { toolCallId: 'b', toolName: 'wait', input: {} }]], // prettier-ignore
      ['tool', [{ toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'a vase' } }]],
      ['tool', [{ toolCallId: 'z', toolName: 'unknown', output: { type: 'text', value: 'stray' } }]],
      ['assistant', [{ text: 'A vase.' }]],
    ]);
    for (const { parts } of messages) for (const part of parts) expect(part.tokens).toBeGreaterThan(0);
  });

  it('keeps arguments that are no JSON as they were written', async () => {
    const called = { id: 'a', function: { name: 'look', arguments: '{"at":' } };
    const { messages } = await importMessages([{ role: 'assistant', tool_calls: [called] }]);
    expect(messages[0]?.parts[0]?.content).toMatchObject({ input: '{"at":' });
  });
});

describe('importing AI SDK UI messages', () => {
  it('makes of every step an assistant message and, with its results, a tool message', async () => {
    const { messages } = await importMessages([
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'Go' }] },
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'Hm' },
          { type: 'tool-look', toolCallId: 'a', state: 'output-available', input: { at: 1 }, output: { seen: true } },
          {
            type: 'dynamic-tool',
            toolName: 'fly',
            toolCallId: 'b',
            state: 'output-error',
            input: {},
            errorText: 'No.',
          },
          { type: 'tool-wait', toolCallId: 'c', state: 'input-available', input: {} },
          { type: 'tool-drop', toolCallId: 'd', state: 'output-denied', input: {} },
          { type: 'step-start' },
          { type: 'text', text: 'Done.' },
        ],
      },
    ]);
    expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['reasoning', 'tool-call', 'tool-call', 'tool-call', 'tool-call']],
      ['tool', ['tool-result', 'tool-result', 'tool-result']],
      ['assistant', ['text']],
    ]);
    expect(messages[2]?.parts.map(({ content }) => content)).toMatchObject([
      { toolCallId: 'a', toolName: 'look', output: { type: 'json', value: { seen: true } } },
      { toolCallId: 'b', toolName: 'fly', output: { type: 'error-text', value: 'No.' } },
      { toolCallId: 'd', toolName: 'drop', output: { type: 'execution-denied' } },
    ]);
  });
});

describe('importing anything else', () => {
  it.each([
    [
      'a text',
      [
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 7 },
      ],
      'Message 2 is neither',
    ],
    ['an unknown role', [{ role: 'judge', content: 'Hi' }], 'Message 1 is neither'],
    ['nothing of a message', [{}], 'Message 1 is neither'],
    ['a call without an id', [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 'x', input: {} }] }], 'Message 1'], // prettier-ignore
    [
      'two formats at once',
      [
        { role: 'user', parts: [] },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
      'mix',
    ],
  ])('refuses %s and says where', async (_, input, message) => {
    await expect(importMessages(input)).rejects.toThrow(InvalidInputError);
    await expect(importMessages(input)).rejects.toThrow(message);
  });
});
