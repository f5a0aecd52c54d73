import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChatMessage } from '#lib/chat-message';
import { ChatSession } from '#lib/chat-session';
import { messageText } from '#lib/chat-message';

/** A server with one session: as much of our REST contract as a conversation speaks. Turns end when told to. */
class FakeServer {
  readonly stored: ChatMessage[] = [];
  readonly requests: { id: string; text: string }[] = [];
  refusesNext = false;
  /** Ends the running turn with this text just before somebody could follow it. */
  endsBeforeFollow: string | null = null;
  #turn: { chunks: object[]; readers: Set<ReadableStreamDefaultController<Uint8Array>> } | null = null;
  #queue: string[] = [];

  readonly fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    if (path.includes('/messages')) return Response.json({ items: structuredClone(this.stored), nextCursor: null });
    if (path.endsWith('/stream') && this.endsBeforeFollow !== null) {
      this.endTurn(this.endsBeforeFollow);
      this.endsBeforeFollow = null;
    }
    if (path.endsWith('/stream')) return this.#turn ? this.#follow() : new Response(null, { status: 204 });
    const body = JSON.parse(init.body as string) as { message: ChatMessage; clientRequestId: string };
    this.requests.push({ id: body.clientRequestId, text: messageText(body.message) });
    if (this.refusesNext) {
      this.refusesNext = false;
      return Response.json({ error: { code: 'unavailable', message: 'Not now.' } }, { status: 503 });
    }
    if (this.#turn) {
      this.#queue.push(messageText(body.message));
      return Response.json({ queued: true, position: 1, id: `que_${String(this.#queue.length)}` }, { status: 202 });
    }
    this.startTurn(messageText(body.message));
    return this.#follow();
  };

  startTurn(text: string): void {
    const number = String(this.stored.length);
    this.stored.push(
      { id: `msg_user${number}`, role: 'user', parts: [{ type: 'text', text }] },
      { id: `msg_answer${number}`, role: 'assistant', metadata: { createdAt: 0, status: 'streaming' }, parts: [] },
    );
    this.#turn = { chunks: [], readers: new Set() };
    this.#publish({ type: 'start', messageId: `msg_answer${number}` });
  }

  /** Answers with `text`, ends the turn and starts the one of the queued messages, as the real server does. */
  endTurn(text: string): void {
    const turn = this.#turn;
    const answer = this.stored.at(-1);
    answer?.parts.push({ type: 'text', text, state: 'done' });
    if (answer?.metadata) answer.metadata = { ...answer.metadata, status: 'complete' };
    this.#publish({ type: 'text-start', id: 't' });
    this.#publish({ type: 'text-delta', id: 't', delta: text });
    this.#publish({ type: 'text-end', id: 't' });
    this.#publish({ type: 'finish', messageMetadata: { status: 'complete' } });
    this.#turn = null;
    const waiting = this.#queue.splice(0);
    if (waiting.length > 0) this.startTurn(waiting.join('\n\n'));
    for (const reader of turn?.readers ?? []) reader.close();
  }

  /** Ends the turn and answers each queued message in a turn of its own, all before anybody can look. */
  endAllTurns(text: string): void {
    const waiting = this.#queue.splice(0);
    this.endTurn(text);
    for (const request of waiting) {
      this.startTurn(request);
      this.endTurn(`Done: ${request}`);
    }
  }

  #publish(chunk: object): void {
    this.#turn?.chunks.push(chunk);
    for (const reader of this.#turn?.readers ?? []) reader.enqueue(encode(chunk));
  }

  #follow(): Response {
    const turn = this.#turn;
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        for (const chunk of turn?.chunks ?? []) controller.enqueue(encode(chunk));
        turn?.readers.add(controller);
      },
      cancel: () => void turn?.readers.delete(own),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }
}

const encode = (chunk: object) => new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);

const transcript = (session: ChatSession) => session.chat.messages.map(messageText);

