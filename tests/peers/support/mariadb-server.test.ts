import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findWordPress } from '#scripts/lib/tests/wordpress-programs';
import { startMariaDb } from '#tests/peers/support/mariadb-server';

const programs = findWordPress();

it.skipIf(programs === undefined)('leaves the temporary tables of another that runs alone', async () => {
  const ends: (() => Promise<void>)[] = [];
  const folders = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'throughline-db-')));
  const [common, one, other] = folders as [string, string, string];
  // Not the machine's: somebody else's server, which may start just now, clears that.
  vi.stubEnv('TMPDIR', common);
  // As the machine's is: the servers may be another user's.
  chmodSync(common, 0o777);
  const table = join(common, `#sql-temptable-${process.pid}-1-1`);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    for (const end of ends) await end();
    for (const path of folders) rmSync(path, { recursive: true, force: true });
  });
  await startMariaDb(programs!, one, ends);
  writeFileSync(table, '');

  await startMariaDb(programs!, other, ends);

  expect(existsSync(table)).toBe(true);
});
