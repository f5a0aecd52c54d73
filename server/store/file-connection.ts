import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import { percentDecoded } from '#server/core/addresses';
import { InvalidInputError, StoreBusyError, StoreUnavailableError } from '#server/core/errors';
import { FileClient } from '#server/store/file-client';

/** Longest wait before an operation gives up: behind others of this process, and for the lock; milliseconds. */
const BUSY_DEADLINE_MS = 15_000;
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 250;

export interface FileConnectionOptions {
  /** `file:` URL. */
  readonly url: string;
  /** Run on every connection before its first use. */
  readonly pragmas: readonly string[];
  /** Called for every SQLITE_BUSY. */
  readonly onBusy?: (() => void) | undefined;
  /** Called before the file is opened anew. Throws where it is not to be. */
  readonly onReopen?: (() => void) | undefined;
  /** Milliseconds that only go forward. Default: the process's clock. */
  readonly now?: (() => number) | undefined;
  /** Retry time limit of an operation, milliseconds. Default 15 s. */
  readonly patienceMs?: number | undefined;
}

/** A connection to an embedded database file, used by one operation at a time. */
export interface FileConnection {
  /**
   * Runs `operation` alone on the connection. When it fails with SQLITE_BUSY it is run again from its beginning, on a
   * fresh connection, with a growing random pause. It waits 15 s at most, for its turn and for the lock together (then
   * StoreBusyError).
   * @param startedAt from when the 15 s count, by the connection's clock. Default: now
   */
  run<T>(operation: (client: FileClient) => Promise<T>, startedAt?: number): Promise<T>;
  close(): Promise<void>;
}

/**
 * Opens a connection that survives SQLITE_BUSY. The driver leaves the refused statement open on its connection, which
 * makes every later commit there fail (and would pin a reader to an old snapshot): such a connection is thrown away.
 */
export function openFileConnection({
  url,
  pragmas,
  onBusy,
  onReopen,
  now = () => performance.now(),
  patienceMs = BUSY_DEADLINE_MS,
}: FileConnectionOptions): FileConnection {
  const client = new FileClient(databaseFileOf(url));
  const lock = new Mutex();
  let configured = false;

  async function attempt<T>(operation: (client: FileClient) => Promise<T>): Promise<T> {
    try {
      if (!configured) for (const pragma of pragmas) await client.execute(`PRAGMA ${pragma}`);
      configured = true;
      return await operation(client);
    } catch (error) {
      // The client may have replaced its connection, and pragmas live on the connection.
      configured = false;
      if (isBusy(error)) {
        onReopen?.();
        client.reconnect();
      }
      throw error;
    }
  }

  async function attemptUntilDeadline<T>(operation: (client: FileClient) => Promise<T>, startedAt: number): Promise<T> {
    requireTime(startedAt);
    for (let backoff = FIRST_BACKOFF_MS; ; backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)) {
      try {
        return await attempt(operation);
      } catch (error) {
        if (!isBusy(error)) throw error;
        onBusy?.();
        requireTime(startedAt, error);
        await sleep(backoff * Math.random());
      }
    }
  }

  /** @throws StoreBusyError */
  function requireTime(startedAt: number, cause?: unknown): void {
    const waitedMs = Math.round(now() - startedAt);
    if (waitedMs >= patienceMs) throw new StoreBusyError(waitedMs, cause);
  }

  return {
    run: (operation, startedAt = now()) => lock.runExclusive(() => attemptUntilDeadline(operation, startedAt)),
    close: () => lock.runExclusive(() => client.close()),
  };
}

/** SQLITE_BUSY, also where drizzle has wrapped it. PROTOCOL: the WAL's own lock was lost to others too often. */
export function isBusy(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && /^SQLITE_(BUSY|PROTOCOL)/.test(String(cause.code))) return true;
  }
  return false;
}

/**
 * The path of an embedded database: of `file:data/x.db`, `file:/data/x.db` and `file:///data/x.db`.
 * @throws InvalidInputError for a database on a server
 */
export function databaseFileOf(url: string): string {
  if (!url.startsWith('file:')) {
    throw new InvalidInputError('This is for embedded database files; a database server has backups of its own.');
  }
  return percentDecoded(url.replace(/^file:(\/\/(?=\/))?/, ''));
}

/**
 * Remembers which file lies at a path. What is written to a file that was deleted or replaced since is lost when its last
 * connection closes, and SQLite does not notice.
 */
export function rememberFile(path: string): { readonly isSame: () => boolean; readonly requireSame: () => void } {
  const opened = identityOf(path);
  const isSame = () => identityOf(path) === opened;
  const requireSame = () => {
    if (isSame()) return;
    throw new StoreUnavailableError(
      'The database file was deleted or replaced: it is not the one that this server opened. Nothing was written. Put it back or restore a backup, then restart the server.',
      // Only the log tells where it lies.
      { cause: new Error(`Another file, or none, is at ${path}`), reason: 'the database file was deleted or replaced' },
    );
  };
  return { isSame, requireSame };
}

/** Null where there is no file. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
