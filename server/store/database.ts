import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient, LibsqlError, type Transaction } from '@libsql/client';
import { Mutex } from 'async-mutex';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { InvalidInputError, StoreBusyError, StoreUnavailableError } from '#server/core/errors';
import { GroupedWrites, type Transact, type WriteOrder, type WriteTimes } from '#server/store/grouped-writes';
import { migrateFile, migrateRemote, newestMigration, requireSchema } from '#server/store/migrations';
import { openRemoteConnection, type StatementExecutor } from '#server/store/remote-connection';

type FullDatabase = LibSQLDatabase;

/** Queries allowed outside a transaction: reads only (an embedded file refuses anything else too). */
export type StoreReader = Pick<
  FullDatabase,
  'select' | 'selectDistinct' | 'with' | '$with' | '$count' | 'get' | 'all' | 'values'
>;

/** Statements allowed inside `Database.write`. */
export type StoreTransaction = Pick<
  FullDatabase,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'run' | 'get' | 'all' | 'values'
>;

/** The store: one writer at a time, readers beside it that see the last commit. */
export interface Database {
  readonly url: string;
  /** There was none before: it was made when it was opened. */
  readonly isNew: boolean;
  readonly read: StoreReader;
  /**
   * Runs `work` and commits it, in a transaction that it may share with others that wait at the same moment; throws
   * what `work` throws, with nothing of it written. `work` may run more than once (another process held the file, a
   * server did not answer), so it changes nothing but the database, and it waits for nothing but the database: everybody
   * else who writes waits for it. Writes do not nest.
   *
   * @param order default: behind those that wait
   * @throws StoreBusyError with nothing written, when the file was locked or others wrote for 15 s, or a server was busy
   * or out of reach for 30 s. StoreUnavailableError, with nothing written, when the file was deleted or replaced.
   */
  write<T>(work: (tx: StoreTransaction) => Promise<T>, order?: WriteOrder): Promise<T>;
  /**
   * Checks that the database works: it can be written, its schema is that of this build, and a file is still
   * the one that was opened. Concurrent calls share one check.
   *
   * @throws StoreBusyError, StoreUnavailableError
   */
  check(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** `file:path`, or `libsql://` / `https://` for a shared server. */
  readonly url: string;
  /** For a shared server. */
  readonly authToken?: string | undefined;
  /** Default `drizzle` in the working directory. */
  readonly migrationsFolder?: string | undefined;
  /** True: the schema of a file is left as it is. Default: it is brought to the newest. */
  readonly isMigrated?: boolean | undefined;
  /** Called for every SQLITE_BUSY that is retried; of a server, for every failure that may pass. */
  readonly onBusy?: (() => void) | undefined;
  /** Time that a write waits for others, or for a server; milliseconds. Default 15 s for a file, 30 s for a server. */
  readonly patienceMs?: number | undefined;
  readonly observer?: StoreObserver | undefined;
}

/** Told of each write, also of one that failed. Must not throw. */
export interface StoreObserver {
  readonly onWrite: (times: WriteTimes) => void;
}

/**
 * Opens the database and brings it to the newest schema. A missing file is created, with its folder; several processes
 * may open the same fresh file at once.
 * @throws StoreUnavailableError for a database of a newer version
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const migrationsFolder = resolve(/* turbopackIgnore: true */ options.migrationsFolder ?? 'drizzle');
  return options.url.startsWith('file:') ? openFile(options, migrationsFolder) : openRemote(options, migrationsFolder);
}

