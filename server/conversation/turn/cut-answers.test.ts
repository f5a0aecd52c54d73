import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { INPUT_CUT } from '#server/core/conversation/turns';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { startOpenRouterChat } from '#tests/support/openrouter-chat';
import { foldTurn } from '#tests/support/scripted-chat';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const callDelta = (fields: object) => chunk({ tool_calls: [{ index: 0, type: 'function', ...fields }] });
const DONE = 'data: [DONE]\n\n';

const BROKEN = '{"changeId":"chg_other"';
/** A call whose input is no whole JSON, in several pieces. */
const STARTED =
  callDelta({ id: 'c1', function: { name: 'undo', arguments: '' } }) +
  [BROKEN.slice(0, 5), BROKEN.slice(5)].map((part) => callDelta({ function: { arguments: part } })).join('');

/** Sends "Go" to a model that answers with these bodies, the last one again and again, after a title was changed. */
async function answerWith(model: string, bodies: readonly string[]) {
  let count = 0;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let sent = '';
    request.on('data', (piece: Buffer) => (sent += piece.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(404).end('{}');
      requests.push(sent);
      const body = bodies[Math.min(count++, bodies.length - 1)];
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const addresses = {
    OPENROUTER_BASE_URL: url,
    ...(model.startsWith('local/') && { OPENAI_COMPATIBLE_BASE_URL: url }),
    ...(model.startsWith('anthropic/') && { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key' }),
    ...(model.startsWith('google/') && { GOOGLE_GENERATIVE_AI_BASE_URL: url, GOOGLE_GENERATIVE_AI_API_KEY: 'key' }),
  };
  const env = { CONTEXT_WINDOW: '128000', ...addresses };
  await using chat = await startOpenRouterChat([], { model, env });
  const {
    builtIn: { content },
    messages,
  } = chat.services;
  const origin = { actor: 'user', sessionId: chat.session.id } as const;
  const { entry } = await content.create({ type: 'page', title: 'Old' }, origin);
  await content.patch(entry.id, [{ op: 'set', field: 'title', value: 'New' }], origin);
  const request = { session: chat.session, texts: ['Go'], modelId: null, scopes: scopesOfRole.admin };
  const sent = await chat.services.chat.send({ ...request, clientRequestId: null });
  if (sent.kind !== 'started') throw new Error('It was queued.');
  const { errors, message } = await foldTurn(sent.stream);
  const stored = (await messages.list(chat.session.id)).items;
  const { title } = (await content.get(entry.id)).draft;
  server.close();
  return { errors, message, stored, title, requests };
}

describe.each(['openai/gpt-4o', 'local/some-model'])('an answer of %s', (model) => {
  it.each([
    ['in one piece', callDelta({ id: 'c1', function: { name: 'undo', arguments: BROKEN } })],
    ['in several pieces', STARTED],
  ])('whose call came %s and is no JSON does not run the call', async (_, call) => {
    const { title, message, errors } = await answerWith(model, [
      call + chunk({}, 'tool_calls') + DONE,
      chunk({ content: 'Done.' }) + chunk({}, 'stop') + DONE,
    ]);
    expect(title).toBe('New');
    expect(errors).toEqual([]);
    const shown = message.parts.find((part) => part.type === 'dynamic-tool' || part.type.startsWith('tool-'));
    expect(shown).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('Invalid input') as string,
    });
  });

  it('whose call has no arguments at all runs it', async () => {
    const call = callDelta({ id: 'c1', function: { name: 'undo', arguments: '' } });
    const { title } = await answerWith(model, [
      call + chunk({}, 'tool_calls') + DONE,
      chunk({ content: 'Done.' }) + chunk({}, 'stop') + DONE,
    ]);
    expect(title).toBe('Old');
  });

  it('that ends without a finish reason is reported as broken off, and its text is kept', async () => {
    const { errors, stored } = await answerWith(model, [chunk({ role: 'assistant', content: 'Half of a ' })]);
    expect(errors).toEqual([expect.stringContaining('broke off')]);
    expect(stored.at(-1)).toMatchObject({ status: 'failed', parts: [{ content: { text: 'Half of a ' } }] });
  });

  it('that ends in the middle of a call does not run it', async () => {
    const call = callDelta({ id: 'c1', function: { name: 'undo', arguments: BROKEN } });
    const { errors, title } = await answerWith(model, [call]);
    expect([title, errors.length]).toEqual(['New', 1]);
  });

  it("whose call was cut by the model's limit continues in smaller pieces", async () => {
    const cut = STARTED + chunk({}, 'length') + DONE;
    const { errors, title, requests, message } = await answerWith(model, [
      cut,
      cut,
      callDelta({ id: 'c2', function: { name: 'undo', arguments: '{}' } }) + chunk({}, 'tool_calls') + DONE,
      chunk({ content: 'Done.' }) + chunk({}, 'stop') + DONE,
    ]);
    expect([errors, title, requests.length]).toEqual([[], 'Old', 4]);
    expect(requests[1]).toMatch(/in the middle of a call of undo.*in smaller pieces/);
    // The model reads what it had begun as a call with its input so far.
    expect(requests[1]).toContain(JSON.stringify(JSON.stringify({ input: BROKEN })).slice(1, -1));
    expect(message.parts.filter(({ type }) => type === 'tool-undo' || type === 'dynamic-tool')).toMatchObject([
      { state: 'output-error', input: BROKEN, errorText: INPUT_CUT },
      { state: 'output-error', input: BROKEN, errorText: INPUT_CUT },
      { state: 'output-available' },
    ]);
  });

  it('that ends with a reason and without `[DONE]` is whole', async () => {
    const { errors, stored } = await answerWith(model, [chunk({ content: 'Done.' }) + chunk({}, 'stop')]);
    expect(errors).toEqual([]);
    expect(stored.at(-1)).toMatchObject({ status: 'complete' });
  });

  it('that ends with an error is reported in the words of that error', async () => {
    const { errors } = await answerWith(model, [`data: {"error":{"code":400,"message":"No room for this one"}}\n\n`]);
    expect(errors).toEqual([expect.stringContaining('No room for this one')]);
  });

  it.each([
    ['a text', 'data: {"error":"No room for this one"}\n\n'],
    ['an object without a name', 'event: error\ndata: {"message":"No room for this one","code":400}\n\n'],
    ['vLLM', 'data: {"object":"error","message":"No room for this one","code":400}\n\ndata: [DONE]\n\n'],
  ])('that ends with an error in the format of %s is reported in its words only', async (_, body) => {
    const { errors } = await answerWith(model, [body]);
    expect(errors).toEqual([expect.stringMatching(/It said: "No room for this one"$/)]);
  });

  it('that ends with an error without a number is asked for once more', async () => {
    const failed = 'data: {"error":"Internal server error"}\n\n';
    const { errors, requests } = await answerWith(model, [
      failed,
      chunk({ content: 'Done.' }) + chunk({}, 'stop') + DONE,
    ]);
    expect(errors).toEqual([]);
    expect(requests).toHaveLength(2);
  });

  it('that the provider filtered is reported, also if it sends nothing else', async () => {
    const { errors, requests } = await answerWith(model, [chunk({ content: '' }) + chunk({}, 'content_filter') + DONE]);
    expect(errors).toEqual([expect.stringContaining('content rules')]);
    expect(requests).toHaveLength(1);
  });
});

it("an answer whose calls are cut by the model's limit repeatedly is reported", async () => {
  const cut = STARTED + chunk({}, 'length') + DONE;
  const { errors, title, requests } = await answerWith('openai/gpt-4o', [cut]);
  expect(errors).toEqual([expect.stringMatching(/longest output .* in the middle of a tool call/)]);
  expect([title, requests.length]).toEqual(['New', 4]);
});

it('an answer of Anthropic streams from its first word, and a failed attempt is not shown', async () => {
  const events = (...all: readonly object[]) => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], stop_reason: null };
  const start = { type: 'message_start', message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } };
  const { errors, message: shown } = await answerWith('anthropic/claude-sonnet-4-5', [
    events(start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    events(
      start,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ),
  ]);
  expect(errors).toEqual([]);
  expect(shown.parts.map(({ type }) => type)).toEqual(['step-start', 'text']);
});

