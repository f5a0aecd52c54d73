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
    await transaction.commit();
  } finally {
    transaction.close();
  }
  await client.execute('PRAGMA foreign_keys = ON');
}

/** Applies the migrations that are missing on a database server. */
export async function migrateRemote(client: Client, migrationsFolder: string): Promise<void> {
  await migrate(drizzle({ client }), { migrationsFolder });
}

/** The two methods of a client that the migrator calls, bound to a transaction. */
function clientWithin(transaction: Transaction): Client {
  const client: Pick<Client, 'migrate'> & Pick<Transaction, 'execute'> = {
    execute: transaction.execute.bind(transaction),
    migrate: (statements) => transaction.batch(statements),
  };
  return client as unknown as Client;
}
