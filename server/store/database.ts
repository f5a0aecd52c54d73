import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Client, InStatement } from '@libsql/client';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import type { FileClient } from '#server/store/file-client';
import { databaseFileOf, isBusy, openFileConnection, rememberFile } from '#server/store/file-connection';
import { GroupedWrites, type Transact, type WriteOrder, type WriteTimes } from '#server/store/grouped-writes';
import { openRemoteConnection, type StatementExecutor } from '#server/store/remote-connection';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { StoreUnavailableError } from '#server/core/errors';

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
   * else who writes waits for it. Writes do not nest. `tx` is one handle for all writes and means the one that runs.
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
  /**
   * What becomes of a database of an older version, whose server may be using it. Default `migrate`: it is brought to the
   * newest schema. `refuse` throws StoreUnavailableError; `keep` leaves it as it is, for statements that fit any schema.
   */
  readonly older?: 'migrate' | 'refuse' | 'keep' | undefined;
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
 * @throws StoreUnavailableError for a database of a newer version, and for an older one where `older` refuses it
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const migrationsFolder = resolve(/* turbopackIgnore: true */ options.migrationsFolder ?? 'drizzle');
  return options.url.startsWith('file:') ? openFile(options, migrationsFolder) : openRemote(options, migrationsFolder);
}

