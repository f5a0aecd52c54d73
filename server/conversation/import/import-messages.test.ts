import { type ModelMessage, modelMessageSchema } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importMessages } from '#server/conversation/import/import-messages';
import { buildView } from '#server/context/view';
import { toModelMessages } from '#server/context/view-messages';
import { storedMessages } from '#tests/support/arbitrary-history';
import { findSequenceProblems } from '#tests/support/validate-model-messages';
import { InvalidInputError } from '#server/core/errors';
import { bytesOf } from '#server/core/data-url';

const anyText = fc.string({ unit: 'grapheme', maxLength: 30 });
const id = fc.stringMatching(/^[a-z_]{1,8}$/);
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const metadata = fc.constantFrom({}, { providerOptions: { anthropic: { signature: 's' } } });

const text = fc.tuple(anyText, metadata).map(([value, more]) => ({ type: 'text', text: value, ...more }));
const reasoning = fc.tuple(anyText, metadata).map(([value, more]) => ({ type: 'reasoning', text: value, ...more }));
const file = fc
  .constantFrom('aGk=', 'https://site.test/a.png', { type: 'data', data: 'aGk=' })
  .map((data) => ({ type: 'file', mediaType: 'image/png', data, filename: 'a.png' }));
const image = fc.constant({ type: 'image', image: 'aGk=' });
const call = fc.record({
  type: fc.constant('tool-call'),
  toolCallId: id,
  toolName: id,
  input: json.filter((value) => value !== null),
});
const output = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'error-text'), value: anyText }),
  fc.record({ type: fc.constantFrom('json', 'error-json'), value: json }),
  fc.constant({ type: 'execution-denied', reason: 'No.' }),
  fc.constant({ type: 'content', value: [{ type: 'file-url', url: 'https://site.test/a.png' }] }),
);
const result = fc.record({ type: fc.constant('tool-result'), toolCallId: id, toolName: id, output });

const listOf = (...kinds: fc.Arbitrary<unknown>[]) => fc.array(fc.oneof(...kinds), { maxLength: 4 });
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(anyText, listOf(text, file, image)) }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof(anyText, listOf(text, reasoning, file, call, result)),
  }),
  fc.record({ role: fc.constant('tool'), content: listOf(result) }),
) as fc.Arbitrary<Exclude<ModelMessage, { role: 'system' }>>;

const size = ({ content }: ModelMessage) => (typeof content === 'string' ? 1 : content.length);

describe('importing AI SDK model messages', () => {
  it('keeps every message and every part, in order, and gives a view that every provider takes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), async (input) => {
        for (const one of input) expect(modelMessageSchema.safeParse(one).success).toBe(true);
        const { messages } = await importMessages(input);
        expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual(
          input.map((one) => [one.role, size(one)]),
        );
        expect(messages.flatMap(({ parts }) => parts.map(({ content }) => content))).toMatchObject(
          input.flatMap((one) => (typeof one.content === 'string' ? [{ text: one.content }] : one.content.map(kept))),
        );
        const view = toModelMessages(
          buildView(
            {
              leading: [],
              summary: null,
              kept: [],
              messages: storedMessages(messages.map(({ role, parts }) => ({ role, parts }))),
            },
            'any',
          ),
        );
        const isBlank = (entry: (typeof view)[number]) => JSON.stringify(entry.content).match(/"text":"\s*"/);
        if (view.length > 0 && !view.some(isBlank)) expect(findSequenceProblems(view)).toEqual([]);
      }),
    );
  });

  it('reads calls and results from before version 5', async () => {
    const { messages } = await importMessages([
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'add', args: { n: 1 } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'add', result: 'bad', isError: true }],
      },
    ]);
    expect(messages).toMatchObject([
      { parts: [{ content: { toolName: 'add', input: { n: 1 } } }] },
      { parts: [{ state: 'error', content: { output: { type: 'error-text', value: 'bad' } } }] },
    ]);
  });

  it('makes system messages the instructions of the session', async () => {
    const { messages, instructions } = await importMessages([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be kind.' },
    ]);
    expect(messages).toHaveLength(1);
    expect(instructions).toBe('Be brief.\n\nBe kind.');
  });
});

/** What must come back of a part. */
function kept(part: object): object {
  const { type, providerOptions, data, image: bytes, ...rest } = part as Record<string, unknown>;
  if (type === 'file' || type === 'image') {
    const source = typeof data === 'object' && data !== null && 'data' in data ? data.data : (data ?? bytes);
    const url = String(source).startsWith('https:') ? source : `data:image/png;base64,${String(source)}`;
    return { ...rest, url };
  }
  return { ...rest, ...(providerOptions === undefined ? {} : { providerMetadata: providerOptions }) };
}

describe('importing OpenAI chat messages', () => {
  it.each([
    ['a picture after a text', 'user', { type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' } }],
    ['a file after a text', 'user', { type: 'file', file: { file_data: 'data:text/plain;base64,aGk=' } }],
    ['a refusal after a text', 'assistant', { type: 'refusal', refusal: 'I cannot do that.' }],
  ])('recognizes a conversation by %s', async (_, role, part) => {
    const { messages } = await importMessages([
      { role, content: [{ type: 'text', text: 'First' }, part] },
      { role: 'user', content: 'Next' },
    ]);
    expect(messages.map(({ parts }) => parts.length)).toEqual([role === 'user' ? 2 : 1, 1]);
  });

  it.each([
    { reasoning_content: 'Let me see.' },
    { reasoning: 'Let me see.' },
    { reasoning_details: [{ type: 'reasoning.text', text: 'Let me see.' }] },
  ])('keeps the reasoning of a conversation without calls: %j', async (fields) => {
    const { messages } = await importMessages([
      { role: 'user', content: 'What is this?' },
      { role: 'assistant', content: 'A vase.', ...fields },
    ]);
    expect(messages[1]?.parts.map(({ type }) => type)).toEqual(['reasoning', 'text']);
  });

  it('keeps texts, images, calls and results, and names the tool of each result', async () => {
    const { messages, instructions } = await importMessages([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' } }] }, // oxfmt-ignore
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
      ['assistant', [{ toolCallId: 'a', toolName: 'look', input: { at: 1 } }, { toolCallId: 'b', toolName: 'wait', input: {} }]], // oxfmt-ignore
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
    ['a call without an id', [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 'x', input: {} }] }], 'Message 1'], // oxfmt-ignore
    [
      'two formats at once',
      [
        { role: 'user', parts: [] },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
      'mix',
    ],
  ])('refuses %s and names the place', async (_, input, place) => {
    await expect(importMessages(input)).rejects.toThrow(InvalidInputError);
    await expect(importMessages(input)).rejects.toThrow(place);
  });
});

it.each([
  ['base64', 'data:text/plain;base64,S2lsbg==', 'Kiln'],
  ['base64 with more parameters', 'data:text/plain;charset=utf-8;base64,S8O2bG4=', 'Köln'],
  ['plain text, encoded', 'data:text/plain,K%C3%B6ln%2C%20Kiln', 'Köln, Kiln'],
  ['nothing', 'data:,', ''],
  ['a damaged address', 'data:text/plain,%C3', null],
  ['an address without data', 'data:text/plain;base64', null],
  ['a web address', 'https://media.example/data:,x', null],
  ['a blob of ours', '@blob:blb_1', null],
])('reads the bytes of %s', (_, url, bytes) => {
  expect(bytesOf(url)?.toString() ?? null).toBe(bytes);
});
