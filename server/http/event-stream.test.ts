import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SessionEvent } from '#server/core/conversation/events';
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

  it('are not read ahead for a client that does not read', async () => {
    const { pull } = setUp();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pull.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

describe('the resume position of a client', () => {
  const asked = (value?: string) =>
    lastEventId(new Request('http://localhost/', value === undefined ? {} : { headers: { 'last-event-id': value } }));

  it.each(['x', '-1', '1.5', '1e3', '0x10', '9999999999999999'])('is refused when it is no id: %s', (value) => {
    expect(() => asked(value)).toThrow('Last-Event-ID');
  });
});
