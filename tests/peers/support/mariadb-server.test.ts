import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findWordPress } from '#scripts/lib/wordpress-programs';
import { startMariaDb } from '#tests/peers/support/mariadb-server';

const programs = findWordPress();

it.skipIf(programs === undefined)('leaves the temporary tables of another that runs alone', async () => {
  const ends: (() => Promise<void>)[] = [];
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'throughline-db-')));
  const table = join(tmpdir(), `#sql-temptable-${process.pid}-1-1`);
  onTestFinished(async () => {
    for (const end of ends) await end();
    for (const path of [...folders, table]) rmSync(path, { recursive: true, force: true });
  });
  await startMariaDb(programs!, folders[0]!, ends);
  writeFileSync(table, '');
  // Another user's file it could not remove in the common folder.
  const { uid, gid } = statSync(folders[0]!);
  chownSync(table, uid, gid);

  await startMariaDb(programs!, folders[1]!, ends);

  expect(existsSync(table)).toBe(true);
});
