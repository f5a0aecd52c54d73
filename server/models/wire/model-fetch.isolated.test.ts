import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createModelFetch } from '#server/models/wire/model-fetch';

/** The pause that a busy processor makes between two pieces; milliseconds. */
const busy = vi.hoisted(() => ({ ms: 0 }));
vi.mock('#server/models/wire/merged-events', async (original) => ({
  ...(await original<typeof import('#server/models/wire/merged-events')>()),
  gatheringMs: () => busy.ms,
}));

const modelFetch = createModelFetch();
const STREAMED = { method: 'POST', body: '{"stream": true}' };
const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  busy.ms = 0;
  vi.useRealTimers();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers like this; `end` false leaves the answer open. */
async function serve(body: string, { status = 200, type = 'application/json', end = true } = {}): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': type, 'retry-after': '7' });
    if (end) response.end(body);
    else response.write(body);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answerTo(error: unknown) {
  const body = JSON.stringify({ error });
  const response = await modelFetch(await serve(body));
  expect(await response.text()).toBe(body);
  return { status: response.status, wait: response.headers.get('retry-after') };
}

describe('modelFetch', () => {
  it('gives an error answer the status that it names, else 502', async () => {
    expect(await answerTo({ code: 429, message: 'Slow down' })).toEqual({ status: 429, wait: '7' });
    expect(await answerTo({ code: '413', message: 'Too long' })).toMatchObject({ status: 413 });
    expect(await answerTo({ code: 'context_length_exceeded', status: 400 })).toMatchObject({ status: 400 });
    expect(await answerTo({ code: 200, message: 'Hm' })).toMatchObject({ status: 502 });
    expect(await answerTo('model not loaded')).toMatchObject({ status: 502 });
  });

  it('leaves every other answer unchanged', async () => {
    for (const body of ['{"choices": [], "error": null}', '[]', 'null', '"error"', '{not json']) {
      const response = await modelFetch(await serve(body));
      expect([response.status, await response.text()]).toEqual([200, body]);
    }
    const refused = await modelFetch(await serve('{"error": {"code": 400}}', { status: 503 }));
    expect([refused.status, await refused.text()]).toEqual([503, '{"error": {"code": 400}}']);
  });

  it('hands on an event stream while it is still open', async () => {
    const response = await modelFetch(await serve('data: {"error": 1}\n\n', { type: 'text/event-stream', end: false }));
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect([response.status, new TextDecoder().decode(value)]).toEqual([200, 'data: {"error": 1}\n\n']);
  });

  it('makes an error of JSON that answers a streamed request and is no answer', async () => {
    const body = '{"object":"error","message":"failed to load: out of memory"}';
    const refused = await modelFetch(await serve(body), STREAMED);
    expect([refused.status, await refused.text()]).toEqual([502, body]);
    const whole = await modelFetch(await serve('{"choices":[]}'), STREAMED);
    expect(whole.status).toBe(200);
  });
});

/** A server whose answer the test writes. */
async function serveByHand() {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => begun.resolve(response));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = async (type = 'text/event-stream') => {
    const answer = await begun.promise;
    if (!answer.headersSent) answer.writeHead(200, { 'content-type': type }).flushHeaders();
    return answer;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    response,
    write: async (text: string) => (await response()).write(text),
  };
}

describe('an event stream', () => {
  it.each(['data: [DONE]\n\n', 'data:[DONE]', 'data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n'])(
    'ends with %j, split at any place, and the connection is closed',
    async (text) => {
      const server = await serveByHand();
      const answer = modelFetch(server.url, STREAMED);
      const closed = server.response().then((response) => once(response, 'close'));
      await server.write('data: {"text":"[DONE] is no end"}\n\n');
      const { body } = await answer;
      for (const character of text) await server.write(character);
      const said = await new Response(body).text();
      expect(said.startsWith(`data: {"text":"[DONE] is no end"}\n\n${text}`)).toBe(true);
      await closed;
    },
  );

  it('that says nothing is given up: sooner once it has begun; comments are life', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await serveByHand();
    const patient = createModelFetch({ firstTokenMs: 1_000, idleMs: 500 });
    const answer = patient(server.url, STREAMED);
    await server.response();
    const reader = (await answer).body!.getReader();
    const hear = async (text: string) => {
      await server.write(text);
      await reader.read();
    };
    for (const _ of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(900);
      await hear(': keep-alive\n\n');
    }
    await hear('data: {}\n\n');
    for (const _ of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(400);
      await hear(': keep-alive\n\n');
    }
    const closed = server.response().then((response) => once(response, 'close'));
    const next = reader.read();
    const silent = expect(next).rejects.toMatchObject({ name: 'ModelSilentError', hasBegun: true, limitMs: 500 });
    await vi.advanceTimersByTimeAsync(501);
    await silent;
    await closed;
  });

  it('that does not begin is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await serveByHand();
    const answer = createModelFetch({ firstTokenMs: 1_000, idleMs: 500 })(server.url, STREAMED);
    const silent = expect(answer).rejects.toMatchObject({ name: 'ModelSilentError', hasBegun: false, limitMs: 1_000 });
    await vi.advanceTimersByTimeAsync(1_001);
    await silent;
  });

  it.each([
    ['sends nothing', ''],
    ['begins and does not end', '{"choices":'],
  ])('is not the only answer that is given up: so is one that is not streamed and %s', async (_, begun) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await serveByHand();
    const body = '{"stream": false}';
    const answer = createModelFetch({ firstTokenMs: 1_000, idleMs: 500 })(server.url, { method: 'POST', body });
    let hasEnded = false;
    const silent = expect(answer.finally(() => (hasEnded = true))).rejects.toMatchObject({ limitMs: 1_500 });
    const response = await server.response('application/json');
    const closed = once(response, 'close');
    if (begun !== '') response.write(begun);
    await vi.advanceTimersByTimeAsync(1_400);
    expect(hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(101);
    await silent;
    await closed;
  });

  it('comes in larger pieces while the processor is busy, and whole up to its interruption', async () => {
    busy.ms = 200;
    const piece = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
    const server = await serveByHand();
    const answer = modelFetch(server.url, STREAMED);
    await server.write(piece('One'));
    const reader = (await answer).body!.getReader();
    const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await read()).toBe(piece('One'));
    for (const word of [' two', ' three', ' four']) await server.write(piece(word));
    (await server.response()).socket?.destroySoon();
    expect(JSON.parse((await read()).slice('data: '.length))).toEqual({
      choices: [{ index: 0, delta: { content: ' two three four' } }],
    });
    await expect(reader.read()).rejects.toThrow();
  });

  it('ends by its caller, too', async () => {
    const server = await serveByHand();
    const caller = new AbortController();
    const answer = modelFetch(server.url, { ...STREAMED, signal: caller.signal });
    await server.write('data: {}\n\n');
    const reader = (await answer).body!.getReader();
    await reader.read();
    const closed = server.response().then((response) => once(response, 'close'));
    const next = reader.read();
    caller.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
  });
});
