import { generateText, modelMessageSchema } from 'ai';
import type { ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSequenceProblems, findWireSequenceProblems } from '#tests/support/validate-model-messages';

const user = (text = 'Create a page'): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const says = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const calls = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'create_page', input: {} })),
});
const answers = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'create_page',
    output: { type: 'json', value: {} },
  })),
});

/** `u` a user, `s` an answer, `S` instructions, `c` calls and `r` results with their ids; all in order. */
const read = (script: string): ModelMessage[] =>
  script.split(', ').map((word): ModelMessage => {
    const [kind, ...ids] = word.split(' ');
    if (kind === 'c') return calls(...ids);
    if (kind === 'r') return answers(...ids);
    if (kind === 'S') return { role: 'system', content: 'Be brief.' };
    return kind === 's' ? says('Done.') : user();
  });

const sound: readonly (readonly [name: string, messages: readonly ModelMessage[]])[] = [
  ['a plain exchange', read('u, s, u')],
  ['parallel calls in one tool message', read('u, c a b, r b a, s')],
  ['parallel calls in two tool messages', read('u, c a b, r a, r b, s')],
  ['an id used again in a later step', read('u, c a, r a, c a, r a')],
  ['text content as a string', [{ role: 'user', content: 'hello' }, { role: 'assistant', content: 'hi' }]], // prettier-ignore
  ['instructions at the front', read('S, u')],
  ['a picture without words', [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'aGk=' }] }]],
];

const thinks: ModelMessage = { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] };
const ofOther: ModelMessage = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'other', output: { type: 'text', value: '' } }],
};

const unsound: readonly (readonly [name: string, messages: readonly ModelMessage[], problem: string])[] = [
  ['a call without result', read('u, c a b, r a, u'), 'message 1: call "b" has 0 results right after it'],
  ['a call at the end', read('u, c a'), 'message 1: call "a" has 0 results right after it'],
  ['two results for one call', read('u, c a, r a a'), 'message 1: call "a" has 2 results right after it'],
  ['a late result', read('u, c a, s, r a'), 'message 1: call "a" has 0 results right after it'],
  ['a result without call', read('u, s, r a'), 'message 1: result "a" has no call right before it'],
  ['a result of the step before', read('u, c a, r a, c b, r b a'), 'message 3: result "a" has no call right before it'],
  ['a result right after the user', read('u, r a'), 'message 1: result "a" has no call right before it'],
  ['one id for two calls', read('u, c a a, r a'), 'message 1: two calls have the id "a"'],
  ['an empty assistant message', [user(), says(' ')], 'message 1: empty assistant message'],
  ['nothing but reasoning', [user(), thinks], 'message 1: empty assistant message'],
  ['an empty user message', [user('\n')], 'message 0: empty user message'],
  ['no parts', [{ role: 'user', content: [] }], 'message 0: empty user message'],
  ['an empty tool message', read('u, c a, r a, r'), 'message 3: tool message without a result'],
  ['an assistant that begins', read('s, u'), "message 0: the first message is not the user's"],
  ['instructions in the middle', read('u, S'), 'message 1: system message in the middle'],
  ['two user messages in a row', read('u, u'), "message 1: roles do not alternate for Gemma's template"],
  ['two answers in a row', read('u, s, s'), "message 2: roles do not alternate for Mistral's template"],
  ['an answer and a call in a row', read('u, s, c a, r a'), "message 2: roles do not alternate for Gemma's template"],
  ['a user behind results, for Mistral', read('u, c a, r a, u'), "message 3: roles do not alternate for Mistral's template"], // prettier-ignore
  [
    'a user behind results, for Gemma',
    read('u, c a, r a, u'),
    "message 3: roles do not alternate for Gemma's template",
  ],
  ['no message', [], 'there is no message'],
  ['only instructions', read('S'), 'there is no message'],
  [
    'another tool in the result',
    [user(), calls('a'), ofOther],
    'message 1: call "a" of create_page is answered by other',
  ],
];

describe('findSequenceProblems', () => {
  it.each(sound)('accepts %s', (_name, messages) => {
    expect(findSequenceProblems(messages)).toEqual([]);
  });

  it.each(unsound)('flags %s', (_name, messages, problem) => {
    expect(findSequenceProblems(messages)).toContain(problem);
  });

  it('accepts any sequence of whole steps, and flags it once one message of a step is missing', () => {
    const steps = fc.array(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(steps, fc.nat(), (idsOfSteps, pick) => {
        const messages = [user(), ...idsOfSteps.flatMap((ids) => [calls(...ids), answers(...ids)])];
        expect(findSequenceProblems(messages)).toEqual([]);
        const missing = 1 + (pick % (messages.length - 1));
        expect(findSequenceProblems(messages.toSpliced(missing, 1))).not.toEqual([]);
      }),
    );
  });

  it('is stricter than the SDK, which accepts all of these and sends an orphan', async () => {
    for (const [name, messages] of unsound)
      expect(modelMessageSchema.array().safeParse(messages).success, name).toBe(true);

    const model = new MockLanguageModelV4({
      doGenerate: {
        content: [{ type: 'text', text: 'ok' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      },
    });
    await generateText({ model, messages: [user(), says('hi'), answers('orphan'), user()] });
    const prompt = model.doGenerateCalls[0]?.prompt ?? [];
    expect(findSequenceProblems(prompt)).toContain('message 1: result "orphan" has no call right before it');
  });
});

describe('findWireSequenceProblems', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'create_page', arguments: '{}' } });

  it('accepts what an OpenAI-compatible server accepts', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'Create two pages' },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', name: 'create_page', content: '{}' },
      { role: 'tool', tool_call_id: 'b', content: '{}' },
      { role: 'assistant', content: 'Done.' },
    ];
    expect(findWireSequenceProblems(messages)).toEqual([]);
  });

  it('flags the same faults', () => {
    const messages = [
      { role: 'user', content: 'Create a page' },
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: '' },
      { role: 'tool', tool_call_id: 'a', content: '{}' },
      { role: 'system', content: 'Obey.' },
    ];
    expect(findWireSequenceProblems(messages)).toEqual([
      'message 1: call "a" has 0 results right after it',
      'message 3: empty assistant message',
      'message 3: result "a" has no call right before it',
      'message 5: system message in the middle',
      "message 2: roles do not alternate for Mistral's template",
    ]);
  });
});
