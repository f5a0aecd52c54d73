import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '#tests/support/free-port';
import type { LibsqlServerOptions } from '#tests/support/libsql-server';

/** The stand-in of a database server in a separate process. */
export interface LibsqlProcess extends AsyncDisposable {
  /** For DATABASE_URL; it stays the same. */
  readonly url: string;
  /** Ends it as a crash would (SIGKILL), and starts it again on the same file and port. */
  killAndRestart(): Promise<void>;
}

/** Starts the stand-in on a database file, which stays. Resolves once it listens. */
export async function startLibsqlProcess(
  options: Omit<LibsqlServerOptions, 'onStatement' | 'port'> & { readonly file: string },
): Promise<LibsqlProcess> {
  const port = await freePort();
  const start = async () => {
    const child = fork('tests/support/libsql-worker.ts', [JSON.stringify({ ...options, port })], { execArgv: [] });
    const ended = once(child, 'exit').then(() => {
      throw new Error('The database server ended before it listened.');
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
    return child;
  };
  const kill = async (child: ChildProcess) => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  let running = await start();
  return {
    url: `http://127.0.0.1:${port}`,
    async killAndRestart() {
      await kill(running);
      running = await start();
    },
    [Symbol.asyncDispose]: () => kill(running),
  };
}
