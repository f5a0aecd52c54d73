import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiClient } from '#components/api/api-client.ts';
import type { FollowedEvent, FollowOptions } from '#components/api/follow-events.ts';

const encoder = new TextEncoder();
const frame = (id: number, position: number) =>
  `id: ${id}\nevent: message:queued\ndata: ${JSON.stringify({ id: 'que_1', position })}\n\n`;

/** A server whose connections are opened, written to and broken by the test. */
class FakeServer {
  readonly requests: { url: string; lastEventId: string | null }[] = [];
  /** For the requests to come: an answer of their own, or null for none at all. */
  readonly answers: (Response | null)[] = [];
  #connection: ReadableStreamDefaultController<Uint8Array> | null = null;
  wasCancelled = false;

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    this.requests.push({ url, lastEventId: new Headers(init.headers).get('last-event-id') });
    const answer = this.answers.shift();
    if (answer === null) throw new TypeError('fetch failed');
    if (answer) return answer;
    const { signal } = init;
    return new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#connection = controller;
          signal?.addEventListener('abort', () => controller.error(signal.reason));
        },
        cancel: () => {
          this.wasCancelled = true;
        },
      }),
    );
  };

  write(text: string): void {
    this.#connection?.enqueue(encoder.encode(text));
  }

  close(): void {
    this.#connection?.close();
  }

  breakOff(): void {
    this.#connection?.error(new TypeError('network error'));
  }
}

let server: FakeServer;
let ending: AbortController;
const onUnreachable = vi.fn();
const onOpen = vi.fn();
let heard: FollowedEvent[];
const positions = () => heard.map(({ data }) => ('position' in data ? data.position : null));
/** Lets everything happen that waits for no timer. */
const settle = () => vi.advanceTimersByTimeAsync(0);

async function follow(options: Partial<FollowOptions> = {}): Promise<void> {
  createApiClient({ baseUrl: 'http://there', onUnreachable }).events('ses_1', {
    onEvent: (event) => heard.push(event),
    onOpen,
    signal: ending.signal,
    ...options,
  });
  await settle();
}

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  ending = new AbortController();
  heard = [];
  vi.stubGlobal('fetch', server.fetch);
});
afterEach(async () => {
  ending.abort();
  await settle();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  onUnreachable.mockReset();
  onOpen.mockReset();
});

describe('following the events of a session', () => {
  it('receives each event, for any network chunks', async () => {
    await follow();
    const text = `retry: 1000\nid: 41\n\n${frame(42, 1)}: heartbeat\n\n${frame(43, 2)}`;
    for (const letter of text) {
      server.write(letter);
      await settle();
    }
    expect(heard[0]).toEqual({ id: 42, name: 'message:queued', data: { id: 'que_1', position: 1 } });
    expect(positions()).toEqual([1, 2]);
    expect(server.requests).toEqual([{ url: 'http://there/api/sessions/ses_1/events', lastEventId: null }]);
    expect(onOpen).toHaveBeenCalledOnce();
  });

  it('resumes after the last received event when the connection is lost', async () => {
    await follow();
    server.write(frame(42, 1) + 'id: 43\nevent: message:que');
    await settle();
    server.breakOff();
    await vi.advanceTimersByTimeAsync(500);
    server.write(frame(43, 2));
    await settle();
    expect(positions()).toEqual([1, 2]);
    expect(server.requests[1]?.lastEventId).toBe('42');
    expect(onOpen).toHaveBeenCalledTimes(2);
    expect(onUnreachable).not.toHaveBeenCalled();
  });

  it('resumes from its start position if the connection broke before the first event', async () => {
    await follow();
    server.write('retry: 1000\nid: 41\n\n');
    await settle();
    server.close();
    await vi.advanceTimersByTimeAsync(500);
    expect(server.requests.map(({ lastEventId }) => lastEventId)).toEqual([null, '41']);
  });

  it('retries with growing delays while the server fails, and reports it as unreachable', async () => {
    server.answers.push(null, new Response('', { status: 503 }), null);
    await follow();
    for (const [delay, requests] of [
      [500, 2],
      [1_000, 3],
      [2_000, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(server.requests).toHaveLength(requests - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(server.requests).toHaveLength(requests);
    }
    expect(onOpen).toHaveBeenCalledOnce();
    expect(onUnreachable).toHaveBeenCalledTimes(2);
  });

  it('takes a silent connection without heartbeat for lost', async () => {
    await follow();
    for (let beat = 0; beat < 4; beat += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      server.write(': heartbeat\n\n');
    }
    await settle();
    expect(server.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(40_500);
    expect(server.requests).toHaveLength(2);
  });

  it.each([408, 425, 429])('tries again after a %i', async (status) => {
    server.answers.push(new Response('Later.', { status }));
    await follow();
    await vi.advanceTimersByTimeAsync(500);
    expect(server.requests).toHaveLength(2);
  });

  it('continues after an event whose listener throws, and after a malformed event', async () => {
    const onError = vi.fn();
    const onEvent = vi.fn((event: FollowedEvent) => {
      heard.push(event);
      if (event.id === 42) throw new Error('listener');
    });
    await follow({ onEvent, onError });
    server.write(`${frame(42, 1)}id: 43\nevent: message:queued\ndata: {broken\n\n${frame(44, 3)}`);
    await settle();
    expect(positions()).toEqual([1, 3]);
    expect(onError.mock.calls.map(([error]) => (error as Error).name)).toEqual(['Error', 'SyntaxError']);
    server.breakOff();
    await vi.advanceTimersByTimeAsync(500);
    expect(server.requests[1]?.lastEventId).toBe('44');
  });

  it('ends when the server refuses: the session is gone', async () => {
    server.answers.push(Response.json({ error: { code: 'not_found', message: 'No.' } }, { status: 404 }));
    await follow();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toHaveLength(1);
  });

  it('ends when it is stopped, also between two attempts', async () => {
    server.answers.push(null);
    await follow();
    ending.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.requests).toHaveLength(1);
  });
});
