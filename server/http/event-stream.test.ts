import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionEvent } from '#server/core/conversation/events';
import { CHECK_INTERVAL_MS, closeWhenDenied } from '#server/http/close-when-denied';
import { eventStreamResponse, lastEventId } from '#server/http/event-stream';

const event = (id: number): SessionEvent => ({
  id,
  sessionId: 'ses_1',
  name: 'message:queued',
  data: { id: 'que_1', position: 2 },
  createdAt: 1,
});

/** Events that the test releases, and how many were read and cancelled. */
function setUp() {
  let controller!: ReadableStreamDefaultController<SessionEvent>;
  const cancel = vi.fn();
  const pull = vi.fn();
  const events = new ReadableStream<SessionEvent>(
    { start: (own) => void (controller = own), pull, cancel },
    { highWaterMark: 0 },
  );
  const response = eventStreamResponse(events, 41);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => (await reader.read()).value;
  return { controller, cancel, pull, response, reader, read };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('events as Server-Sent Events', () => {
  it('say where they start, then each with its id, name and data', async () => {
    const { response, controller, read } = setUp();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(await read()).toBe('retry: 1000\nid: 41\n\n');
    controller.enqueue(event(42));
    expect(await read()).toBe('id: 42\nevent: message:queued\ndata: {"id":"que_1","position":2}\n\n');
    controller.close();
    expect(await read()).toBeUndefined();
  });

  it('show that they are alive while nothing happens, and lose nothing by it', async () => {
    vi.useFakeTimers();
    const { controller, pull, read } = setUp();
    await read();
    for (let beat = 0; beat < 2; beat += 1) {
      const silent = read();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await silent).toBe(': heartbeat\n\n');
    }
    const next = read();
    controller.enqueue(event(42));
    expect(await next).toContain('id: 42');
    expect(pull).toHaveBeenCalled();
  });

  it('are released when the client leaves, also while it waits', async () => {
    const { cancel, read, reader } = setUp();
    await read();
    void reader.read();
    await reader.cancel();
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
  });

  it('are not read ahead for a client that takes none', async () => {
    const { pull } = setUp();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pull.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

describe('the resume position of a client', () => {
  const asked = (value?: string) =>
    lastEventId(new Request('http://localhost/', value === undefined ? {} : { headers: { 'last-event-id': value } }));

  it('is what its header says', () => {
    expect(asked('42')).toBe(42);
    expect(asked('')).toBeUndefined();
    expect(asked()).toBeUndefined();
  });

  it.each(['x', '-1', '1.5', '1e3', '0x10', '9999999999999999'])('is refused when it is no id: %s', (value) => {
    expect(() => asked(value)).toThrow('Last-Event-ID');
  });
});

describe('closeWhenDenied', () => {
  beforeEach(() => void vi.useFakeTimers());

  /** Events that the test releases. */
  function watch(isAllowed: () => Promise<boolean>) {
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const cancel = vi.fn();
    const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own), cancel });
    const response = new Response(body, {
      status: 202,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-own': 'kept' },
    });
    const gone = new AbortController();
    const doubts = new Set<() => void>();
    const onAccessChange = (listener: () => void) => {
      doubts.add(listener);
      return () => void doubts.delete(listener);
    };
    const watched = closeWhenDenied(response, { isAllowed, onAccessChange, signal: gone.signal });
    return { controller, cancel, doubts, gone, watched, reader: watched.body!.getReader() };
  }

  const bytes = new Uint8Array([1, 2]);

  it('a stream is passed unchanged while it is allowed', async () => {
    const isAllowed = vi.fn(async () => true);
    const { controller, cancel, watched, reader } = watch(isAllowed);
    expect([watched.status, watched.headers.get('x-own')]).toEqual([202, 'kept']);
    await vi.advanceTimersByTimeAsync(2 * CHECK_INTERVAL_MS);
    expect(isAllowed).toHaveBeenCalledTimes(2);
    controller.enqueue(bytes);
    expect(await reader.read()).toEqual({ done: false, value: bytes });
    controller.close();
    expect((await reader.read()).done).toBe(true);
    expect(cancel).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a stream ends, also one that is silent, when it is allowed no more', async () => {
    let allowed = true;
    const { cancel, reader } = watch(async () => allowed);
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL_MS);
    expect(cancel).not.toHaveBeenCalled();
    allowed = false;
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL_MS);
    expect((await next).done).toBe(true);
    expect(cancel).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a stream ends immediately when a change of rights is signalled', async () => {
    let allowed = true;
    const { doubts, reader } = watch(async () => allowed);
    const next = reader.read();
    const doubt = () => doubts.forEach((each) => each());
    doubt();
    await vi.advanceTimersByTimeAsync(0);
    expect(doubts.size).toBe(1);
    allowed = false;
    doubt();
    expect((await next).done).toBe(true);
    expect(doubts.size).toBe(0);
  });

  it('no rights are checked after the client has left or the stream has failed', async () => {
    const left = watch(async () => true);
    await left.reader.cancel();
    expect(left.cancel).toHaveBeenCalledOnce();
    const failed = watch(async () => true);
    failed.controller.error(new Error('broken'));
    await expect(failed.reader.read()).rejects.toThrow('broken');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('no rights are checked for a connection that ended before it was read', async () => {
    const isAllowed = vi.fn(async () => true);
    const { gone, cancel } = watch(isAllowed);
    gone.abort();
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL_MS);
    expect(isAllowed).not.toHaveBeenCalled();
    expect(cancel).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('an answer that is no stream of events is left alone', () => {
    const response = Response.json({ ok: true });
    const listener = {
      isAllowed: async () => false,
      onAccessChange: () => () => undefined,
      signal: new AbortController().signal,
    };
    expect(closeWhenDenied(response, listener)).toBe(response);
    expect(vi.getTimerCount()).toBe(0);
  });
});
