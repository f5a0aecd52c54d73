import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '#tests/support/free-port';

/** A real Redis of this test alone. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/**
 * Starts `program` on a loopback port, keeping nothing on disk.
 * @param atPort of a server that has ended, to start it again without its data. Default: a free port
 * @throws when it ends instead of starting
 */
export async function startRedis(program: string, atPort?: number): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-redis-'));
  const port = atPort ?? (await freePort());
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('Ready to accept connections')) return;
    }
    throw new Error('redis-server ended before it was ready.');
  })();
  await ready;
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
