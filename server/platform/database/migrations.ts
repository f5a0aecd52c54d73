import { serverText } from '#server/core/messages/server-text';
import type { Client, InStatement } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { StoreUnavailableError } from '#server/core/errors';
import type { FileClient } from '#server/platform/database/file-client';
import { ReplicaBehindError } from '#server/platform/database/remote-connection';
import type { StatementExecutor } from '#server/platform/database/transaction-executor';

/** Anything that runs statements: a connection, or a transaction. */
type Executor = Pick<StatementExecutor, 'execute'>;

/** Creation time of this build's newest migration; epoch milliseconds. */
export function newestMigration(migrationsFolder: string): number {
  return Math.max(...readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis));
}

/** Creation time of a database's newest migration; null if it has none. */
async function newestApplied(database: Executor): Promise<number | null> {
  const known = await database.execute("select 1 from sqlite_master where name = '__drizzle_migrations'");
  if (known.rows.length === 0) return null;
  const { rows } = await database.execute('select max(created_at) as newest from __drizzle_migrations');
  const newest = rows[0]?.['newest'] ?? null;
  return newest === null ? null : Number(newest);
}

/**
 * Refuses a database that a newer build has migrated: its new data would be lost or misread here.
 * @returns whether it is new, without any migration
 * @throws StoreUnavailableError
 */
async function requireNoNewerMigration(database: Executor, migrationsFolder: string): Promise<boolean> {
  const applied = await newestApplied(database);
  requireNotNewer(applied, newestMigration(migrationsFolder));
  return applied === null;
}

/**
 * Refuses a database whose schema is no longer the one that this build created or found.
 * @param newest creation time of this build's newest migration
 * @throws StoreUnavailableError
 */
export async function requireSchema(database: Executor, newest: number): Promise<void> {
  const applied = await newestApplied(database);
  requireNotNewer(applied, newest);
  if (applied !== newest) throw new StoreUnavailableError(serverText('database-older'));
}

/**
 * Refuses a database that would have to be migrated; a new one is not in use yet and is accepted.
 * @throws StoreUnavailableError
 */
export async function requireNotOlder(database: Executor, migrationsFolder: string): Promise<void> {
  const applied = await newestApplied(database);
  if (applied === null || applied >= newestMigration(migrationsFolder)) return;
  throw new StoreUnavailableError(serverText('database-older-in-use'));
}

function requireNotNewer(applied: number | null, newest: number): void {
  if (applied === null || applied <= newest) return;
  throw new StoreUnavailableError(serverText('database-newer'));
}

/**
 * Applies missing migrations to an embedded file when it is opened. drizzle's migrator looks for missing migrations before it takes the
 * write lock; here everything happens inside one write transaction, so that the second of two processes waits.
 * @throws StoreUnavailableError for a database of a newer version
 */
export async function migrateFile(client: FileClient, migrationsFolder: string): Promise<{ readonly isNew: boolean }> {
  // Rebuilding a table drops it, which would cascade. The switch works only outside a transaction.
  await client.execute('PRAGMA foreign_keys = OFF');
  const isNew = await client.transaction(async (tx) => {
    const isFresh = await requireNoNewerMigration(tx, migrationsFolder);
    await migrate(drizzle({ client: clientWithin(tx) }), { migrationsFolder });
    await mergeDeletionsLater(tx);
    return isFresh;
  });
  await client.execute('PRAGMA foreign_keys = ON');
  return { isNew };
}

/**
 * Applies missing migrations to a database server when it is opened, as one batch, which is one transaction. If two processes start
 * concurrently, a unique index refuses the whole batch of the second, which then checks again for missing migrations.
 * @throws StoreUnavailableError for a database of a newer version, and for one that a restore has not filled completely
 */
export async function migrateRemote(client: Client, migrationsFolder: string): Promise<{ readonly isNew: boolean }> {
  const { applied, hasTables } = await runAtPrimary(client, async (tx) => ({
    applied: await newestApplied(tx),
    hasTables: (await tx.execute("select 1 from sqlite_master where name = 'sessions'")).rows.length > 0,
  }));
  const migrations = readMigrationFiles({ migrationsFolder });
  requireNotNewer(applied, newestMigration(migrationsFolder));
  if (applied === null && hasTables) throw new StoreUnavailableError(serverText('database-incomplete'));
  const missing = migrations.filter(({ folderMillis }) => applied === null || folderMillis > applied);
  const statements: InStatement[] = missing.flatMap(({ hash, folderMillis, sql }) => [
    // First, so that a second process is refused before it repeats a statement.
    { sql: 'insert into __drizzle_migrations (hash, created_at) values (?, ?)', args: [hash, folderMillis] },
    ...sql,
  ]);
  try {
    await client.migrate([CREATE_MIGRATIONS, CREATE_MIGRATIONS_INDEX, ...statements]);
  } catch (error) {
    if ((await runAtPrimary(client, newestApplied)) === applied) throw error;
    return migrateRemote(client, migrationsFolder);
  }
  await runAtPrimary(client, mergeDeletionsLater);
  return { isNew: applied === null };
}

/**
 * Runs `work` in a write transaction and commits it. A replica answers a statement that only reads itself, even if it has
 * not yet received what others have written; a transaction that can write runs on the primary.
 */
export async function runAtPrimary<T>(client: Client, work: (tx: Executor) => Promise<T>): Promise<T> {
  const transaction = await client.transaction('write');
  try {
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } finally {
    transaction.close();
  }
}

/** @throws ReplicaBehindError while plain reads do not find the newest migration: a replica has not received it yet */
export async function requireVisible(database: Executor, newest: number): Promise<void> {
  if ((await newestApplied(database)) !== newest) throw new ReplicaBehindError();
}

/** The full-text indexes of conversations. */
export const SEARCH_INDEXES = ['history_search', 'history_search_trigrams'] as const;

/**
 * Makes the full-text indexes remove deleted rows when they merge new words. By default a deletion merges whole segments
 * immediately: with 20,000 messages, commits took seconds and blocked all other writes.
 */
async function mergeDeletionsLater(database: Executor): Promise<void> {
  for (const name of SEARCH_INDEXES) {
    const index = await database.execute(`select 1 from sqlite_master where name = '${name}'`);
    if (index.rows.length > 0) await database.execute(`insert into ${name} (${name}, rank) values ('deletemerge', 0)`);
  }
}

/** drizzle's own table, as its migrator would create it. */
const CREATE_MIGRATIONS =
  'create table if not exists __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)';
const CREATE_MIGRATIONS_INDEX =
  'create unique index if not exists drizzle_migrations_once on __drizzle_migrations (hash)';

/** The two client methods that the migrator calls, within a transaction. */
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
