import type OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import type { FakeAnswer } from '#tests/support/openrouter-wire';
import { findWireSequenceProblems, type WireMessage } from '#tests/support/validate-model-messages';

let server: CompletionsServer | null = null;

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

type Param = OpenAI.Chat.ChatCompletionMessageParam;
const asked: Param = { role: 'user', content: 'Which pages are there?' };
const called = (thoughts: object): Param => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list', arguments: '{}' } }],
  ...thoughts,
});
const result: Param = { role: 'tool', tool_call_id: 'c1', content: 'Home' };

/** What the provider is sent of these messages. */
async function sent(model: string, messages: Param[], answer: FakeAnswer = { text: 'One.' }) {
  server = await startCompletionsServer({ respond: () => answer });
  const completion = await server.openai.chat.completions.create({ model, messages });
  const { messages: wire, body } = server.steps().at(-1)!;
  expect(findWireSequenceProblems(wire)).toEqual([]);
  return {
    wire: wire as readonly (WireMessage & Record<string, unknown>)[],
    body,
    message: completion.choices[0]!.message,
  };
}

describe('thoughts in a conversation of /v1', () => {
  it.each(['reasoning_content', 'reasoning'])('of the running tool loop go on to a local server: %s', async (field) => {
    const { wire } = await sent('local/thinker', [asked, called({ [field]: 'Look first.' }), result]);
    expect(wire.map(({ reasoning_content: thought }) => thought)).toEqual([undefined, 'Look first.', undefined]);
  });

  it('are left out once the user has spoken again', async () => {
    const answered: Param[] = [
      asked,
      called({ reasoning_content: 'Look first.' }),
      result,
      { role: 'user', content: 'And?' },
    ];
    const { wire } = await sent('local/thinker', answered);
    expect(JSON.stringify(wire)).not.toContain('Look first.');
  });

  const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 's1', format: 'anthropic-claude-v1', index: 0 }];
  const CLAUDE = 'anthropic/claude-sonnet-4.5';

  it('are given to the client as OpenRouter signs them', async () => {
    const { message } = await sent(CLAUDE, [asked], { text: 'One.', reasoningDetails: details });
    expect(message).toMatchObject({ content: 'One.', reasoning_content: 'Hm.', reasoning_details: details });
  });

  it('go back to OpenRouter unchanged', async () => {
    const { wire } = await sent(CLAUDE, [asked, called({ reasoning_details: details }), result]);
    expect(wire[1]).toMatchObject({ reasoning_details: details });
  });
});

describe('messages of one role in a row', () => {
  it('become one, with a word of the assistant between results and the user', async () => {
    const said = (content: string): Param => ({ role: 'assistant', content });
    const more: Param = { role: 'user', content: '  ' };
    const { wire } = await sent('local/gemma', [
      asked,
      more,
      asked,
      called({}),
      result,
      asked,
      said('A'),
      said('B'),
      asked,
    ]);
    expect(wire.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(wire[5]).toMatchObject({ content: 'A\n\nB' });
  });
});

describe('the detail of an image', () => {
  const image = (name: string, detail?: 'low' | 'high') =>
    ({
      type: 'image_url',
      image_url: { url: `https://images.example/${name}.png`, ...(detail && { detail }) },
    }) as const;

  it.each(['openai/gpt-4o', 'local/llava'])('is passed on to %s, and nothing else of ours', async (model) => {
    const content = [{ type: 'text', text: 'Look' } as const, image('a', 'low'), image('b'), image('c', 'high')];
    const { wire, body } = await sent(model, [{ role: 'user', content }]);
    expect(wire[0]?.['content']).toEqual(content);
    expect(JSON.stringify(body)).not.toContain('throughline');
  });
});
