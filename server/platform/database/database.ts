import { serverText } from '#server/core/messages/server-text';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Client } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import {
  DatabaseFile,
  databaseFileOf,
  type FileConnectionOptions,
  isBusy,
  openFileConnection,
} from '#server/platform/database/file-connection';
import { GroupedWrites, type Transact, type WriteOrder } from '#server/platform/database/grouped-writes';
import { createReceipts, openRemoteConnection } from '#server/platform/database/remote-connection';
import type { StatementExecutor } from '#server/platform/database/transaction-executor';
import type { StoreObserver } from '#server/platform/database/store-observer';
import { WriteScope } from '#server/platform/database/write-scope';
import {
  migrateFile,
  migrateRemote,
  newestMigration,
  requireNotOlder,
  requireSchema,
  requireVisible,
  runAtPrimary,
} from '#server/platform/database/migrations';
import { StoreUnavailableError } from '#server/core/errors';

type FullDatabase = LibSQLDatabase;

/**
 * Queries, inside a transaction or outside. Outside nothing else is allowed: the connection to an embedded file refuses
 * everything that writes.
 */
export type StoreReader = Pick<
  FullDatabase,
  'select' | 'selectDistinct' | 'with' | '$with' | '$count' | 'get' | 'all' | 'values'
>;

/** Statements allowed inside `Database.write`. */
export type StoreTransaction = StoreReader &
  Pick<FullDatabase, 'insert' | 'update' | 'delete' | 'run'> & {
    /**
     * Runs a query whose result nobody needs, in its place among the others. Use it wherever possible: on a database
     * server it is sent together with the next query that is waited for, or with the commit, and saves a round trip. If
     * it fails, the write fails with its error.
     * @param otherwise makes the error with which the write fails if the query changes no row or, for a `select`, finds
     * none
     */
    later(query: () => PromiseLike<unknown>, otherwise?: () => Error): void;
  };

/** The database: one writer at a time, with concurrent readers that see the last commit. */
export interface Database {
  readonly url: string;
  /** True if a server answers over HTTP: each request takes milliseconds and costs the server some, too. */
  readonly isServer: boolean;
  /** True if the database did not exist and was created when it was opened. */
  readonly isNew: boolean;
  /** Queries that are issued together share a request to a server: use `Promise.all` for those that do not depend on each other. */
  readonly read: StoreReader;
  /**
   * Runs `work` and commits it, in a transaction that may contain other writes waiting at the same moment. If `work`
   * throws, nothing of it is written, and the error is thrown. `work` may run more than once (another process held the
   * file, a server did not answer), so it must change nothing except the database; it must wait for nothing except the
   * database, because all other writers wait for it. Writes must not nest. `tx` is the same object for all writes.
   *
   * @param order position among the waiting writes; default `in turn`
   * @throws StoreBusyError with nothing written, if the file was locked or others wrote for 15 s, or a server was busy
   * or unreachable for 30 s. StoreUnavailableError, with nothing written, if the file was deleted or replaced.
   */
  write<T>(work: (tx: StoreTransaction) => Promise<T>, order?: WriteOrder): Promise<T>;
  /**
   * Checks that the database works: it is writable, its schema is that of this build, and a file is still the one that
   * was opened. Concurrent calls share one check. A server to which this process has just written is only read.
   *
   * @throws StoreBusyError, StoreUnavailableError
   */
  check(): Promise<void>;
  /** Waits for the waiting writes, then closes the connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a database is opened. */
export interface OpenDatabaseOptions {
  /** `file:path`, or `libsql://` / `https://` for a shared server. */
  readonly url: string;
  /** For a shared server. */
  readonly authToken?: string | undefined;
  /** Default `drizzle` in the working directory. */
  readonly migrationsFolder?: string | undefined;
  /**
   * What happens to a database of an older version, which another server may be using. `migrate` (default): it is migrated
   * to the newest schema. `refuse`: StoreUnavailableError is thrown. `keep`: it stays unchanged, for statements that work
   * with any schema.
   */
  readonly older?: 'migrate' | 'refuse' | 'keep' | undefined;
  /**
   * Maximum time that a write waits for others, or for a server; milliseconds. Default 15 s for a file, 30 s for a
   * server.
   */
  readonly patienceMs?: number | undefined;
  readonly observer?: StoreObserver | undefined;
}

/**
 * Opens the database and brings it to the newest schema. A missing file is created, with its folder; several processes
 * may open the same fresh file at once.
 * @throws StoreUnavailableError for a path that cannot be a database, for a database of a newer version, and for an older one where `older` refuses it
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const migrationsFolder = resolve(/* turbopackIgnore: true */ options.migrationsFolder ?? 'drizzle');
  return options.url.startsWith('file:') ? openFile(options, migrationsFolder) : openRemote(options, migrationsFolder);
}

