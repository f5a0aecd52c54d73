import type { Client, Transaction } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';

/**
 * Applies the migrations that are missing in an embedded file. drizzle's migrator looks what is missing before it takes
 * the write lock; here it does everything inside one write transaction, so that of two processes one waits.
 */
export async function migrateFile(client: Client, migrationsFolder: string): Promise<void> {
  // Rebuilding a table drops it, which would cascade. The switch works outside a transaction only.
  await client.execute('PRAGMA foreign_keys = OFF');
  const transaction = await client.transaction('write');
  try {
    await migrate(drizzle({ client: clientWithin(transaction) }), { migrationsFolder });
    await transaction.execute(MERGE_WITH_WRITES);
    await transaction.commit();
  } finally {
    transaction.close();
  }
  await client.execute('PRAGMA foreign_keys = ON');
}

/**
 * Applies the migrations that are missing on a database server. They travel as one batch, which is one transaction, but
 * what is missing is read before it: of two processes that start at once, the index refuses the whole batch of the
 * second, which then reads again.
 */
export async function migrateRemote(client: Client, migrationsFolder: string): Promise<void> {
  await client.batch([CREATE_MIGRATIONS, CREATE_MIGRATIONS_INDEX], 'write');
  const before = await countApplied(client);
  try {
    await migrate(drizzle({ client }), { migrationsFolder });
    await client.execute(MERGE_WITH_WRITES);
  } catch (error) {
    if ((await countApplied(client)) === before) throw error;
    await migrateRemote(client, migrationsFolder);
  }
}

/**
 * What was deleted leaves the full-text index when it is merged for new words. By default a deletion merges whole
 * segments on the spot: 20,000 messages took seconds of commits that nobody gets past.
 */
const MERGE_WITH_WRITES = "insert into history_search (history_search, rank) values ('deletemerge', 0)";

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
