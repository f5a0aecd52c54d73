import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSignals, LocalSignals, parseSignal } from '#server/platform/signals/signals';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

describe('signals within a process', () => {
  it('reach every listener of their topic, and no other', () => {
    const signals = new LocalSignals(vi.fn());
    const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
    signals.subscribe('turn:a', first);
    signals.subscribe('turn:a', second);
    signals.subscribe('turn:b', other);
    signals.notify('turn:a');
    expect([first, second, other].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    signals.notifyAll();
    expect([first, second, other].map(({ mock }) => mock.calls.length)).toEqual([2, 2, 1]);
  });

  it('end with the subscription, also while one is delivered', () => {
    const signals = new LocalSignals(vi.fn());
    const listener = vi.fn(() => {
      unsubscribe();
      signals.subscribe('turn:a', later);
    });
    const later = vi.fn();
    const unsubscribe = signals.subscribe('turn:a', listener);
    signals.notify('turn:a');
    signals.notify('turn:a');
    expect(listener).toHaveBeenCalledOnce();
    expect(later).toHaveBeenCalled();
  });

  it('pass over a listener that fails', () => {
    const onFault = vi.fn();
    const signals = new LocalSignals(onFault);
    const listener = vi.fn();
    signals.subscribe('turn:a', () => {
      throw new Error('no');
    });
    signals.subscribe('turn:a', listener);
    signals.notify('turn:a');
    expect(listener).toHaveBeenCalledOnce();
    expect(onFault).toHaveBeenCalledOnce();
  });
});

/** A server that accepts connections and closes each immediately, like Redis while it starts or stops. */
async function startClosingServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `redis://127.0.0.1:${port}`;
  /** Connects after all connections that are pending. */
  const knock = () =>
    new Promise<void>(
      (resolve) =>
        void connect(port, '127.0.0.1')
          .on('error', () => undefined)
          .once('close', resolve),
    );
  return { url, sockets, knock, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe('a signal on its way', () => {
  it('is ignored when a foreign program wrote it', () => {
    expect(parseSignal('')).toBeNull();
    expect(parseSignal('hello')).toBeNull();
    expect(parseSignal(' hello')).toBeNull();
  });
});

describe('signals by a Redis that cannot be reached', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });

  it('still reach this process, tell of the loss once, and go on trying', async () => {
    const server = await startClosingServer();
    cleanups.push(server.close);
    const onFault = vi.fn();
    const signals = await createSignals({ REDIS_URL: server.url }, onFault);
    cleanups.push(() => signals.close());
    const listener = vi.fn();
    signals.subscribe('turn:a', listener);
    await vi.waitFor(() => expect(server.sockets.length).toBeGreaterThan(2));
    signals.notify('turn:a');
    expect(listener).toHaveBeenCalledOnce();
    expect(onFault).toHaveBeenCalledOnce();
  });

  it('can be closed while they try', async () => {
    const server = await startClosingServer();
    const signals = await createSignals({ REDIS_URL: server.url }, vi.fn());
    await vi.waitFor(() => expect(server.sockets.length).toBeGreaterThan(0));
    await signals.close();
    await server.knock();
    const attempts = server.sockets.length;
    await server.knock();
    expect(server.sockets).toHaveLength(attempts + 1);
    await server.close();
    expect(() => signals.notify('turn:a')).not.toThrow();
  });
});
