import type { Client, Transaction } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { StoreUnavailableError } from '#server/core/errors';
import type { StatementExecutor } from '#server/store/remote-connection';

type Executor = Pick<StatementExecutor, 'execute'>;

/** Creation time of this build's newest migration; epoch milliseconds. */
export function newestMigration(migrationsFolder: string): number {
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
export async function requireSchema(database: Executor, newest: number): Promise<void> {
  const applied = await newestApplied(database);
  requireNotNewer(applied, newest);
  if (applied !== newest)
    throw new StoreUnavailableError('The database is of an older version of Throughline. Restart the server.');
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
export async function migrateFile(client: Client, migrationsFolder: string): Promise<{ readonly isNew: boolean }> {
  // Rebuilding a table drops it, which would cascade. The switch works outside a transaction only.
  await client.execute('PRAGMA foreign_keys = OFF');
  const transaction = await client.transaction('write');
  let isNew = false;
  try {
    isNew = await requireKnown(transaction, migrationsFolder);
    await migrate(drizzle({ client: clientWithin(transaction) }), { migrationsFolder });
    await mergeWithWrites(transaction);
    await transaction.commit();
  } finally {
    transaction.close();
  }
  await client.execute('PRAGMA foreign_keys = ON');
  return { isNew };
}

/**
 * Applies missing migrations on a database server, as one batch, which is one transaction. If two processes start at
 * once, a unique index refuses the whole batch of the second, which then reads again what is missing.
 * @throws StoreUnavailableError for a database of a newer version
 */
export async function migrateRemote(client: Client, migrationsFolder: string): Promise<{ readonly isNew: boolean }> {
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

/** The two methods of a client that the migrator calls, bound to a transaction. */
function clientWithin(transaction: Transaction): Client {
  const client: Pick<Client, 'migrate'> & Pick<Transaction, 'execute'> = {
    execute: transaction.execute.bind(transaction),
    migrate: (statements) => transaction.batch(statements),
  };
  return client as unknown as Client;
}