async function openFile(options: OpenDatabaseOptions, migrationsFolder: string): Promise<Database> {
  const { url, onBusy, patienceMs, observer, older } = options;
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
    if (older === 'refuse') await writer.run((client) => requireNotOlder(client, migrationsFolder));
    const { isNew } =
      older === 'keep' ? { isNew: false } : await writer.run((client) => migrateFile(client, migrationsFolder));
    const { isSame, requireSame } = (file = rememberFile(path));
    const reader = openFileConnection({ url, pragmas: ['query_only = ON'], onBusy, onReopen });
    return createDatabase({
      url,
      observer,
      isNew,
      schema: newestMigration(migrationsFolder),
      reader: { execute: (statement) => reader.run((client) => client.execute(statement)) },
      transact: (work, startedAt) =>
        writer.run((client) => {
          requireSame();
          return client.transaction(async (tx) => {
            const result = await work(tx);
            requireSame();
            return result;
          });
        }, startedAt),
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
    const { isNew } = await connection.prepare(async (client) => {
      if (options.older === 'refuse') await requireNotOlder(client, migrationsFolder);
      return migrateRemote(client, migrationsFolder);
    });
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
  transact,
  endsTransaction,
  close,
}: Connections): Database {
  /** The transaction that the caller is in. */
  const insideWrite = new AsyncLocalStorage<StatementExecutor>();
  const transaction = drizzle({
    client: asClient({
      execute: async (statement) => {
        const tx = insideWrite.getStore();
        if (!tx) throw new Error('The transaction is over.');
        return tx.execute(statement);
      },
    }),
  });
  const writes = new GroupedWrites(transact, endsTransaction, observer?.onWrite);
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
      // A query of drizzle begins when it is awaited: inside, too.
      return writes.write((tx) => insideWrite.run(tx, async () => await work(transaction)), order);
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/**
 * For the queries that run most: building one takes longer than running it. It is built once for each handle (that of
 * reads, that of transactions); its values are named by `sql.placeholder` and come with each run.
 *
 * drizzle encodes such a value as its column says only where a row is inserted or set, and then null, too: in a JSON column
 * null becomes the text `null`.
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

/** drizzle asks for a whole client but only ever calls `execute` for the methods that we hand out. */
function asClient(executor: StatementExecutor): Client {
  return executor as unknown as Client;
}

/* The schema: what is missing in a database is applied when it is opened; one of a newer build is refused. */

type Executor = Pick<StatementExecutor, 'execute'>;

/** Creation time of this build's newest migration; epoch milliseconds. */
function newestMigration(migrationsFolder: string): number {
  return Math.max(...readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis));
}

/** Creation time of a database's newest migration; null where there is none. */
async function newestApplied(database: Executor): Promise<number | null> {
  const known = await database.execute("select 1 from sqlite_master where name = '__drizzle_migrations'");
  if (known.rows.length === 0) return null;
  const { rows } = await database.execute('select max(created_at) as newest from __drizzle_migrations');
  const newest = rows[0]?.['newest'] ?? null;
  return newest === null ? null : Number(newest);
}

/**
 * Refuses a database that a newer build has migrated: what it keeps there would be lost or misread here.
 * @returns whether it is a new one, without any migration
 * @throws StoreUnavailableError
 */
async function requireKnown(database: Executor, migrationsFolder: string): Promise<boolean> {
  const applied = await newestApplied(database);
  requireNotNewer(applied, newestMigration(migrationsFolder));
  return applied === null;
}

/**
 * Refuses a database whose schema is no longer the one that this build has made or found.
 * @param newest when the newest migration of this build was made
 * @throws StoreUnavailableError
 */
async function requireSchema(database: Executor, newest: number): Promise<void> {
  const applied = await newestApplied(database);
  requireNotNewer(applied, newest);
  if (applied !== newest)
    throw new StoreUnavailableError('The database is of an older version of Throughline. Restart the server.');
}

/**
 * Refuses a database that would have to be migrated; a new one is nobody's yet.
 * @throws StoreUnavailableError
 */
async function requireNotOlder(database: Executor, migrationsFolder: string): Promise<void> {
  const applied = await newestApplied(database);
  if (applied === null || applied >= newestMigration(migrationsFolder)) return;
  throw new StoreUnavailableError(
    'The database is of an older version of Throughline, whose server may be using it. Nothing was changed. Start this version, which brings it to the newest, and run the command again.',
  );
}

function requireNotNewer(applied: number | null, newest: number): void {
  if (applied === null || applied <= newest) return;
  throw new StoreUnavailableError(
    'The database is of a newer version of Throughline. Start that version, or restore a backup from before the update. Nothing was changed.',
  );
}

/**
 * Applies the migrations that are missing in an embedded file. drizzle's migrator looks what is missing before it takes
 * the write lock; here it does everything inside one write transaction, so that of two processes one waits.
 * @throws StoreUnavailableError for a database of a newer version
 */
async function migrateFile(client: FileClient, migrationsFolder: string): Promise<{ readonly isNew: boolean }> {
  // Rebuilding a table drops it, which would cascade. The switch works outside a transaction only.
  await client.execute('PRAGMA foreign_keys = OFF');
  const isNew = await client.transaction(async (tx) => {
    const isUnknown = await requireKnown(tx, migrationsFolder);
    await migrate(drizzle({ client: clientWithin(tx) }), { migrationsFolder });
    await mergeWithWrites(tx);
    return isUnknown;
  });
  await client.execute('PRAGMA foreign_keys = ON');
  return { isNew };
}

/**
 * Applies missing migrations on a database server, as one batch, which is one transaction. If two processes start at
 * once, a unique index refuses the whole batch of the second, which then reads again what is missing.
 * @throws StoreUnavailableError for a database of a newer version
 */
async function migrateRemote(client: Client, migrationsFolder: string): Promise<{ readonly isNew: boolean }> {
  const isNew = await requireKnown(client, migrationsFolder);
  await client.batch([CREATE_MIGRATIONS, CREATE_MIGRATIONS_INDEX], 'write');
  const before = await countApplied(client);
  try {
    await migrate(drizzle({ client }), { migrationsFolder });
    await mergeWithWrites(client);
  } catch (error) {
    if ((await countApplied(client)) === before) throw error;
    await migrateRemote(client, migrationsFolder);
  }
  return { isNew };
}

/**
 * Makes the full-text index drop deleted rows when it merges new words. By default a deletion merges whole
 * segments on the spot: 20,000 messages took seconds of commits that nobody gets past.
 */
async function mergeWithWrites(database: Executor): Promise<void> {
  const index = await database.execute("select 1 from sqlite_master where name = 'history_search'");
  if (index.rows.length === 0) return;
  await database.execute("insert into history_search (history_search, rank) values ('deletemerge', 0)");
}

/** drizzle's own table, as its migrator would make it. */
const CREATE_MIGRATIONS =
  'create table if not exists __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)';
const CREATE_MIGRATIONS_INDEX =
  'create unique index if not exists drizzle_migrations_once on __drizzle_migrations (hash)';

async function countApplied(client: Client): Promise<unknown> {
  const { rows } = await client.execute('select count(*) as applied from __drizzle_migrations');
  return rows[0]?.['applied'];
}

/** The two methods of a client that the migrator calls, within a transaction. */
function clientWithin(transaction: StatementExecutor): Client {
  const migrateWithin = async (statements: readonly InStatement[]) => {
    const results = [];
    for (const statement of statements) results.push(await transaction.execute(statement));
    return results;
  };
  return {
    execute: (statement: InStatement) => transaction.execute(statement),
    migrate: migrateWithin,
  } as unknown as Client;
}
