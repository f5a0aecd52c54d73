import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import { openDatabase, type Database } from '#server/platform/database/database';
import { startLibsqlServer } from '#tests/support/libsql-server';

/** Set by a test that wants what is tested on embedded files to run on a database server, too. */
export const ON_A_SERVER = 'TEST_DATABASE_ON_A_SERVER';

/**
 * A fresh, empty, migrated database in a new file; `await using db = await createTestDatabase()` closes and deletes
 * it at the end of the block.
 */
export async function createTestDatabase(): Promise<Database> {
  if (process.env[ON_A_SERVER]) return createServedDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'throughline-test-'));
  const path = join(folder, 'test.db');
  copyFileSync(inject('migratedDatabase'), path);
  const database = await openDatabase({ url: `file:${path}` });

  async function close(): Promise<void> {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { ...database, close, [Symbol.asyncDispose]: close };
}

/** `it` for tests that take a database of their own (`async ({ db }) => ...`), which is deleted after each. */
export const itWithDatabase = it.extend<{ db: Database }>({
  // oxlint-disable-next-line no-empty-pattern -- fixtures are found by what the first argument names
  db: async ({}, give) => {
    await using db = await createTestDatabase();
    await give(db);
  },
});

async function createServedDatabase(): Promise<Database> {
  const server = await startLibsqlServer({ copyOf: inject('migratedDatabase') });
  const database = await openDatabase({ url: server.url });

  async function close(): Promise<void> {
    await database.close();
    await server.close();
  }
  return { ...database, close, [Symbol.asyncDispose]: close };
}
