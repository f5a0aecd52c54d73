import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Client, Transaction } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { databaseFileOf, rememberFile } from '#server/store/database-file';
import { openFileConnection } from '#server/store/file-connection';
import { migrateFile, migrateRemote, newestMigration, requireSchema } from '#server/store/migrations';
import { openRemoteConnection, type StatementExecutor } from '#server/store/remote-connection';
import * as schema from '#server/store/schema';

type FullDatabase = LibSQLDatabase<typeof schema>;

/** What may be asked outside a transaction: reads only (an embedded file refuses anything else too). */
export type StoreReader = Pick<
  FullDatabase,
  'select' | 'selectDistinct' | 'with' | '$with' | '$count' | 'query' | 'get' | 'all' | 'values'
>;

/** What the work inside `Database.write` may do. */
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
   * Runs `work` in one write transaction and commits it; throws what `work` throws, with nothing written. `work` may
   * run more than once (another process held the file, a server did not answer), so it changes nothing but the
   * database, and it waits for nothing but the database: everybody else who writes waits for it. Writes do not nest.
   *
   * @throws StoreBusyError with nothing written, when the file was locked or others wrote for 15 s, or a server was busy
   * or out of reach for 30 s. StoreUnavailableError, with nothing written, when the file was deleted or replaced.
   */
  write<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /**
   * Whether it can be worked with: writes something, looks whether its schema is the one of this build, and a file still
   * the one that was opened. Who asks while somebody else does hears the same.
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
  /** Of a file: how long a write waits for others, milliseconds. Default 15 s. */
  readonly patienceMs?: number | undefined;
  readonly observer?: StoreObserver | undefined;
}

/** Told of each write, also of one that failed. Must not throw. */
export interface StoreObserver {
  /** How long it waited for other writers, and then took; milliseconds. */
  readonly onWrite: (times: { readonly waitedMs: number; readonly tookMs: number }) => void;
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
      inWriteTransaction: (work) => writer.run((client) => transact(client, work, requireSame)),
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
      inWriteTransaction: (work) => connection.transact(work),
      close: () => connection.close(),
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Commits what `work` did, or leaves nothing of it. @param requireSame throws where the file is another one by now */
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
  /** When the newest migration of this build was made. */
  readonly schema: number;
  readonly reader: StatementExecutor;
  inWriteTransaction<T>(work: (transaction: StatementExecutor) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

function createDatabase(connections: Connections): Database {
  const insideWrite = new AsyncLocalStorage<true>();
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= connections.close());
  let checking: Promise<void> | undefined;
  const check = () =>
    connections.inWriteTransaction(async (transaction) => {
      // Nothing reads this number: setting it is a write that changes nothing. On a server the receipt is one.
      if (connections.url.startsWith('file:')) await transaction.execute('PRAGMA user_version = 0');
      await requireSchema(transaction, connections.schema);
    });

  return {
    url: connections.url,
    isNew: connections.isNew,
    check: () => (checking ??= check().finally(() => (checking = undefined))),
    read: drizzle({ client: asClient(connections.reader), schema }),
    write: async (work) => {
      if (insideWrite.getStore()) throw new Error('Database.write inside Database.write would wait for itself.');
      const askedAt = performance.now();
      // Of the attempt that counts: what came before it was waiting, too.
      let begunAt: number | null = null;
      try {
        return await connections.inWriteTransaction((transaction) => {
          begunAt = performance.now();
          return insideWrite.run(true, () => work(drizzle({ client: asClient(transaction) })));
        });
      } finally {
        const endedAt = performance.now();
        const waitedMs = (begunAt ?? endedAt) - askedAt;
        connections.observer?.onWrite({ waitedMs, tookMs: endedAt - askedAt - waitedMs });
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** drizzle asks for a whole client but only ever calls `execute` for the methods that we hand out. */
function asClient(executor: StatementExecutor): Client {
  return executor as unknown as Client;
}
