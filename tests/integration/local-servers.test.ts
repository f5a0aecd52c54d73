import { text as readAll } from 'node:stream/consumers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { tryProvider } from '#server/settings/try-provider';
import { createModelSources } from '#server/models/model-registry';
import { LocalConnection } from '#server/models/local-connection';
import { parseEnv } from '#server/platform/config/env';
import { requestGate } from '#server/models/wire/request-gate';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { Services } from '#server/services';
import { answerText, say } from '#tests/support/chat-client';
import { startFakeOllama } from '#tests/support/fake-ollama';
import { startLoopback } from '#tests/support/loopback-server';
import { startTestServices } from '#tests/support/test-services';

type Route = (outgoing: ServerResponse, body: { readonly stream?: boolean; readonly model?: string }) => void;

/** A server of these routes; others are 404. Answers are those that real servers gave (see each test). */
async function serve(routes: Readonly<Record<string, Route>>) {
  const asked: string[] = [];
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const sent = await readAll(incoming);
    const route = `${incoming.method} ${incoming.url}`;
    asked.push(route);
    const answer = routes[route] ?? json({ error: 'not found' }, 404);
    answer(outgoing, sent === '' ? {} : (JSON.parse(sent) as object));
  }
  const server = await startLoopback((incoming, outgoing) => void handle(incoming, outgoing));
  return { asked, baseUrl: `${server.url}/v1`, [Symbol.asyncDispose]: server.close };
}

