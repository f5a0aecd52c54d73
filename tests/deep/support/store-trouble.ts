import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/* What befalls a store while servers use it, and how they take it. */

const HOLD = `
  import { createClient } from '@libsql/client';
  const client = createClient({ url: process.argv[1], timeout: 60_000 });
  await client.transaction('write');
  process.send('held');
  process.channel.ref();
`;

/** Another process that holds the write lock of a database file. Resolves when it has it. */
export async function holdWriteLock(databaseFile: string): Promise<{ release(): Promise<void> } & AsyncDisposable> {
  const args = ['--input-type=module', '--eval', HOLD, `file:${databaseFile}`];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  await once(child, 'message');
  const release = async () => {
    // It has written nothing: there is nothing to roll back.
    child.kill('SIGKILL');
    await exited;
  };
  return { release, [Symbol.asyncDispose]: release };
}

/** A separate file system, so small that it can be filled. */
export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Takes away what filled it. */
  free(): void;
}

/** Mounts a small tmpfs. Null where that is not allowed, as to anybody but root. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-small-disk-'));
  const options = ['-t', 'tmpfs', '-o', `size=${String(megabytes)}m`, 'throughline-deep', folder];
  if (spawnSync('mount', options).status !== 0) {
    rmSync(folder, { recursive: true });
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => fillWith(ballast),
    free: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]: () => {
      // A file that is still open keeps it busy; it goes when that is closed.
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fillWith(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (const size of [1_048_576, 4_096, 1]) writeUntilFull(descriptor, Buffer.alloc(size, 1));
  } finally {
    closeSync(descriptor);
  }
}

function writeUntilFull(descriptor: number, bytes: Buffer): void {
  try {
    while (writeSync(descriptor, bytes) === bytes.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** What a server did with a question that was asked all the time. */
export interface Watch extends AsyncDisposable {
  /** How many were answered. */
  readonly count: number;
  /**
   * The longest time without a good answer that reached into a span of time; milliseconds.
   * @param from @param to epoch milliseconds; default: all the time
   */
  slowest(from?: number, to?: number): number;
}

/** Pause between two requests, so that they are no load; milliseconds. */
const ASK_EVERY_MS = 10;

/**
 * Asks a server one thing after the other, as soon as it has answered. Of `/api/ready`, which writes, it learns how long a
 * write takes there, the wait for its turn, for locks and for room on the disk included.
 */
export function askAllTheTime(url: string, path: string): Watch {
  const answers: { readonly asked: number; answered: number }[] = [];
  const over = new AbortController();
  let count = 0;
  const asking = (async () => {
    let wasGood = true;
    while (!over.signal.aborted) {
      // A refusal is no answer: the outage continues.
      if (wasGood) answers.push({ asked: Date.now(), answered: Infinity });
      wasGood = await fetch(`${url}${path}`)
        .then(async (response) => {
          await response.arrayBuffer();
          return response.ok;
        })
        .catch(() => false);
      if (wasGood) {
        count += 1;
        answers.at(-1)!.answered = Date.now();
      }
      await pause(ASK_EVERY_MS);
    }
  })();
  return {
    get count() {
      return count;
    },
    slowest: (from = 0, to = Date.now()) =>
      answers
        .filter(({ asked, answered }) => answered >= from && asked <= to)
        .reduce((most, { asked, answered }) => Math.max(most, Math.min(answered, to) - asked), 0),
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await asking;
    },
  };
}
