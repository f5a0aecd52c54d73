import { describe, expect, it } from 'vitest';
import { queueSchema, queuedItemSchema } from '#server/core/conversation/events';
import { messageSchema } from '#server/core/conversation/messages';
import { cancelledSchema, enqueuedSchema, queuedSchema } from '#server/core/conversation/turns';
import { sessionSchema } from '#server/core/conversation/sessions';
import { pageOf } from '#server/core/shapes';
import { clearedSchema, startedSchema } from '#server/http/schemas/chat';
import { said } from '#tests/support/said';
import { errorBody, type RestAnswer } from '#tests/support/rest-client';
import { useScriptedServer } from '#tests/support/scripted-server';

/** The model answers immediately, except: "Wait" never; "Tell" slowly, for a minute. */
const words = Array.from({ length: 6_000 }, (_, index) => `word${index} `);

const server = useScriptedServer(({ messages }) => {
  const last = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  if (last.includes('Wait')) return { hang: true };
  return last.includes('Tell') ? { chunks: words, chunkDelayMs: 10 } : { text: 'Done.' };
});
const { call, send } = server;

/** A session in which a turn runs that does not end by itself. */
async function startBusy(text: string) {
  const { id } = await call(sessionSchema, 201, 'POST', '/api/sessions', {});
  const requests = server.provider.requests.length;
  const answering = send('POST', '/api/chat', { id, message: said(text) });
  const request = await server.provider.waitForRequest(({ index }) => index === requests);
  return { id, answering, request };
}

const enqueue = (sessionId: string, text: string, more: object = {}) =>
  call(enqueuedSchema, 202, 'POST', '/api/message/queue', { sessionId, message: said(text), ...more });
const readQueue = (id: string) => call(queueSchema, 200, 'GET', `/api/message/queue?sessionId=${id}`);
const cancel = (id: string) => call(cancelledSchema, 200, 'POST', `/api/chat/${id}/cancel`);

async function readMessages(id: string) {
  const { items } = await call(pageOf(messageSchema), 200, 'GET', `/api/sessions/${id}/messages?limit=1000`);
  return items;
}

async function transcript(id: string): Promise<string[]> {
  const messages = await readMessages(id);
  return messages.map(
    ({ role, parts }) => `${role}: ${parts.map((p) => (p.type === 'text' ? p.content.text : '')).join('')}`,
  );
}

/** Waits for the turns of a session, as a client that has come late does it. */
async function untilIdle(id: string): Promise<void> {
  let answer: RestAnswer;
  do answer = await send('GET', `/api/chat/${id}/stream`);
  while (answer.status !== 204);
}

describe('the queue', () => {
  it('is listed, edited, thinned and cleared while a turn runs', async () => {
    const { id, answering } = await startBusy('Wait');
    const made = [];
    for (const text of ['one', 'two', 'three']) made.push(await enqueue(id, text));
    expect(made.map(({ queued, position }) => [queued, position])).toEqual([
      [true, 1],
      [true, 2],
      [true, 3],
    ]);
    const before = await readQueue(id);
    expect(before).toMatchObject({
      items: ['one', 'two', 'three'].map((text) => ({ text, modelId: null })),
      held: false,
    });
    expect(before.items.map((item) => item.id)).toEqual(made.map((item) => item.id));

    const [first, second] = before.items.map((item) => `/api/message/queue/${item.id}`);
    const edited = await call(queuedItemSchema, 200, 'PATCH', first!, { message: said('uno') });
    expect(edited).toEqual({ ...before.items[0], text: 'uno' });
    const removed = await send('DELETE', second!);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await call(errorBody, 404, 'DELETE', second!)).error.code).toBe('not_found');
    expect((await readQueue(id)).items.map(({ text }) => text)).toEqual(['uno', 'three']);

    expect(await call(clearedSchema, 200, 'DELETE', `/api/message/queue?sessionId=${id}`)).toEqual({ removed: 2 });
    expect(await readQueue(id)).toEqual({ items: [], held: false });
    await cancel(id);
    await answering;
    expect(await transcript(id)).toEqual(['user: Wait', 'assistant: ']);
  });

  it('takes a repeated request once, and a hundred messages', async () => {
    const { id, answering } = await startBusy('Wait');
    const first = await enqueue(id, 'one', { clientRequestId: 'mine' });
    expect(await enqueue(id, 'one', { clientRequestId: 'mine' })).toEqual(first);
    for (let position = 2; position <= 100; position += 1) expect((await enqueue(id, 'more')).position).toBe(position);
    const body = { sessionId: id, message: said('one too many') };
    expect((await call(errorBody, 429, 'POST', '/api/message/queue', body)).error.code).toBe('queue_full');
    expect((await call(errorBody, 429, 'POST', '/api/chat', { id, message: said('too') })).error.code).toBe(
      'queue_full',
    );
    await cancel(id);
    await answering;
  });

  it('starts a turn when none runs', async () => {
    const { id } = await call(sessionSchema, 201, 'POST', '/api/sessions', {});
    const outcome = await enqueue(id, 'Hello');
    expect(outcome).toMatchObject({ queued: false, position: 0 });
    await untilIdle(id);
    const messages = await readMessages(id);
    expect(messages[0]?.id).toBe(outcome.id);
    expect(await transcript(id)).toEqual(['user: Hello', 'assistant: Done.']);
  });
});

describe('cancel', () => {
  it("keeps the text, closes the provider's call, and holds the queue until it is sent", async () => {
    const { id, answering, request } = await startBusy('Tell me all');
    await server.provider.waitForText((sent) => sent.includes('word30 '));
    await enqueue(id, 'one');
    await enqueue(id, 'two');
    expect(await cancel(id)).toEqual({ cancelled: true, persisted: 'partial_assistant' });
    await answering;
    const left = await server.provider.waitForRequest((each) => each === request && each.state !== 'open');
    expect(left.state).toBe('client-closed');
    expect((await readMessages(id)).at(-1)).toMatchObject({
      role: 'assistant',
      status: 'interrupted',
      finishReason: 'cancelled',
      parts: [{ type: 'text', content: { text: expect.stringContaining('word0 word1 ') as string } }],
    });
    expect(await readQueue(id)).toMatchObject({ items: [{ text: 'one' }, { text: 'two' }], held: true });

    expect(await call(startedSchema, 200, 'POST', `/api/message/queue/send?sessionId=${id}`)).toEqual({
      started: true,
    });
    await untilIdle(id);
    expect(await readQueue(id)).toEqual({ items: [], held: false });
    expect((await transcript(id)).slice(-2)).toEqual(['user: First: one\n\nAlso: two', 'assistant: Done.']);
    expect(JSON.stringify(server.provider.requests.at(-1)?.messages)).toContain('[The user stopped this answer here.]');
  });

  it('leaves the choice of one waiting message, which is sent alone', async () => {
    const { id, answering } = await startBusy('Wait');
    await enqueue(id, 'one');
    const two = queuedSchema.parse(await enqueue(id, 'two'));
    await cancel(id);
    await answering;
    expect(await call(startedSchema, 200, 'POST', `/api/message/queue/${two.id}/send`)).toEqual({ started: true });
    await untilIdle(id);
    expect((await transcript(id)).slice(-2)).toEqual(['user: two', 'assistant: Done.']);
    expect(await readQueue(id)).toMatchObject({ items: [{ text: 'one' }], held: true });
    expect((await call(errorBody, 404, 'POST', `/api/message/queue/${two.id}/send`)).error.code).toBe('not_found');
  });
});

it('nothing of all this was a fault of the server', () => {
  expect(server.logs()).not.toMatch(/"level":(50|60)/);
});
