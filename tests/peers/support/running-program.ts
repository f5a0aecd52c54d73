import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const START_TIMEOUT_MS = 300_000;
const POLL_MS = 20;
const LINES_KEPT = 50;

/**
 * Ends the program, with the processes that it has started, as soon as standard input closes: asked to, or because the
 * tests have been killed. Standard output is the program's alone, and closes with it.
 */
const END_WITH_INPUT = '"$@" </dev/null & exec >/dev/null; trap "" TERM; cat; kill 0; wait';

/** A server in a separate process. */
export interface RunningProgram {
  /** Resolves as soon as `isReady` gives true; what it throws counts as not yet. @throws when the program ends first */
  untilReady(isReady: () => Promise<boolean>): Promise<void>;
  /** Ends it, and waits. */
  end(this: void): Promise<void>;
}

/** Starts a server; what it writes is shown only where it fails. */
export function runInBackground(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): RunningProgram {
  // Detached: a separate process group, which is what `kill 0` ends.
  const child = spawn('sh', ['-c', END_WITH_INPUT, 'sh', program, ...args], { ...options, detached: true });
  const exited = once(child, 'exit');
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void said.splice(0, said.push(text) - LINES_KEPT));
  let ended = false;
  child.stdout.resume().on('end', () => (ended = true));
  return {
    async untilReady(isReady) {
      const deadline = Date.now() + START_TIMEOUT_MS;
      while (!(await isReady().catch(() => false))) {
        if (ended || Date.now() > deadline) throw new Error(`${program} did not start.\n${said.join('')}`);
        await delay(POLL_MS);
      }
    },
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}
