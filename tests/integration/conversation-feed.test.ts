import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readEventFrames } from '#components/api/event-stream.ts';
import {
  EMPTY_CONVERSATION,
  type FeedEvent,
  foldEvent,
  foldEvents,
} from '#server/core/conversation/conversation-state';
import { sessionEventSchemas } from '#server/core/conversation/events';
import { type SessionActivity, sessionActivitySchemas } from '#server/core/conversation/session-overview';
import { withTokens } from '#server/context/part-tokens';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { localOwner } from '#server/platform/auth/authenticator';
import { turns } from '#tests/support/context-session';
import { decisionsOn } from '#tests/support/decisions';
import { callRoute, serve } from '#tests/support/routes';
import { foldTurn, type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { finish, heldStep, says, type ScriptedStep, textBlock, toolCall } from '#tests/support/scripted-model';

const DEADLINE_MS = 30_000;
const ASK = { TOOL_POLICIES: 'create_content=ask' };
const asking: ScriptedStep = [
  ...toolCall('c1', 'create_content', JSON.stringify({ type: 'page', title: 'About' })),
  finish('tool-calls'),
];
const asksTwice: ScriptedStep = [
  ...toolCall('c1', 'create_content', JSON.stringify({ type: 'page', title: 'About' })),
  ...toolCall('c2', 'create_content', JSON.stringify({ type: 'page', title: 'Jobs' })),
  finish('tool-calls'),
];

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** The routes of a chat's services over HTTP on a free port. */
async function start(steps: readonly ScriptedStep[], env: Record<string, string> = {}) {
  const chat = await startScriptedChat(steps, { ...ASK, ...env });
  await serve(Promise.resolve(chat.services));
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(async () => {
    server.closeAllConnections();
    server.close();
    await chat[Symbol.asyncDispose]();
  });
  return { chat, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const made = await callRoute(request.method ?? 'GET', request.url ?? '/', { headers, signal: gone.signal });
  response.writeHead(made.status, Object.fromEntries(made.headers));
  try {
    for await (const chunk of made.body ?? []) response.write(chunk);
  } catch {
    // The client is gone.
  }
  response.end();
}

/** Follows a stream of events until the test ends. */
async function follow<Event extends { name: string; data: unknown }>(
  address: string,
  headers: Record<string, string> = {},
) {
  const ending = new AbortController();
  endings.push(() => Promise.resolve(ending.abort()));
  const response = await fetch(address, { headers, signal: ending.signal });
  const received: (Event & { readonly id: number })[] = [];
  const waiting = new Set<() => void>();
  const read = async () => {
    for await (const { id, event, data } of readEventFrames(response.body!)) {
      if (event === undefined) continue;
      received.push({ id: Number(id), name: event, data: JSON.parse(data ?? '') } as never);
      for (const check of waiting) check();
    }
  };
  if (response.ok) read().catch(() => undefined);
  const until = (isThere: (events: readonly Event[]) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const names = () => received.map(({ name }) => name).join(', ');
      const timer = setTimeout(() => reject(new Error(`Received only ${names()}`)), DEADLINE_MS);
      const check = () => {
        if (!isThere(received)) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { status: response.status, received, until };
}

const ended = (count: number) => (events: readonly FeedEvent[]) =>
  events.filter(({ name }) => name === 'turn:end').length === count;

/** The state of a conversation as the REST API has it. */
async function restState(url: string, { session, services }: ScriptedChat) {
  const get = async (path: string) => (await (await fetch(`${url}/api/${path}`)).json()) as never;
  const page: { items: unknown[]; nextCursor: string | null } = await get(
    `sessions/${session.id}/messages?format=ui&limit=100`,
  );
  const approvals: { items: unknown[] } = await get(`sessions/${session.id}/approvals`);
  const queue: { items: { id: string }[]; held: boolean } = await get(`message/queue?sessionId=${session.id}`);
  const { compactingSince }: { compactingSince: number | null } = await get(`sessions/${session.id}`);
  const turnId = (await services.messages.list(session.id, { limit: 1_000 })).items.at(-1)?.turnId;
  const turn = turnId ? await services.turns.find(turnId) : null;
  return {
    messages: page.items,
    nextCursor: page.nextCursor,
    approvals: approvals.items,
    queue: { ids: queue.items.map(({ id }) => id), held: queue.held },
    compactingSince,
    turn: turn && {
      id: turn.id,
      messageId: turn.userMessageId,
      status: turn.status,
      error: turn.error,
      errorMessage: turn.errorMessage,
    },
  };
}

function folded(events: readonly FeedEvent[], from = EMPTY_CONVERSATION) {
  const { context: _, queue, ...state } = foldEvents(events, from);
  return { ...state, queue: { ids: queue.items.map(({ id }) => id), held: queue.held } };
}

async function settled({ services }: ScriptedChat) {
  await services.chat.idle();
  await services.events.flush();
}

async function decide({ services, session }: ScriptedChat, toolCallId: string) {
  const decisions = await decisionsOn(services.chat, session.id, { toolCallId, approved: true });
  return services.chat.decide(session.id, decisions, scopesOfRole.editor);
}

const longTalk = Array.from({ length: 12 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `${index}: ${'The kiln in the yard is warm and the clay is wet. '.repeat(60)}`,
}));

describe('the feed of a conversation', () => {
  it('adds up to the REST API: turns, queue, approvals, edits, an import and a compaction', async () => {
    const held = heldStep(...textBlock('t', 'First.'));
    const { chat, url } = await start([held.step, says('Second.'), asksTwice, says('Made.'), says('Again.')]);
    const { services, session } = chat;
    const { received, until } = await follow<FeedEvent>(`${url}/api/sessions/${session.id}/events?lastEventId=0`);
    const sent = await chat.send('One');
    await held.said;
    const { id: queued } = (await chat.enqueue('Two', 'client-2')) as { id: string };
    await until((events) => events.some(({ name }) => name === 'queue:changed'));
    expect(folded(received).queue.ids).toEqual([queued]);
    expect(folded(received).turn?.status).toBe('running');
    held.end();
    if (sent.kind === 'started') await foldTurn(sent.stream).catch(() => undefined);
    await settled(chat);
    await until((events) => ended(2)(events) && events.at(-1)?.name !== 'turn:start');
    expect(folded(received)).toEqual(await restState(url, chat));

    await chat.say('Make two pages');
    await settled(chat);
    await until(ended(3));
    expect(folded(received).approvals).toHaveLength(2);
    expect(folded(received)).toEqual(await restState(url, chat));

    await decide(chat, 'c1');
    await until((events) => events.some(({ name }) => name === 'approvals:changed'));
    expect(folded(received).approvals.map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    expect(folded(received)).toEqual(await restState(url, chat));
    await decide(chat, 'c2');
    await settled(chat);
    await until(ended(4));
    expect(folded(received)).toEqual(await restState(url, chat));

    const { messages } = foldEvents(received);
    const newest = messages.findLast(({ role }) => role === 'user')!;
    const replaced = await services.chat.send({
      session: await services.sessions.get(session.id),
      texts: ['Make none'],
      modelId: null,
      scopes: scopesOfRole.admin,
      clientRequestId: 'client-none',
      replaces: { messageId: newest.id },
    });
    if (replaced.kind === 'started') await foldTurn(replaced.stream);
    await settled(chat);
    await until(ended(5));
    expect(folded(received).messages.map(({ id }) => id)).not.toContain(newest.id);
    expect(folded(received).messages.findLast(({ role }) => role === 'user')?.metadata).toMatchObject({
      clientRequestIds: ['client-none'],
      earlierVersion: true,
    });
    expect(folded(received)).toEqual(await restState(url, chat));

    await services.context.import(await services.sessions.get(session.id), longTalk);
    await services.events.flush();
    await until((events) => events.some(({ name }) => name === 'snapshot'));
    expect(folded(received)).toEqual({ ...(await restState(url, chat)), turn: null });

    const record = await services.context.compact(await services.sessions.get(session.id), { strategy: 'ledger' });
    expect(record?.status).toBe('completed');
    await services.events.flush();
    await until((events) => events.some(({ name }) => name === 'compaction:complete'));
    expect(folded(received)).toEqual({ ...(await restState(url, chat)), turn: null });
    expect(JSON.stringify(folded(received).messages)).toContain(record!.id);

    for (const event of received) {
      expect(sessionEventSchemas[event.name].safeParse(event.data).error, event.name).toBeUndefined();
      const state = foldEvents(received.slice(0, received.indexOf(event) + 1));
      expect(foldEvent(state, event), event.name).toEqual(state);
    }
  });

  it('carries imported answers whose results a prune has cleared or its undo has restored', async () => {
    const { chat, url } = await start([], { CONTEXT_WINDOW: '16000' });
    const { services, session } = chat;
    const old = turns(9, 1_500).map((message) => ({ ...message, parts: message.parts.map(withTokens) }));
    await services.messages.appendMany(session.id, old);
    const { received, until } = await follow<FeedEvent>(`${url}/api/sessions/${session.id}/events?snapshot=1`);
    await until((events) => events.length > 0);
    const before = folded(received).messages;

    const { outputsPruned, compactionId } = await services.context.prune(session);
    expect(outputsPruned).toBeGreaterThan(3);
    await until((events) => events.some(({ name }) => name === 'prune:complete'));
    expect(folded(received)).toEqual(await restState(url, chat));
    expect(folded(received).messages).not.toEqual(before);

    await services.context.undo(session, compactionId ?? '');
    await until((events) => events.some(({ name }) => name === 'compaction:undone'));
    expect(folded(received)).toEqual(await restState(url, chat));
    expect(folded(received).messages).toEqual(before);
  });

  it('carries the answer whose calls a new message has declined', async () => {
    const { chat, url } = await start([asksTwice, says('As you like.')]);
    const { received, until } = await follow<FeedEvent>(`${url}/api/sessions/${chat.session.id}/events?lastEventId=0`);
    await chat.say('Make two pages');
    await settled(chat);
    await chat.say('Never mind');
    await settled(chat);
    await until(ended(2));
    expect(folded(received)).toEqual(await restState(url, chat));
    expect(JSON.stringify(folded(received).messages)).toContain('output-denied');
  });

  it('resumes after Last-Event-ID, which wins over the query, or starts with a snapshot', async () => {
    const { chat, url } = await start([says('First.'), asking]);
    const address = `${url}/api/sessions/${chat.session.id}/events`;
    const { received, until } = await follow<FeedEvent>(`${address}?lastEventId=0`);
    await chat.say('One');
    await settled(chat);
    await until(ended(1));
    const again = await follow<FeedEvent>(`${address}?lastEventId=0`);
    await again.until(ended(1));
    expect(again.received).toEqual(received);
    await chat.say('Make a page');
    await settled(chat);
    await until(ended(2));
    const middle = received.findIndex(({ name }) => name === 'turn:end') + 1;
    const rest = await follow<FeedEvent>(`${address}?lastEventId=0`, {
      'last-event-id': String(received[middle - 1]?.id),
    });
    await rest.until(ended(1));
    expect(rest.received.map(({ id }) => id)).toEqual(received.slice(middle).map(({ id }) => id));
    expect(folded(rest.received, foldEvents(received.slice(0, middle)))).toEqual(await restState(url, chat));

    const whole = await follow<FeedEvent>(`${address}?snapshot=1`);
    await whole.until((events) => events.length > 0);
    expect(whole.received.map(({ name }) => name)).toEqual(['snapshot']);
    expect(folded(whole.received)).toEqual(folded(received));
    expect(foldEvents(whole.received).context).toEqual(foldEvents(received).context);
  });

  it('sends one snapshot to a client that has missed more events than are kept', async () => {
    const { chat, url } = await start([says('First.'), says('Second.')]);
    const { services, session } = chat;
    await chat.say('One');
    await settled(chat);
    const first = await services.events.newestId(session.id);
    await chat.say('Two');
    for (let kept = 0; kept < 1_200; kept += 1) services.events.emit(session.id, 'wishes:changed', { kept });
    await settled(chat);
    const address = `${url}/api/sessions/${session.id}/events`;
    const { received, until } = await follow<FeedEvent>(address, { 'last-event-id': String(first) });
    await until((events) => events.length > 0);
    services.events.emit(session.id, 'wishes:changed', { kept: 1 });
    await until((events) => events.length > 1);
    expect(received.map(({ name }) => name)).toEqual(['snapshot', 'wishes:changed']);
    expect(folded(received)).toEqual(await restState(url, chat));
  });
});

describe('the feed of all own conversations', () => {
  type ActivityEvent = { readonly name: string; readonly data: { readonly sessions: readonly SessionActivity[] } };
  const statesOf = (events: readonly ActivityEvent[], sessionId: string) =>
    events.flatMap(({ data }) => data.sessions.filter((each) => each.sessionId === sessionId));

  it('tells which is running, has queued messages, and waits for approval', async () => {
    const held = heldStep(...textBlock('t', 'First.'));
    const { chat, url } = await start([held.step, asking]);
    const { id } = chat.session;
    await chat.send('One');
    await held.said;
    const { received, until } = await follow<ActivityEvent>(`${url}/api/sessions/events`);
    await until((events) => events.length > 0);
    expect(received).toMatchObject([
      { name: 'sessions:snapshot', data: { sessions: [{ sessionId: id, state: 'running', queued: 0 }] } },
    ]);
    await chat.enqueue('Make a page');
    await until((events) => statesOf(events, id).some(({ queued }) => queued === 1));
    held.end();
    await until((events) => statesOf(events, id).some(({ state }) => state === 'waiting_approval'));
    await decide(chat, 'c1').catch(() => undefined);
    await until((events) => statesOf(events, id).at(-1)?.state !== 'waiting_approval');
    for (const { name, data } of received)
      expect(sessionActivitySchemas[name as keyof typeof sessionActivitySchemas].safeParse(data).error).toBeUndefined();
  });

  it('shows a caller its own conversations only, and refuses the feed of another one', async () => {
    const { chat, url } = await start([says('Mine.')]);
    const { services, session } = chat;
    const { key } = await services.keys.create(localOwner, { name: 'Chat', scopes: ['chat'], expiresAt: null });
    const headers = { authorization: `Bearer ${key}` };
    const other = await services.sessions.create({ ownerId: 'own_other', modelId: 'test/scripted' });
    const { received, until } = await follow<ActivityEvent>(`${url}/api/sessions/events`, headers);
    await until((events) => events.length > 0);
    services.events.emit(other.id, 'wishes:changed', { kept: 1 });
    await chat.say('Hello');
    await until((events) => statesOf(events, session.id).length > 0);
    expect(statesOf(received, other.id)).toEqual([]);
    const refused = await fetch(`${url}/api/sessions/${other.id}/events?snapshot=1`, { headers });
    expect(refused.status).toBe(404);
  });
});
