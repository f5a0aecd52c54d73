import type OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type CompletionsServer,
  type CompletionsServerOptions,
  startCompletionsServer,
} from '#tests/support/completions-server';

let server: CompletionsServer | null = null;

async function start(options: CompletionsServerOptions = { respond: () => ({ text: 'Noted.' }) }) {
  server = await startCompletionsServer(options);
  return server;
}

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

type Items = OpenAI.Responses.ResponseInput;

const model = 'openai/gpt-4o';
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
/** Long enough to be compacted: older messages, and a call with its result. */
const long: Items = [
  { role: 'developer', content: 'Never use blue.' },
  ...Array.from({ length: 20 }, (_, index) => [
    { role: 'user' as const, content: `Question ${index}: ${words(200)}` },
    { role: 'assistant' as const, content: `Answer ${index}.` },
  ]).flat(),
  { role: 'user', content: 'Look it up.' },
  { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"clay"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Clay is soft.' },
];
/** The compacted items unchanged, followed by new ones. */
const after = ({ output }: OpenAI.Responses.CompactedResponse, text: string): Items => [
  ...(output as Items),
  { role: 'user', content: text },
];

describe('POST /v1/responses/compact', () => {
  it('replaces a conversation by the user’s words and one item, from which it continues', async () => {
    const { openai, steps, summaries } = await start();
    const compacted = await openai.responses.compact({ model, input: long });
    expect(compacted).toMatchObject({ object: 'response.compaction', usage: { input_tokens: expect.any(Number) } });
    const types = compacted.output.map(({ type }) => type);
    expect(types.length).toBeGreaterThan(1);
    expect(types).toEqual([...types.slice(1).map(() => 'message'), 'compaction']);
    expect(summaries()).toHaveLength(1);

    await openai.responses.create({ model, input: after(compacted, 'And now?') });
    const sent = JSON.stringify(steps()[0]?.messages);
    expect(sent.split('Summary of the conversation before')).toHaveLength(2);
    const questions = sent.match(/Question \d+: /g) ?? [];
    expect(new Set(questions).size).toBe(questions.length);
    for (const text of ['Never use blue.', 'Look it up.', 'Clay is soft.', 'And now?']) expect(sent).toContain(text);
    expect(sent).not.toContain('Answer 1.');
    // The next round continues from it.
    expect(summaries()).toHaveLength(1);
  });

  it('refuses more items of this kind than a client needs, without a model call', async () => {
    const { openai, steps, summaries } = await start();
    const { output } = await openai.responses.compact({ model, input: long });
    const item = output.at(-1) as Items[number];
    const asked = summaries().length;
    const input: Items = [...Array.from({ length: 101 }, () => item), { role: 'user', content: 'And now?' }];
    await expect(openai.responses.create({ model, input })).rejects.toMatchObject({ status: 400 });
    expect([steps().length, summaries().length]).toEqual([0, asked]);
  });

  it('compacts a stored conversation', async () => {
    const { openai, steps } = await start();
    const first = await openai.responses.create({ model, input: long });
    const compacted = await openai.responses.compact({ model, previous_response_id: first.id });
    await openai.responses.create({ model, input: after(compacted, 'And now?') });
    expect(JSON.stringify(steps().at(-1)?.messages)).toContain('Noted.');
  });

  it('keeps a short conversation word for word', async () => {
    const { openai, steps, summaries } = await start();
    const input: Items = [
      { role: 'user', content: 'My name is Mara.' },
      { role: 'assistant', content: 'Hello Mara.' },
    ];
    const compacted = await openai.responses.compact({ model, input });
    expect(compacted.output.map(({ type }) => type)).toEqual(['compaction']);
    expect(compacted.usage.total_tokens).toBe(0);
    await openai.responses.create({ model, input: after(compacted, 'Who am I?') });
    expect(steps()[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(summaries()).toEqual([]);
  });

  it.each([
    ['a compaction of another server', { model, input: [{ type: 'compaction', encrypted_content: 'gAAAAABo' }] }],
    ['a request without a conversation', { model }],
  ])('refuses %s', async (_, body) => {
    const { openai } = await start();
    await expect(openai.post('/responses/compact', { body })).rejects.toMatchObject({ status: 400, param: 'input' });
  });
});
