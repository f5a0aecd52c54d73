import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign to connections, and to servers that request any. */
const FIRST_PORT = 20_000;
const PORTS_OF_A_WORKER = 500;
const WORKERS = 20;

/** The test runner's number for this process: what another one has been given may not be in use yet. */
const worker = Number(process.env['VITEST_POOL_ID'] ?? process.env['TEST_PARALLEL_INDEX'] ?? 0) % WORKERS;
const first = FIRST_PORT + worker * PORTS_OF_A_WORKER;
const given = new Set<number>();

/** A port on the loopback address that nothing listens on, and that is given out only once in this run. */
export async function freePort(): Promise<number> {
  for (;;) {
    if (given.size === PORTS_OF_A_WORKER) given.clear();
    const port = first + randomInt(PORTS_OF_A_WORKER);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