async function openFile(options: OpenDatabaseOptions, migrationsFolder: string): Promise<Database> {
  const { url, onBusy, patienceMs, observer, isMigrated = false } = options;
  if (url.includes(':memory:'))
    throw new Error('An in-memory database cannot be read while it is written: use a file.');
  const path = databaseFileOf(url);
  mkdirSync(dirname(path), { recursive: true });

  let file: ReturnType<typeof rememberFile> | undefined;
  const onReopen = () => file?.requireSame();
  const writer = openFileConnection({
    url,
    pragmas: ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON'],
    onBusy,
    onReopen,
    patienceMs,
  });
  try {
    const { isNew } = isMigrated
      ? { isNew: false }
      : await writer.run((client) => migrateFile(client, migrationsFolder));
    const { isSame, requireSame } = (file = rememberFile(path));
    const reader = openFileConnection({ url, pragmas: ['query_only = ON'], onBusy, onReopen });
    return createDatabase({
      url,
      observer,
      isNew,
      schema: newestMigration(migrationsFolder),
      reader: { execute: (statement) => reader.run((client) => client.execute(statement)) },
      transact: (work, startedAt) => writer.run((client) => transact(client, work, requireSame), startedAt),
      endsTransaction: isBusy,
      close: async () => {
        await reader.close();
        // Leaves everything in the one file, so that it can be copied as it is.
        if (isSame()) await writer.run((client) => client.execute('PRAGMA wal_checkpoint(TRUNCATE)'));
        await writer.close();
      },
    });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function openRemote(options: OpenDatabaseOptions, migrationsFolder: string): Promise<Database> {
  const connection = openRemoteConnection(options);
  try {
    const { isNew } = await connection.prepare((client) => migrateRemote(client, migrationsFolder));
    return createDatabase({
      url: options.url,
      observer: options.observer,
      isNew,
      schema: newestMigration(migrationsFolder),
      reader: connection,
      transact: (work, startedAt) => connection.transact(work, startedAt),
      // The connection itself refuses what comes behind a fault.
      endsTransaction: () => false,
      close: () => connection.close(),
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Commits what `work` did, or nothing. @param requireSame throws when the file has been replaced */
async function transact<T>(
  client: Client,
  work: (transaction: Transaction) => Promise<T>,
  requireSame: () => void,
): Promise<T> {
  requireSame();
  const transaction = await client.transaction('write');
  try {
    const result = await work(transaction);
    requireSame();
    await transaction.commit();
    return result;
  } finally {
    transaction.close();
  }
}

interface Connections extends Pick<OpenDatabaseOptions, 'url' | 'observer'> {
  readonly isNew: boolean;
  /** Creation time of this build's newest migration. */
  readonly schema: number;
  readonly reader: StatementExecutor;
  readonly transact: Transact;
  /** True for an error after which the transaction takes nothing more. */
  readonly endsTransaction: (error: unknown) => boolean;
  readonly close: () => Promise<void>;
}

function createDatabase({
  url,
  isNew,
  schema,
  observer,
  reader,
  transact: transaction,
  endsTransaction,
  close,
}: Connections): Database {
  const insideWrite = new AsyncLocalStorage<true>();
  const writes = new GroupedWrites(transaction, endsTransaction, observer?.onWrite);
  let closing: Promise<void> | undefined;
  const closeOnce = () => (closing ??= writes.settled().then(close));
  let checking: Promise<void> | undefined;
  const check = () =>
    writes.write(async (tx) => {
      // Nothing reads this number: setting it is a write that changes nothing. On a server the receipt is one.
      if (url.startsWith('file:')) await tx.execute('PRAGMA user_version = 0');
      await requireSchema(tx, schema);
    }, 'in turn');

  return {
    url,
    isNew,
    check: () => (checking ??= check().finally(() => (checking = undefined))),
    read: drizzle({ client: asClient(reader) }),
    write: async (work, order = 'in turn') => {
      if (insideWrite.getStore()) throw new Error('Database.write inside Database.write would wait for itself.');
      return writes.write((tx) => insideWrite.run(true, () => work(drizzle({ client: asClient(tx) }))), order);
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** drizzle asks for a whole client but only ever calls `execute` for the methods that we hand out. */
function asClient(executor: StatementExecutor): Client {
  return executor as unknown as Client;
}

/** SQLite's own wait for a lock, milliseconds. It blocks the event loop, so it is short. */
const BUSY_TIMEOUT_MS = 20;
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

/** The one connection of a client to an embedded database file. */
export interface FileConnection {
  /**
   * Runs `operation` alone on the connection. When it fails with SQLITE_BUSY it is run again from its beginning, on a
   * fresh connection, with a growing random pause. It waits 15 s at most, for its turn and for the lock together (then
   * StoreBusyError).
   * @param startedAt from when the 15 s count, by the connection's clock. Default: now
   */
  run<T>(operation: (client: Client) => Promise<T>, startedAt?: number): Promise<T>;
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
  const client = createClient({ url, concurrency: 1, timeout: BUSY_TIMEOUT_MS });
  const lock = new Mutex();
  let configured = false;

  async function attempt<T>(operation: (client: Client) => Promise<T>): Promise<T> {
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

  async function attemptUntilDeadline<T>(operation: (client: Client) => Promise<T>, startedAt: number): Promise<T> {
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
function isBusy(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LibsqlError && /^SQLITE_(BUSY|PROTOCOL)/.test(cause.code)) return true;
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
  return decodeURIComponent(url.replace(/^file:(\/\/(?=\/))?/, ''));
}

/**
 * Remembers which file lies at a path. What is written to a file that was deleted or replaced since is lost when its last
 * connection closes, and SQLite does not notice.
 */
function rememberFile(path: string): { readonly isSame: () => boolean; readonly requireSame: () => void } {
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