describe('an answer of Google that ends in a call that it could not write', () => {
  const event = (text: string, finishReason: string) =>
    `data: ${JSON.stringify({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason }],
      usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 20, totalTokenCount: 1_020 },
    })}\n\n`;
  const malformed = event('I put the title back.', 'MALFORMED_FUNCTION_CALL');

  it('is asked for once more', async () => {
    const { errors, message, requests } = await answerWith('google/gemini-2.5-flash', [
      malformed,
      event('It cannot be put back.', 'STOP'),
    ]);
    expect(errors).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(requests[1]).toContain('Make the call again');
    expect(message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual([
      'I put the title back.',
      'It cannot be put back.',
    ]);
  });

  it('reports that nothing was done if it happens again', async () => {
    const { errors, requests, title } = await answerWith('google/gemini-2.5-flash', [malformed]);
    expect(errors).toEqual([expect.stringMatching(/could not be read.*nothing of it was done/i)]);
    expect(requests).toHaveLength(2);
    expect(title).toBe('New');
  });
});

it('a question that Google blocks is reported, and sent once', async () => {
  const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 1_000 } };
  const { errors, requests } = await answerWith('google/gemini-2.5-flash', [`data: ${JSON.stringify(blocked)}\n\n`]);
  expect(errors).toEqual([expect.stringContaining('content rules')]);
  expect(requests).toHaveLength(1);
});
