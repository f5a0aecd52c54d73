import { databaseBusy } from '#server/core/messages/coded-errors';
import { serverText } from '#server/core/messages/server-text';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import { percentDecoded } from '#server/core/addresses';
import { InvalidInputError, StoreUnavailableError } from '#server/core/errors';
import type { StoreObserver } from '#server/platform/database/store-observer';
import { FileClient } from '#server/platform/database/file-client';

/**
 * Maximum wait of an operation, for other operations of this process and for the lock together; milliseconds. Then it
 * fails with StoreBusyError.
 */
const BUSY_DEADLINE_MS = 15_000;
/** The pause between two attempts doubles from the first to the longest, each multiplied by a random number below 1. */
const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 250;

export interface FileConnectionOptions {
  /** `file:` URL. */
  readonly url: string;
  /** Pragmas without the word `PRAGMA`, run on every connection before its first use. */
  readonly pragmas: readonly string[];
  readonly observer?: StoreObserver | undefined;
  /** The file must be the same when it is reopened. Default: it is not checked. */
  readonly file?: DatabaseFile | undefined;
  /** Monotonic clock, milliseconds. Default: the process's. */
  readonly now?: (() => number) | undefined;
  /** Maximum retry time of an operation, milliseconds. Default 15 s. */
  readonly patienceMs?: number | undefined;
}

/** A connection to an embedded database file, used by one operation at a time. */
export interface FileConnection {
  /**
   * Runs `operation` alone on the connection. If it fails with SQLITE_BUSY it runs again from its beginning, on a new
   * connection, after a growing random pause. It waits at most 15 s, for its turn and for the lock together (then
   * StoreBusyError).
   * @param startedAt start of the 15 s, by the connection's clock. Default: now
   */
  run<T>(operation: (client: FileClient) => Promise<T>, startedAt?: number): Promise<T>;
  /** Closes the connection after the running operation. */
  close(): Promise<void>;
}

/**
 * Opens a connection that survives SQLITE_BUSY. The driver leaves the refused statement open on its connection, which
 * makes every later commit there fail (and would pin a reader to an old snapshot): such a connection is discarded.
 */
export function openFileConnection({
  url,
  pragmas,
  observer,
  file,
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
      // The client may have replaced its connection, and pragmas belong to the connection.
      configured = false;
      if (isBusy(error)) {
        file?.requireSame();
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
        observer?.onBusy?.();
        requireTime(startedAt, error);
        await sleep(backoff * Math.random());
      }
    }
  }

  /** @throws StoreBusyError */
  function requireTime(startedAt: number, cause?: unknown): void {
    const waitedMs = Math.round(now() - startedAt);
    if (waitedMs >= patienceMs) throw databaseBusy(waitedMs, cause);
  }

  return {
    run: (operation, startedAt = now()) => lock.runExclusive(() => attemptUntilDeadline(operation, startedAt)),
    close: () => lock.runExclusive(() => client.close()),
  };
}

/**
 * True if another connection holds the lock: SQLITE_BUSY, or SQLITE_PROTOCOL after too many failed attempts to get the
 * WAL's own lock. Also true for an error of drizzle that has such a cause.
 */
export function isBusy(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && /^SQLITE_(BUSY|PROTOCOL)/.test(String(cause.code))) return true;
  }
  return false;
}

/**
 * The path of an embedded database: from `file:data/x.db`, `file:/data/x.db` and `file:///data/x.db`.
 * @throws InvalidInputError for a database on a server
 */
export function databaseFileOf(url: string): string {
  if (!url.startsWith('file:')) {
    throw new InvalidInputError('This is for embedded database files; a database server has backups of its own.');
  }
  return percentDecoded(url.replace(/^file:(\/\/(?=\/))?/, ''));
}

/**
 * The file of a database. If the file is deleted or replaced while it is open, data written to it is lost when its last
 * connection closes, and SQLite does not notice.
 */
export class DatabaseFile {
  readonly #path: string;
  /** Undefined until the file is remembered; null: no file was there. */
  #opened: string | null | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Remembers which file is at the path. */
  remember(): void {
    this.#opened = identityOf(this.#path);
  }

  /** True if the remembered file is still at the path, or none was remembered. */
  isSame(): boolean {
    return this.#opened === undefined || identityOf(this.#path) === this.#opened;
  }

  /** @throws StoreUnavailableError if another file, or none, is at the path */
  requireSame(): void {
    if (this.isSame()) return;
    throw new StoreUnavailableError(
      serverText('database-replaced'),
      // Only the log contains the path.
      {
        cause: new Error(`Another file, or none, is at ${this.#path}`),
        reason: serverText('database-gone'),
      },
    );
  }
}

/** Device and inode of a file; null if no file exists. */
function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
