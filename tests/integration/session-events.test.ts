import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '#components/api/api-client.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import type { FollowedEvent } from '#components/api/follow-events.ts';
import { readEventFrames } from '#components/api/event-stream.ts';
import { sessionEventNames, sessionEventSchemas } from '#server/core/conversation/events';
import { type FakeOpenRouter, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const DEADLINE_MS = 60_000;

let provider: FakeOpenRouter;
let server: ProductionServer;
let api: ReturnType<typeof createApiClient>;
const endings: AbortController[] = [];

const ANSWER = { text: 'There is a home page.' };

beforeAll(async () => {
  provider = await startFakeOpenRouter({ respond: () => ANSWER });
  server = await startProductionServer({
    seed: true,
    env: {
      OPENROUTER_API_KEY: 'test',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'openai/gpt-4o',
      CONTEXT_WINDOW: '16000',
    },
  });
  api = createApiClient({ baseUrl: server.url });
});
afterEach(() => {
  for (const ending of endings.splice(0)) ending.abort();
});
afterAll(async () => {
  await server.stop();
  await provider.close();
});

const said = (text: string): ChatMessage => ({ id: text, role: 'user', parts: [{ type: 'text', text }] });
const add = (sessionId: string, text: string) =>
  api.queue.add({ sessionId, message: said(text), clientRequestId: text });

/** Receives a session's events from now on (or after a given one), until the test ends. */
async function listen(sessionId: string, lastEventId?: number, client = api) {
  const ending = new AbortController();
  endings.push(ending);
  const heard: FollowedEvent[] = [];
  const waiting = new Set<() => void>();
  await new Promise<void>((resolve) => {
    client.events(sessionId, {
      signal: ending.signal,
      onOpen: resolve,
      onEvent: (event) => {
        heard.push(event);
        for (const check of waiting) check();
      },
      ...(lastEventId !== undefined && { lastEventId }),
    });
  });
  const until = (isThere: (events: readonly FollowedEvent[]) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const names = () => heard.map(({ name }) => name).join(', ');
      const timer = setTimeout(() => reject(new Error(`Heard only ${names()}`)), DEADLINE_MS);
      const check = () => {
        if (!isThere(heard)) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { heard, until };
}

const ended = (count: number) => (events: readonly FollowedEvent[]) =>
  events.filter(({ name }) => name === 'turn:end').length === count;

/** What one connection says, up to the given number of events. */
async function readRaw(path: string, count: number, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, { headers });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const frames = [];
  for await (const frame of readEventFrames(response.body!)) {
    if (frame.event !== undefined) frames.push(frame);
    if (frames.length === count) break;
  }
  return frames.map(({ id }) => Number(id));
}

describe('the events of a session', () => {
  it('report queue, turns, compaction and context, by the names and schemas of the contract', async () => {
    const { id } = await api.createSession({});
    const { heard, until } = await listen(id);
    const { promise: isQueued, resolve: finishFirst } = Promise.withResolvers<void>();
    provider.begin((_, index) => (index === 0 ? { ...ANSWER, restAfter: isQueued } : ANSWER));
    expect(await add(id, 'List the pages')).toMatchObject({ queued: false });
    expect(await add(id, 'List the posts')).toMatchObject({ queued: true, position: 1 });
    finishFirst();
    await until((events) => events.some(({ name }) => name === 'message:dequeued'));
    await until((events) => {
      const starts = events.filter(({ name }) => name === 'turn:start').length;
      return starts > 0 && ended(starts)(events) && events.at(-1)?.name !== 'turn:start';
    });
    const names = new Set(heard.map(({ name }) => name));
    for (const name of ['message:queued', 'message:dequeued', 'queue:changed', 'turn:start', 'turn:end'] as const) {
      expect(names).toContain(name);
    }
    expect(names).toContain('context:usage');
    for (const { name, data } of heard) {
      expect(sessionEventNames).toContain(name);
      expect(sessionEventSchemas[name].safeParse(data).error, name).toBeUndefined();
    }
    const ids = heard.map((event) => event.id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("resume after the client's last one, by header or query; the header wins", async () => {
    const { id } = await api.createSession({});
    const { heard, until } = await listen(id);
    await add(id, 'List the pages');
    await until(ended(1));
    const ids = heard.map((event) => event.id);
    expect(ids.length).toBeGreaterThan(2);
    const [first = 0, second = 0] = ids;
    const path = `/api/sessions/${id}/events`;
    expect(await readRaw(path, ids.length - 1, { 'last-event-id': String(first) })).toEqual(ids.slice(1));
    expect(await readRaw(`${path}?lastEventId=${first}`, ids.length - 1)).toEqual(ids.slice(1));
    const both = await readRaw(`${path}?lastEventId=0`, ids.length - 2, { 'last-event-id': String(second) });
    expect(both).toEqual(ids.slice(2));
    const again = await listen(id, 0);
    await again.until((events) => events.length === ids.length);
    expect(again.heard).toEqual(heard);
  });
});