async function openFile(options: OpenDatabaseOptions, migrationsFolder: string): Promise<Database> {
  const { url, patienceMs, observer, older } = options;
  if (url.includes(':memory:'))
    throw new Error('An in-memory database cannot be read while it is written: use a file.');
  const path = databaseFileOf(url);
  prepareFile(path);

  const file = new DatabaseFile(path);
  const writer = openConnection(path, {
    url,
    pragmas: ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON'],
    observer,
    file,
    patienceMs,
  });
  try {
    if (older === 'refuse') await writer.run((client) => requireNotOlder(client, migrationsFolder));
    const { isNew } =
      older === 'keep' ? { isNew: false } : await writer.run((client) => migrateFile(client, migrationsFolder));
    file.remember();
    const reader = openFileConnection({ url, pragmas: ['query_only = ON'], observer, file });
    return createDatabase({
      url,
      observer,
      isNew,
      schema: newestMigration(migrationsFolder),
      reader: { execute: (statement) => reader.run((client) => client.execute(statement)) },
      transact: (work, startedAt) =>
        writer.run((client) => {
          file.requireSame();
          return client.transaction(async (tx) => {
            const result = await work(tx);
            file.requireSame();
            return result;
          });
        }, startedAt),
      endsTransaction: isBusy,
      close: async () => {
        await reader.close();
        // Moves everything into the single file, so that the file can simply be copied.
        if (file.isSame()) await writer.run((client) => client.execute('PRAGMA wal_checkpoint(TRUNCATE)'));
        await writer.close();
      },
    });
  } catch (error) {
    await writer.close();
    throw isNoDatabase(error) ? unusableFile(path, 'it is not a SQLite database', error) : error;
  }
}

/** Reasons for a refusal of the operating system, by its error code. */
const refusals: Readonly<Record<string, string>> = {
  EACCES: 'the server has no permission for it',
  EPERM: 'the server has no permission for it',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
};

