import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAuditRepository } from '#server/store/audit-repository';
import { openDatabase } from '#server/store/database';

it('what is done from the command line is in the audit log: people, a backup, an import, a restore', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-commands-'));
  const file = join(folder, 'site.db');
  const [backup, site] = [join(folder, 'one.db'), join(folder, 'site.json')];
  const env = { ...process.env, DATABASE_URL: `file:${file}` };
  const run = (script: string, ...args: string[]) =>
    void execFileSync(process.execPath, [`scripts/${script}.ts`, ...args], { env, stdio: 'pipe', input: '' });
  // Of a copy: what this process has closed, SQLite holds until it is collected, and a restore would be refused.
  const audited = async (copy = join(folder, `${randomUUID()}.db`)) => {
    copyFileSync(file, copy);
    await using database = await openDatabase({ url: `file:${copy}` });
    const { items } = await createAuditRepository(database).list({});
    return items.map(({ action, actorName, target }) => [actorName, action, target]);
  };
  try {
    run('user', 'create', '--email', 'olive@kiln.example', '--role', 'admin');
    run('backup', backup);
    run('export', site);
    run('import', site, '--dry-run');
    run('import', site);
    expect(await audited()).toEqual([
      ['npm run import', 'content-published', 'site.json'],
      ['npm run backup', 'database-backed-up', backup],
      ['npm run user', 'user-created', 'olive@kiln.example'],
    ]);
    run('restore', backup);
    expect(await audited()).toEqual([
      ['npm run restore', 'database-restored', backup],
      ['npm run user', 'user-created', 'olive@kiln.example'],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
