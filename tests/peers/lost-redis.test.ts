import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createSignals } from '#server/platform/signals/signals';
import { startRedis } from '#tests/peers/support/redis-server';

const redisProgram = process.env['REDIS_SERVER'];

/** Leads to a port of this machine until it is cut. */
async function startProxy(port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    mend: () => void (isCut = false),
    close: () => server.close(),
  };
}

describe.skipIf(redisProgram === undefined)('an instance that has lost Redis', () => {
  it('is noticed by the others, which look for changes themselves until it is back', async () => {
    await using redis = await startRedis(redisProgram!);
    const proxy = await startProxy(redis.port);
    const [cut, other] = [
      await createSignals({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` }, () => undefined),
      await createSignals({ REDIS_URL: redis.url }, () => undefined),
    ];
    const look = vi.fn();
    other.subscribe('turn:a', look);
    await expect.poll(() => cut.isShared && other.isShared).toBe(true);
    look.mockClear();
    cut.notify('turn:a');
    await expect.poll(() => look.mock.calls.length).toBeGreaterThan(0);

    proxy.cut();
    await expect.poll(() => cut.isShared).toBe(false);
    look.mockClear();
    cut.notify('turn:a');
    await expect.poll(() => other.isShared).toBe(false);
    await expect.poll(() => look.mock.calls.length).toBeGreaterThan(0);

    look.mockClear();
    proxy.mend();
    await expect.poll(() => other.isShared).toBe(true);
    await expect.poll(() => look.mock.calls.length).toBeGreaterThan(0);
    await cut.close();
    await other.close();
    proxy.close();
  });
});
