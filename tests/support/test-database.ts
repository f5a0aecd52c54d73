import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openDatabase, type Database } from '#server/store/database';

/**
 * A fresh, empty, migrated database in a file of its own; `await using db = await createTestDatabase()` closes and
 * deletes it at the end of the block.
 */
export async function createTestDatabase(): Promise<Database> {
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
