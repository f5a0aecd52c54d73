import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { McpTransport } from '#server/core/admin/mcp-servers';
import { freePort } from '#tests/support/free-port';

/** The reference tool server of the protocol, as its package installs it. */
const PROGRAM = resolve('node_modules/.bin/mcp-server-everything');

/** It would listen on every address of the machine. */
const ON_LOOPBACK = `data:text/javascript,${encodeURIComponent(
  `import net from 'node:net';
   const listen = net.Server.prototype.listen;
   net.Server.prototype.listen = function (port, ...rest) { return listen.call(this, port, '127.0.0.1', ...rest); };`,
)}`;

/** How to run it as a program whose process a test can find. */
export function everythingProgram(): {
  readonly transport: McpTransport;
  /** Of the newest process. */
  readonly pid: () => number;
  readonly [Symbol.dispose]: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-mcp-'));
  const file = join(folder, 'pid');
  return {
    transport: {
      type: 'stdio',
      command: '/bin/sh',
      args: ['-c', 'echo $$ > "$0"; exec "$@"', file, process.execPath, PROGRAM],
      env: {},
    },
    pid: () => Number(readFileSync(file, 'utf8')),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
  /** Ends its process immediately, as a crash would. */
  kill(): Promise<void>;
  /** Runs it again at the same address. */
  restart(): Promise<void>;
}

/**
 * The same over HTTP, at a free port.
 * @param mode the transport; `sse` is the older one
 */
export async function startEverythingServer(
  mode: 'streamableHttp' | 'sse' = 'streamableHttp',
): Promise<EverythingServer> {
  const port = await freePort();
  let child = await run(port, mode);
  async function kill() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  return {
    url: `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}`,
    kill,
    async restart() {
      await kill();
      child = await run(port, mode);
    },
    [Symbol.asyncDispose]: kill,
  };
}

async function run(port: number, mode: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', ON_LOOPBACK, PROGRAM, mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Its output is read all the time: a full pipe would block it.
  let said = '';
  await new Promise<void>((started, failed) => {
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (/(?:listening|running) on port/.test(said)) started();
    });
    child.once('exit', () => failed(new Error(`The server did not start: ${said}`)));
  });
  return child;
}

/** Whether a process of this id lives. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
