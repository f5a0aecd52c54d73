import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHECKED_EVERY_MS, whileAllowed } from '#server/http/event-stream';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Events that come when the test says so. */
function setUp(isAllowed: () => Promise<boolean>) {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const cancel = vi.fn();
  const body = new ReadableStream<Uint8Array>({ start: (own) => void (controller = own), cancel });
  const response = new Response(body, {
    status: 202,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-own': 'kept' },
  });
  const gone = new AbortController();
  const watched = whileAllowed(response, { isAllowed, signal: gone.signal });
  return { controller, cancel, gone, watched, reader: watched.body!.getReader() };
}

const bytes = new Uint8Array([1, 2]);

it('a stream goes on as it is while it is allowed', async () => {
  const isAllowed = vi.fn(async () => true);
  const { controller, cancel, watched, reader } = setUp(isAllowed);
  expect([watched.status, watched.headers.get('x-own')]).toEqual([202, 'kept']);
  await vi.advanceTimersByTimeAsync(2 * CHECKED_EVERY_MS);
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
  const { cancel, reader } = setUp(async () => allowed);
  const next = reader.read();
  await vi.advanceTimersByTimeAsync(CHECKED_EVERY_MS);
  expect(cancel).not.toHaveBeenCalled();
  allowed = false;
  await vi.advanceTimersByTimeAsync(CHECKED_EVERY_MS);
  expect((await next).done).toBe(true);
  expect(cancel).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it('nobody is asked about once the client has left, or the stream has failed', async () => {
  const left = setUp(async () => true);
  await left.reader.cancel();
  expect(left.cancel).toHaveBeenCalledOnce();
  const failed = setUp(async () => true);
  failed.controller.error(new Error('broken'));
  await expect(failed.reader.read()).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

it('nobody is asked about whose connection has ended before he read anything', async () => {
  const isAllowed = vi.fn(async () => true);
  const { gone, cancel } = setUp(isAllowed);
  gone.abort();
  await vi.advanceTimersByTimeAsync(CHECKED_EVERY_MS);
  expect(isAllowed).not.toHaveBeenCalled();
  expect(cancel).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it('an answer that is no stream of events is left alone', () => {
  const response = Response.json({ ok: true });
  expect(whileAllowed(response, { isAllowed: async () => false, signal: new AbortController().signal })).toBe(response);
  expect(vi.getTimerCount()).toBe(0);
});
