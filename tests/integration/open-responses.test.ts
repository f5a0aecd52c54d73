import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { colouredPicture } from '#tests/support/pictures';

/*
 * The request shapes of the compliance tests of Open Responses (openresponses.org), and the fields that its schema
 * requires of a response, of its items and of its events.
 */

const text = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()),
});
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string(),
    status,
    role: z.literal('assistant'),
    content: z.array(text),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status,
  }),
]);
const tool = z.strictObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});
const count = z.number().int().min(0);
const resource = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: count,
  completed_at: count.nullable(),
  status: z.string(),
  incomplete_details: z.strictObject({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.null(),
  tools: z.array(tool),
  tool_choice: z.string(),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.strictObject({ format: z.strictObject({ type: z.literal('text') }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: count,
  temperature: z.number(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  user: z.string().nullable(),
  usage: z
    .strictObject({
      input_tokens: count,
      input_tokens_details: z.strictObject({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
    })
    .nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const numbered = { sequence_number: count };
const placed = { ...numbered, output_index: count };
const ofItem = { ...placed, item_id: z.string() };
const ofText = { ...ofItem, content_index: count };
const events = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['response.created', 'response.in_progress', 'response.completed']),
    ...numbered,
    response: resource,
  }),
  z.strictObject({ type: z.enum(['response.output_item.added', 'response.output_item.done']), ...placed, item }),
  z.strictObject({
    type: z.enum(['response.content_part.added', 'response.content_part.done']),
    ...ofText,
    part: text,
  }),
  z.strictObject({
    type: z.literal('response.output_text.delta'),
    ...ofText,
    delta: z.string(),
    logprobs: z.array(z.unknown()),
  }),
  z.strictObject({
    type: z.literal('response.output_text.done'),
    ...ofText,
    text: z.string(),
    logprobs: z.array(z.unknown()),
  }),
  z.strictObject({ type: z.literal('response.function_call_arguments.delta'), ...ofItem, delta: z.string() }),
  z.strictObject({
    type: z.literal('response.function_call_arguments.done'),
    ...ofItem,
    name: z.string(),
    arguments: z.string(),
  }),
]);

const MODEL = 'openai/gpt-4o';
const message = (role: string, content: unknown) => ({ type: 'message', role, content });
const tools = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'Get the current weather for a location',
    parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
  },
];

let server: CompletionsServer;
beforeAll(async () => {
  server = await startCompletionsServer({
    respond: ({ tools: offered }): FakeResponse =>
      offered.length > 0
        ? { toolCalls: [{ id: 'call_1', name: 'get_weather', input: { location: 'San Francisco, CA' } }] }
        : { text: 'Hello to you.' },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

async function send(body: object): Promise<string> {
  const answer = await fetch(`${server.baseUrl}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, ...body }),
  });
  const said = await answer.text();
  expect(answer.status, said).toBe(200);
  return said;
}

const shapes: Readonly<Record<string, () => Promise<{ readonly body: object; readonly type: string }>>> = {
  'a message': async () => ({ body: { input: [message('user', 'Say hello in three words.')] }, type: 'message' }),
  'a system prompt': async () => ({
    body: { input: [message('system', 'You are a potter.'), message('user', 'Say hello.')] },
    type: 'message',
  }),
  'a tool': async () => ({ body: { input: [message('user', 'How is the weather?')], tools }, type: 'function_call' }),
  'an image': async () => {
    const image_url = `data:image/png;base64,${(await colouredPicture('#c00000')).toString('base64')}`;
    const content = [
      { type: 'input_text', text: 'What do you see?' },
      { type: 'input_image', image_url },
    ];
    return { body: { input: [message('user', content)] }, type: 'message' };
  },
  'several turns': async () => ({
    body: {
      input: [
        message('user', 'My name is Alice.'),
        message('assistant', 'Hello Alice.'),
        message('user', 'What is my name?'),
      ],
    },
    type: 'message',
  }),
};

describe.each(Object.entries(shapes))('Open Responses: %s', (_, shape) => {
  it('is answered as a whole', async () => {
    const { body, type } = await shape();
    const response = resource.parse(JSON.parse(await send(body)));
    expect(response.status).toBe('completed');
    expect(response.output.map((each) => each.type)).toEqual([type]);
  });

  it('is answered as a stream, whose last event holds the response', async () => {
    const { body, type } = await shape();
    const said = await send({ ...body, stream: true });
    const frames = said.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
    const read = frames.map((frame) => {
      const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = events.parse(JSON.parse(data ?? 'null'));
      expect(event.type).toBe(name);
      return event;
    });
    expect(read.map((event) => event.sequence_number)).toEqual(read.map((__, index) => index));
    const last = read.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`The last event is ${last?.type}`);
    expect(last.response.output.map((each) => each.type)).toEqual([type]);
    const kinds = new Set(read.map((event) => event.type));
    const deltas =
      type === 'message'
        ? ['response.output_text.delta', 'response.output_text.done']
        : ['response.function_call_arguments.delta', 'response.function_call_arguments.done'];
    for (const kind of [...deltas, 'response.output_item.added', 'response.output_item.done'])
      expect(kinds).toContain(kind);
  });
});