function unusableFile(path: string, reason: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(serverText('database-unusable', { path, reason }), { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Creates the folder of a database file, and checks that the file can be one.
 * @throws StoreUnavailableError
 */
function prepareFile(path: string): void {
  try {
    createFolder(dirname(resolve(path)));
    const file = statSync(path, { throwIfNoEntry: false });
    if (file?.isDirectory() === true) throw unusableFile(path, 'it is a folder');
    if (file?.isFile() === false) throw unusableFile(path, 'it is not a regular file');
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    throw unusableFile(path, refusals[codeOf(error)] ?? 'its folder cannot be created', error);
  }
}

/**
 * Creates a folder and its missing parents, one at a time: `recursive` of Node.js never ends where the system refuses a
 * folder with ENOENT, as in /proc.
 */
function createFolder(folder: string): void {
  const known = statSync(folder, { throwIfNoEntry: false });
  if (known?.isDirectory() === true) return;
  if (known !== undefined) throw unusableFile(folder, 'it is a file, not a folder');
  createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it at the same moment.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** @throws StoreUnavailableError where SQLite cannot open the file */
function openConnection(path: string, options: FileConnectionOptions) {
  try {
    return openFileConnection(options);
  } catch (error) {
    throw unusableFile(path, 'the server has no permission for it, or the disk does not allow it', error);
  }
}

/** True if the file is not a SQLite database. */
function isNoDatabase(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (codeOf(cause) === 'SQLITE_NOTADB') return true;
  return false;
}

async function openRemote(options: OpenDatabaseOptions, migrationsFolder: string): Promise<Database> {
  const connection = openRemoteConnection(options);
  try {
    const schema = newestMigration(migrationsFolder);
    let isNew = false;
    await connection.prepare(async (client) => {
      if (options.older === 'keep') return;
      if (options.older === 'refuse') await runAtPrimary(client, (tx) => requireNotOlder(tx, migrationsFolder));
      const migrated = await migrateRemote(client, migrationsFolder);
      await createReceipts(client);
      // Not taken back when this runs again.
      isNew ||= migrated.isNew;
      await requireVisible(client, schema);
    });
    return createDatabase({
      url: options.url,
      observer: options.observer,
      isNew,
      schema,
      reader: connection,
      transact: (work, startedAt) => connection.transact(work, startedAt),
      // The connection itself refuses statements after a fault.
      endsTransaction: () => false,
      close: () => connection.close(),
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Time for which a write proves that a server accepts writes; milliseconds. A choice: a few checks of a load balancer. */
const WRITABLE_MS = 30_000;

/** What both kinds of databases, file and server, provide. */
interface Connections {
  readonly url: string;
  readonly observer: StoreObserver | undefined;
  readonly isNew: boolean;
  /** Creation time of this build's newest migration. */
  readonly schema: number;
  /** Runs statements outside of transactions. */
  readonly reader: StatementExecutor;
  readonly transact: Transact;
  /** True for an error after which the transaction accepts no further statements. */
  readonly endsTransaction: (error: unknown) => boolean;
  readonly close: () => Promise<void>;
}

function createDatabase({
  url,
  isNew,
  schema,
  observer,
  reader,
  transact,
  endsTransaction,
  close,
}: Connections): Database {
  /** The transaction in which the current code runs; undefined outside of `write`. */
  const insideWrite = new AsyncLocalStorage<WriteScope>();
  const requireWrite = () => {
    const scope = insideWrite.getStore();
    if (!scope) throw new Error('The transaction is over.');
    return scope;
  };
  const queries = drizzle({ client: asClient({ execute: async (statement) => requireWrite().execute(statement) }) });
  const transaction: StoreTransaction = Object.assign(queries, {
    later: (query: () => PromiseLike<unknown>, otherwise?: () => Error) => requireWrite().later(query, otherwise),
  });
  const writes = new GroupedWrites(transact, endsTransaction, observer?.onWrite);
  let closing: Promise<void> | undefined;
  const closeOnce = () => (closing ??= writes.settled().then(close));
  const isServer = !url.startsWith('file:');
  let writtenAt = -Infinity;
  let checking: Promise<void> | undefined;
  const check = async () => {
    if (isServer && performance.now() - writtenAt < WRITABLE_MS) return requireSchema(reader, schema);
    await writes.write(async (tx) => {
      // Proves that the file is writable, without an effect: nothing reads this number. On a server, every transaction
      // already writes its receipt.
      if (!isServer) await tx.execute('PRAGMA user_version = 0');
      await requireSchema(tx, schema);
    }, 'in turn');
    writtenAt = performance.now();
  };

  return {
    url,
    isServer,
    isNew,
    check: () => (checking ??= check().finally(() => (checking = undefined))),
    read: drizzle({ client: asClient(reader) }),
    write: async (work, order = 'in turn') => {
      if (insideWrite.getStore()) throw new Error('Database.write inside Database.write would wait for itself.');
      // A drizzle query starts only when it is awaited: that must happen inside of `insideWrite`.
      const result = await writes.write(
        (tx) =>
          insideWrite.run(new WriteScope(tx), async () => {
            try {
              return await work(transaction);
            } finally {
              await tx.settle();
            }
          }),
        order,
      );
      writtenAt = performance.now();
      return result;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/**
 * Caches a query for each handle (for reads, for transactions). For the most frequent queries, because building one takes
 * longer than running it. Its values are named by `sql.placeholder` and passed with each run.
 *
 * drizzle encodes such a value according to its column only if a row is inserted or set, and then also null: in a JSON
 * column null becomes the text `null`.
 */
export function builtOnce<Handle extends object, Query>(build: (db: Handle) => Query): (db: Handle) => Query {
  const built = new WeakMap<Handle, Query>();
  return (db) => {
    const known = built.get(db);
    if (known) return known;
    const query = build(db);
    built.set(db, query);
    return query;
  };
}

/** A client for drizzle. Its type requires a complete one, but for the methods that we expose it only calls `execute`. */
function asClient(executor: StatementExecutor): Client {
  return executor as unknown as Client;
}
