import { expect, it } from 'vitest';
import {
  type ClientCall,
  type ClientEvent,
  type ClientOutcome,
  streamClientStep,
} from '#server/conversation/turn/client-step';
import { FaultyStepError } from '#server/conversation/step/provider-errors';
import { OutputWatch } from '#server/conversation/step/model-attempt';
import { anthropic, google, openAI, type VendorId } from '#server/models/direct-providers';
import { startFakeVendor, type VendorAnswer } from '#tests/support/fake-vendors';
import {
  finish,
  hangingStep,
  scriptedModel,
  type ScriptedStep,
  textBlock,
  toolCall,
} from '#tests/support/scripted-model';

const PLENTY = 100_000;

/** One step of a model that says this, with room for so many tokens of it. */
async function run(step: ScriptedStep, room = PLENTY, more: Partial<ClientCall> = {}) {
  const { model, requests } = scriptedModel(step);
  const events: ClientEvent[] = [];
  const call = {
    model: { id: 'a/b', model },
    instructions: null,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }],
    tools: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
    toolChoice: { type: 'auto' as const },
    sampling: {},
    extra: {},
    maxOutputTokens: 1_000,
    watch: new OutputWatch(room, 1),
    watchesRepetition: false,
    signal: new AbortController().signal,
    ...more,
  };
  const stream = streamClientStep(call);
  let outcome: ClientOutcome | null = null;
  for (let next = await stream.next(); ; next = await stream.next()) {
    if (next.done) {
      outcome = next.value;
      break;
    }
    events.push(next.value);
  }
  return { events, outcome, request: requests[0] };
}

const written = (events: readonly ClientEvent[]) =>
  events.map((event) => (event.type === 'arguments' ? event.text : '')).join('');

it('passes parts on as they arrive', async () => {
  const { events, outcome } = await run([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
    ...textBlock('t', 'So ', 'it is.'),
    ...toolCall('c1', 'f', '{ "a": 1.0 }'),
    ...toolCall('c2', 'nobody_offered_this', '{"broken'),
    finish('tool-calls', { input: 9, output: 3 }),
  ]);
  expect(events).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'So ' },
    { type: 'text', text: 'it is.' },
    { type: 'call', index: 0, id: 'c1', name: 'f' },
    { type: 'arguments', index: 0, text: '{ "a": 1.0 }' },
    { type: 'call', index: 1, id: 'c2', name: 'nobody_offered_this' },
    { type: 'arguments', index: 1, text: '{"broken' },
  ]);
  expect(outcome).toMatchObject({ finishReason: 'tool-calls', wasCut: false, error: undefined });
  expect(outcome?.usage).toMatchObject({ inputTokens: 9, outputTokens: 3 });
});

it('reports a call once if its provider sends only whole calls', async () => {
  const { events } = await run([
    { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: '{"a":1}' },
    finish('tool-calls'),
  ]);
  expect(events).toEqual([
    { type: 'call', index: 0, id: 'c1', name: 'f' },
    { type: 'arguments', index: 0, text: '{"a":1}' },
  ]);
});

it('fails where the provider could not read the answer to its end', async () => {
  const { events, outcome } = await run([...textBlock('t', 'I put it back.'), finish('error')]);
  expect(events).toEqual([{ type: 'text', text: 'I put it back.' }]);
  expect(outcome?.error).toBeInstanceOf(FaultyStepError);
});

it('ends an answer that leaves no room, and the call of the provider with it', async () => {
  const { step } = hangingStep(...textBlock('t', ...Array.from({ length: 100 }, (_, line) => `Line ${line}. `)));
  const { events, outcome, request } = await run(step, 60);
  expect(outcome).toMatchObject({ wasCut: true, error: undefined });
  expect(events.length).toBeLessThan(60);
  expect(request?.abortSignal?.aborted).toBe(true);
});

it('never ends it in the middle of a call', async () => {
  const long = JSON.stringify({ text: 'word '.repeat(500) });
  const { events, outcome } = await run([...toolCall('c1', 'f', long), ...textBlock('t', 'Behind it.'), finish()], 60);
  expect(written(events)).toBe(long);
  expect(outcome.wasCut).toBe(true);
  expect(events.some(({ type }) => type === 'text')).toBe(false);
});

it.each([
  ['fails', new Error('broken')],
  ['says nothing and reports nothing', [finish('stop', null)]],
] as const)('reports a step that %s', async (_, step) => {
  const { outcome } = await run(step);
  expect(outcome.error).toBeInstanceOf(Error);
});

it.each([
  ['content-filter', finish('content-filter', null)],
  ['length', finish('length', null)],
] as const)('gives the reason of an empty step: %s', async (finishReason, end) => {
  const { outcome } = await run([end]);
  expect(outcome).toMatchObject({ finishReason, error: undefined });
});

const vendors = { anthropic, openai: openAI, google };
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

/** The fields of a client's request as a vendor that is asked directly receives them. */
async function askedOf(
  vendor: VendorId,
  name: string,
  extra: ClientCall['extra'],
  answer: VendorAnswer = { text: 'Hello.' },
) {
  await using server = await startFakeVendor({ kind: vendor, key: 'key', models: [name], respond: () => answer });
  const connection = { id: vendor, baseUrl: server.baseUrl, apiKey: 'key', source: 'stored' } as const;
  const id = `${vendor}/${name}`;
  const model = vendors[vendor](connection, { fetch, wireName: () => name })
    .find(id)!
    .create();
  const { events, outcome } = await run([], PLENTY, { model: { id, model }, extra });
  expect(outcome.error).toBeUndefined();
  expect(events).toEqual([{ type: 'text', text: answer.text ?? JSON.stringify(answer.call?.input) }]);
  return server.requests[0]!.body;
}

const wanted = {
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  reasoning_effort: 'low',
  parallel_tool_calls: false,
};

it("sends OpenAI's own parameters for what a client wants of the answer", async () => {
  expect(await askedOf('openai', 'gpt-5.4', wanted)).toMatchObject({
    text: { format: { type: 'json_schema', name: 'answer', schema, strict: false } },
    reasoning: { effort: 'low' },
    parallel_tool_calls: false,
    store: false,
  });
  const plain = await askedOf('openai', 'gpt-5.4', { response_format: { type: 'json_object' } });
  expect(plain).toMatchObject({ text: { format: { type: 'json_object' } } });
  expect(plain).not.toHaveProperty('reasoning');
});

it('asks Anthropic and Google themselves for JSON of a schema, as far as they have it', async () => {
  expect(await askedOf('anthropic', 'claude-sonnet-4-5', wanted)).toMatchObject({
    output_config: { format: { type: 'json_schema', schema } },
    tool_choice: { disable_parallel_tool_use: true },
  });
  // With other tools present, Google accepts a format only as another tool; the package turns its call into text.
  const said = { call: { name: 'json', input: { a: 'yes' } } };
  const { generationConfig, tools } = await askedOf('google', 'gemini-2.5-flash', wanted, said);
  expect(generationConfig).toHaveProperty('thinkingConfig');
  expect(JSON.stringify(tools)).toContain(JSON.stringify(schema));
  expect(await askedOf('anthropic', 'claude-sonnet-4-5', {})).not.toHaveProperty('output_config');
});
