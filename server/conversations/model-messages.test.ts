import { type ModelMessage, modelMessageSchema } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importMessages } from '#server/conversations/import-messages';
import { buildView } from '#server/context/view';
import { toModelMessages } from '#server/context/view-messages';
import { storedMessages } from '#tests/support/arbitrary-history';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

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