const json =
  (value: unknown, status = 200): Route =>
  (outgoing) =>
    void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const said = (outgoing: ServerResponse, text: string) => {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  outgoing.end(`${chunk({ content: text })}${chunk({}, 'stop')}data: [DONE]\n\n`);
};
const called = (outgoing: ServerResponse) => {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  const call = { index: 0, id: 'call1', type: 'function', function: { name: 'ready', arguments: '{"word":"yes"}' } };
  outgoing.end(`${chunk({ tool_calls: [call] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
};

/** llama-cpp-python 0.3.36, as it answered. */
const pythonList = json({
  object: 'list',
  data: [{ id: '/models/studio-7b.gguf', object: 'model', owned_by: 'me', permissions: [] }],
});
/** llama-server 0.5, as it answered (shortened). */
const llamaProps = json({
  default_generation_settings: { n_ctx: 32_768 },
  total_slots: 4,
  model_alias: 'studio-7b',
  model_path: '',
});
const loading = json({ error: { message: 'Loading model', type: 'unavailable_error', code: 503 } }, 503);
const noJinja = json({ error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }, 500);

/** A router with two models, as it answered. */
const routerProps = json({
  role: 'router',
  default_generation_settings: { params: null, n_ctx: 0 },
  model_alias: 'llama-server',
  model_path: 'none',
});
const routerList = json({
  object: 'list',
  data: [
    { id: 'studio-1b', object: 'model', owned_by: 'llamacpp', status: { value: 'unloaded' } },
    {
      id: 'studio-7b',
      object: 'model',
      owned_by: 'llamacpp',
      status: { value: 'loaded' },
      meta: { n_ctx: 4_096, n_ctx_train: 8_192 },
    },
  ],
});

/** The connection test. */
async function attempt(baseUrl: string, answerTimeoutMs = 20_000, signal?: AbortSignal) {
  const connection = { id: 'openai-compatible', baseUrl, apiKey: undefined, source: 'stored' } as const;
  const local = new LocalConnection(connection);
  const find = (id: string) =>
    createModelSources(parseEnv({}), {}, () => [connection], { localServer: () => local }).find(id);
  return tryProvider(connection, { modelId: null, find, answerTimeoutMs, signal });
}

async function start(baseUrl: string, model: string, env: Record<string, string> = {}): Promise<Services> {
  return startTestServices({
    OPENAI_COMPATIBLE_BASE_URL: baseUrl,
    DEFAULT_MODEL: `local/${model}`,
    CONTEXT_WINDOW: '32768',
    CONTEXT_BACKGROUND_SUMMARIES: 'false',
    ...env,
  });
}

describe('a server that must not be disturbed', () => {
  it.each([
    ['llama-cpp-python', { 'GET /v1/models': pythonList }],
    ['llama.cpp', { 'GET /props': llamaProps }],
  ])('%s gets one request at a time, and llama-cpp-python nothing else while it answers', async (name, routes) => {
    const held: ServerResponse[] = [];
    await using server = await serve({
      ...routes,
      'POST /v1/chat/completions': (outgoing) => void held.push(outgoing),
    });
    await using services = await start(server.baseUrl, 'studio-7b');
    const [one, two] = await Promise.all([1, 2].map(() => services.sessions.create({ ownerId: 'own_local' })));
    const first = say(services, one!.id, 'Hello');
    await vi.waitUntil(() => held.length === 1);
    const second = say(services, two!.id, 'Hello too');
    await vi.waitUntil(() => requestGate(server.baseUrl).waiting === 1);
    const before = server.asked.length;
    await services.models.refresh(true);
    const lists = server.asked.slice(before).filter((route) => route.startsWith('GET'));
    expect(lists.length > 0).toBe(name === 'llama.cpp');
    expect(held).toHaveLength(1);
    said(held[0]!, 'First.');
    expect(answerText(await first)).toBe('First.');
    await vi.waitUntil(() => held.length === 2);
    said(held[1]!, 'Second.');
    expect(answerText(await second)).toBe('Second.');
  });

  it('llama-cpp-python gets no message before its list is read', async () => {
    const held: ServerResponse[] = [];
    let holdsLists = false;
    const heldLists: (() => void)[] = [];
    await using server = await serve({
      'GET /v1/models': (outgoing, body) => {
        if (holdsLists) heldLists.push(() => pythonList(outgoing, body));
        else pythonList(outgoing, body);
      },
      'POST /v1/chat/completions': (outgoing) => void held.push(outgoing),
    });
    await using services = await start(server.baseUrl, 'studio-7b');
    await services.models.refresh(true);
    holdsLists = true;
    const refresh = services.models.refresh(true);
    await vi.waitUntil(() => heldLists.length === 1);
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    const answer = say(services, id, 'Hello');
    await vi.waitUntil(() => requestGate(server.baseUrl).waiting === 1);
    expect(held).toHaveLength(0);
    heldLists[0]!();
    await refresh;
    await vi.waitUntil(() => held.length === 1);
    const before = server.asked.length;
    await services.models.refresh(true);
    expect(server.asked).toHaveLength(before);
    said(held[0]!, 'Here.');
    expect(answerText(await answer)).toBe('Here.');
  });

  it('lets the next message go when the person stops the answer', async () => {
    const held: ServerResponse[] = [];
    await using server = await serve({
      'GET /v1/models': pythonList,
      'POST /v1/chat/completions': (outgoing) => void held.push(outgoing),
    });
    await using services = await start(server.baseUrl, 'studio-7b');
    const [one, two] = await Promise.all([1, 2].map(() => services.sessions.create({ ownerId: 'own_local' })));
    const stopped = say(services, one!.id, 'Hello').catch(() => null);
    await vi.waitUntil(() => held.length === 1);
    const second = say(services, two!.id, 'Hello too');
    await vi.waitUntil(() => requestGate(server.baseUrl).waiting === 1);
    await services.chat.cancel(one!.id);
    await stopped;
    await vi.waitUntil(() => held.length === 2);
    said(held[1]!, 'Second.');
    expect(answerText(await second)).toBe('Second.');
  });

  // Ollama, LM Studio and vLLM have a queue of their own, and so may servers that are not known.
  it.each<[string, Readonly<Record<string, Route>>, Record<string, string>, number]>([
    [
      'Ollama',
      { 'GET /api/ps': json({ models: [] }), 'GET /api/tags': json({ models: [{ name: 'studio-7b' }] }) },
      {},
      3,
    ],
    ['LM Studio', { 'GET /api/v0/models': json({ data: [{ id: 'studio-7b', state: 'loaded', type: 'llm' }] }) }, {}, 3],
    [
      'vLLM',
      { 'GET /v1/models': json({ data: [{ id: 'studio-7b', owned_by: 'vllm', max_model_len: 32_768 }] }) },
      {},
      3,
    ],
    ['another server', { 'GET /v1/models': json({ data: [{ id: 'studio-7b', owned_by: 'koboldcpp' }] }) }, {}, 3],
    ['llama.cpp with a number of its owner', { 'GET /props': llamaProps }, { LOCAL_PARALLEL_REQUESTS: '2' }, 2],
    ['a router of llama.cpp', { 'GET /props': routerProps, 'GET /v1/models': routerList }, {}, 1],
  ])('%s gets as many requests at a time as it takes', async (_, routes, env, most) => {
    const held: ServerResponse[] = [];
    const hold: Route = (outgoing) => void held.push(outgoing);
    await using server = await serve({ ...routes, 'POST /v1/chat/completions': hold, 'POST /api/chat': hold });
    await using services = await start(server.baseUrl, 'studio-7b', env);
    const sessions = await Promise.all([1, 2, 3].map(() => services.sessions.create({ ownerId: 'own_local' })));
    const answers = sessions.map(({ id }) => say(services, id, 'Hello').catch(() => null));
    await vi.waitUntil(() => held.length === most && requestGate(server.baseUrl).waiting === 3 - most);
    for (let index = 0; index < 3; index += 1) {
      await vi.waitUntil(() => held.length > index);
      held[index]!.writeHead(401).end();
    }
    await Promise.all(answers);
  });
});

/** Routes that answer in this way until `requests` requests have come. */
function loadingFirst(answer: Route, requests: number, routes: Readonly<Record<string, Route>>) {
  let count = 0;
  const first =
    (route: Route): Route =>
    (outgoing, body) =>
      (count += 1) <= requests ? answer(outgoing, body) : route(outgoing, body);
  return Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, first(route)]));
}

describe('a server that is loading its model', () => {
  it('is waited for', async () => {
    await using server = await serve({
      'GET /props': llamaProps,
      // More often than a failed request is repeated.
      ...loadingFirst(loading, 5, { 'POST /v1/chat/completions': (outgoing) => said(outgoing, 'Here I am.') }),
    });
    await using services = await start(server.baseUrl, 'studio-7b');
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    expect(answerText(await say(services, id, 'Hello'))).toBe('Here I am.');
  });

  it('and refuses everything is asked for its window first', async () => {
    const held: ServerResponse[] = [];
    await using server = await serve(
      loadingFirst(loading, 6, {
        'GET /api/v0/models': json({ error: 'not found' }, 404),
        'GET /props': llamaProps,
        'GET /api/ps': json({ error: 'not found' }, 404),
        'GET /v1/models': json({ data: [{ id: 'studio-7b' }] }),
        'POST /v1/chat/completions': (outgoing) => void held.push(outgoing),
      }),
    );
    await using services = await startTestServices({
      OPENAI_COMPATIBLE_BASE_URL: server.baseUrl,
      DEFAULT_MODEL: 'local/studio-7b',
    });
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    const answered = say(services, id, 'Hello');
    await vi.waitUntil(() => held.length === 1);
    expect(services.models.limits('local/studio-7b')).toMatchObject({ contextWindow: 32_768, known: true });
    // A llama.cpp server gets one request at a time.
    expect(requestGate(server.baseUrl).isBusy).toBe(true);
    said(held[0]!, 'Here I am.');
    expect(answerText(await answered)).toBe('Here I am.');
  });
});

describe('the chat shows', () => {
  /** What a message waits for, in order. */
  async function reasonsOf(services: Services, sessionId: string): Promise<unknown[]> {
    const session = await services.sessions.get(sessionId);
    const request = { texts: ['Hello'], modelId: null, approvalPolicy: 'allow', clientRequestId: null } as const;
    const sent = await services.chat.send({ session, ...request, scopes: scopesOfRole.admin, replaces: undefined });
    if (sent.kind !== 'started') throw new Error('The message was queued.');
    const reasons: unknown[] = [];
    for await (const each of sent.stream) {
      if (each.type === 'data-waiting') reasons.push((each.data as { reason?: unknown }).reason);
    }
    return reasons;
  }

  it('that a server loads its model', async () => {
    await using server = await serve({
      'GET /props': llamaProps,
      ...loadingFirst(loading, 1, { 'POST /v1/chat/completions': (outgoing) => said(outgoing, 'Here.') }),
    });
    await using services = await start(server.baseUrl, 'studio-7b');
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    expect(await reasonsOf(services, id)).toEqual(['loading', 'sent']);
    expect(await reasonsOf(services, id)).toEqual([]);
  });

  it('that Ollama loads a model, once', async () => {
    await using ollama = await startFakeOllama({ models: [{ name: 'studio:3b' }] });
    await using services = await start(ollama.baseUrl, 'studio:3b');
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    expect(await reasonsOf(services, id)).toEqual(['loading', 'sent']);
    expect(await reasonsOf(services, id)).toEqual([]);
  });

  it('that a message waits for another answer of the server', async () => {
    await using server = await serve({
      'GET /props': llamaProps,
      'POST /v1/chat/completions': (outgoing) => said(outgoing, 'Here.'),
    });
    await using services = await start(server.baseUrl, 'studio-7b');
    const leave = await requestGate(server.baseUrl).enter(1, 2, undefined, () => undefined);
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    const reasons = reasonsOf(services, id);
    await vi.waitUntil(() => requestGate(server.baseUrl).waiting === 1);
    leave();
    expect(await reasons).toEqual(['queued', 'sent']);
  });
});

it('a server that never ends loading its model is given up', async () => {
  await using server = await serve(
    Object.fromEntries(
      ['GET /api/v0/models', 'GET /props', 'GET /api/ps', 'GET /v1/models', 'POST /v1/chat/completions'].map((name) => [
        name,
        loading,
      ]),
    ),
  );
  await using services = await start(server.baseUrl, 'studio-7b', { FIRST_TOKEN_TIMEOUT: '1' });
  const { id } = await services.sessions.create({ ownerId: 'own_local' });
  await expect(say(services, id, 'Hello')).rejects.toThrow(/did not begin to answer/);
  const connection = { id: 'openai-compatible', baseUrl: server.baseUrl, apiKey: undefined, source: 'stored' } as const;
  const test = tryProvider(connection, { modelId: null, find: () => null, loadTimeoutMs: 1 });
  expect(await test).toMatchObject({ ok: false, problem: 'unreachable' });
});

describe('the connection test', () => {
  it('waits while the model is loaded, longer than for a silent one', async () => {
    let count = 0;
    await using server = await serve({
      'GET /props': llamaProps,
      'GET /v1/models': json({ data: [{ id: 'studio-7b' }] }),
      'POST /v1/chat/completions': (outgoing, body) => ((count += 1) <= 2 ? loading(outgoing, body) : called(outgoing)),
    });
    expect(await attempt(server.baseUrl, 400)).toMatchObject({ ok: true, modelId: 'local/studio-7b' });
  });

  it('ends while the server is loading its model when its caller leaves', async () => {
    await using server = await serve({ 'GET /v1/models': loading });
    const gone = new AbortController();
    const left = attempt(server.baseUrl, 60_000, gone.signal);
    await vi.waitUntil(() => server.asked.length === 2);
    gone.abort();
    expect(await left).toMatchObject({ ok: false });
  });

  const row = (id: string) => ({ id, object: 'model' });
  // LocalAI and gateways list models of all kinds; LM Studio and Ollama tell the kind of each.
  it.each<[string, Readonly<Record<string, Route>>]>([
    [
      'LocalAI',
      {
        'GET /v1/models': json({
          data: ['whisper-1', 'bge-reranker-v2-m3', 'stablediffusion', 'all-minilm', 'studio-7b'].map(row),
        }),
      },
    ],
    [
      'a gateway',
      { 'GET /v1/models': json({ data: ['text-embedding-nomic', 'tts-1', 'multilingual-e5', 'studio-7b'].map(row) }) },
    ],
    [
      'LM Studio',
      {
        'GET /v1/models': json({ data: ['nomic', 'studio-7b'].map(row) }),
        'GET /api/v0/models': json({
          data: [
            { id: 'nomic', type: 'embeddings', state: 'loaded' },
            { id: 'studio-7b', type: 'llm', state: 'not-loaded' },
          ],
        }),
      },
    ],
    ['a router of llama.cpp', { 'GET /props': routerProps, 'GET /v1/models': routerList }],
  ])('tries a model that can chat, of the list of %s', async (_, routes) => {
    await using server = await serve({ ...routes, 'POST /v1/chat/completions': (outgoing) => called(outgoing) });
    expect(await attempt(server.baseUrl)).toMatchObject({ ok: true, modelId: 'local/studio-7b' });
  });

  it('ends without a sign of life, and when its caller leaves', async () => {
    await using server = await serve({
      'GET /v1/models': json({ data: [{ id: 'studio-7b' }] }),
      'POST /v1/chat/completions': () => undefined,
    });
    expect(await attempt(server.baseUrl, 50)).toMatchObject({ ok: false, problem: 'model' });
    const before = server.asked.length;
    const gone = new AbortController();
    const left = attempt(server.baseUrl, 60_000, gone.signal);
    await vi.waitUntil(() => server.asked.slice(before).some((route) => route.startsWith('POST /v1/chat')));
    gone.abort();
    expect(await left).toMatchObject({ ok: false });
  });

  it('tells how to start llama-server so that tools work', async () => {
    await using server = await serve({
      'GET /props': llamaProps,
      'GET /v1/models': json({ data: [{ id: 'studio-7b' }] }),
      'POST /v1/chat/completions': noJinja,
    });
    const { ok, problem, message } = await attempt(server.baseUrl);
    expect({ ok, problem }).toEqual({ ok: false, problem: 'tools' });
    expect(message).toContain('Start llama-server with --jinja');
  });
});