describe('ChatSession', () => {
  let server: FakeServer;
  let session: ChatSession;
  const settled = vi.fn<(sessionId: string) => void>();

  beforeEach(() => {
    server = new FakeServer();
    vi.stubGlobal('fetch', server.fetch);
    settled.mockClear();
    session = new ChatSession('ses_1', { onContext: () => undefined, onSettled: settled });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('shows what is sent and what is answered', async () => {
    session.startEmpty();
    const sending = session.send('Hello', undefined);
    await vi.waitUntil(() => session.chat.status === 'submitted' && server.requests.length === 1);
    server.endTurn('Good day.');
    await sending;
    expect(transcript(session)).toEqual(['Hello', 'Good day.']);
    expect(settled).toHaveBeenCalledWith('ses_1');
  });

  it('queues while a turn runs, then follows the next turn without a duplicate', async () => {
    session.startEmpty();
    const sending = session.send('First', undefined);
    await vi.waitUntil(() => server.requests.length === 1);
    await session.send('Second', undefined);
    expect(session.getState().queue.map(({ text }) => text)).toEqual(['Second']);
    expect(transcript(session)).not.toContain('Second');

    server.endTurn('One.');
    await vi.waitUntil(() => transcript(session).includes('Second'));
    expect(session.getState().queue).toEqual([]);
    server.endTurn('Two.');
    await sending;
    expect(transcript(session)).toEqual(['First', 'One.', 'Second', 'Two.']);
  });

  it('forgets queued messages that were answered while nobody looked, equal ones one by one', async () => {
    session.startEmpty();
    const sending = session.send('Continue', undefined);
    await vi.waitUntil(() => server.requests.length === 1);
    await session.send('Continue', undefined);
    await session.send('Third', undefined);
    expect(session.getState().queue).toHaveLength(2);

    server.endAllTurns('One.');
    await sending;
    expect(session.getState().queue).toEqual([]);
    expect(transcript(session)).toEqual(['Continue', 'One.', 'Continue', 'Done: Continue', 'Third', 'Done: Third']);
  });

  it('moves a message to the queue when the server already runs a turn we did not know of', async () => {
    session.startEmpty();
    server.startTurn('From another window');
    const sending = session.send('Mine', undefined);
    await vi.waitUntil(() => session.getState().queue.length === 1);
    expect(transcript(session)).not.toContain('Mine');
    server.endTurn('One.');
    await vi.waitUntil(() => session.getState().queue.length === 0);
    server.endTurn('Two.');
    await sending;
    expect(transcript(session)).toEqual(['From another window', 'One.', 'Mine', 'Two.']);
  });

  it('picks up a running turn when it is opened, without a duplicate', async () => {
    server.startTurn('Before the reload');
    const opening = session.open();
    await vi.waitUntil(() => session.isRunning);
    server.endTurn('Still here.');
    await opening;
    expect(transcript(session)).toEqual(['Before the reload', 'Still here.']);
    expect(session.getState().load).toBe('ready');
  });

  it('shows the whole answer when its turn ends between loading and following', async () => {
    server.startTurn('Before the reload');
    server.endsBeforeFollow = 'The whole answer.';
    await session.open();
    expect(transcript(session)).toEqual(['Before the reload', 'The whole answer.']);
  });

  it('looks once more for the answer to a request that has none, and then leaves it', async () => {
    server.stored.push({ id: 'msg_1', role: 'user', parts: [{ type: 'text', text: 'Anybody?' }] });
    await session.open();
    expect(transcript(session)).toEqual(['Anybody?']);
  });

  it('keeps a message that was refused and sends it again under the same key', async () => {
    session.startEmpty();
    server.refusesNext = true;
    await session.send('Keep me', undefined);
    const [failed] = session.getState().failedSends;
    expect(failed?.reason).toBe('Not now.');
    expect(transcript(session)).toEqual(['Keep me']);

    const sending = session.resend(failed?.messageId ?? '');
    await vi.waitUntil(() => server.requests.length === 2);
    server.endTurn('Thank you.');
    await sending;
    expect(new Set(server.requests.map(({ id }) => id)).size).toBe(1);
    expect(transcript(session)).toEqual(['Keep me', 'Thank you.']);
    expect(session.getState().failedSends).toEqual([]);
  });
});
