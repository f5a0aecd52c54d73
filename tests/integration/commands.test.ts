import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuditRepository } from '#server/platform/auth/store/audit-repository';
import { openDatabase } from '#server/platform/database/database';
import { mountSmallDisk } from '#tests/deep/support/store-trouble';
import { compiledFolder, demoSiteFile, startProductionServer } from '#tests/support/production-server';

describe.skipIf(process.platform === 'win32')('files of the commands', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'throughline-files-')), 'data');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  const database = () => join(folder, 'new', 'site.db');
  /** In a shell whose files everybody may read, as shells are. */
  const run = (file: string, script: string, ...args: string[]) =>
    void execFileSync(
      'sh',
      ['-c', 'umask 022; exec "$0" "$@" </dev/null', process.execPath, `scripts/${script}.ts`, ...args],
      { env: { ...process.env, DATABASE_URL: `file:${file}`, NODE_COMPILE_CACHE: compiledFolder }, stdio: 'pipe' },
    );
  /** Names of files and folders that other users may read. */
  const open = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
    );
  const names = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  // Of a copy: what this process has closed, SQLite holds until it is collected, and a restore would be refused.
  const audited = async () => {
    const copy = join(folder, '..', `${randomUUID()}.db`);
    copyFileSync(database(), copy);
    await using opened = await openDatabase({ url: `file:${copy}` });
    const { items } = await createAuditRepository(opened).list({});
    return items.map(({ action, actorName, target }) => [actorName, action, target]);
  };

  it('is in the audit log and its owner’s alone, whichever command makes it', async () => {
    const [backup, site] = [join(folder, 'backups', 'saved.db'), join(folder, 'site.json')];
    run(join(folder, 'other', 'site.db'), 'seed');
    run(database(), 'user', 'create', '--email', 'olive@kiln.example', '--role', 'admin');
    run(database(), 'backup', backup);
    run(database(), 'export', site);
    run(database(), 'import', site, '--dry-run');
    run(database(), 'import', site);
    expect(await audited()).toEqual([
      ['npm run import', 'content-published', 'site.json'],
      ['npm run backup', 'database-backed-up', backup],
      ['npm run user', 'user-created', 'olive@kiln.example'],
    ]);
    run(database(), 'restore', backup);
    expect(await audited()).toEqual([
      ['npm run restore', 'database-restored', backup],
      ['npm run user', 'user-created', 'olive@kiln.example'],
    ]);
    expect(names()).toEqual(expect.arrayContaining(['backups/saved.db', 'new/site.db', 'other/site.db', 'site.json']));
    expect(open()).toEqual([]);
  });

  it('is a whole export or none: a full disk leaves no partial file', ({ skip }) => {
    using disk = mountSmallDisk(1);
    if (!disk) return skip('only root may mount a disk');
    mkdirSync(join(folder, 'new'));
    copyFileSync(demoSiteFile(), database());
    disk.fill();
    const site = join(disk.folder, 'site.json');
    expect(() => run(database(), 'export', site)).toThrow('no space left');
    expect(readdirSync(disk.folder)).toEqual(['ballast']);
    disk.free();
    run(database(), 'export', site);
    expect(() => run(database(), 'export', site)).toThrow(`There is a file ${site} already.`);
    expect(readdirSync(disk.folder)).toEqual(['site.json']);
  });

  it('is readable by its owner only during operation, including log and key file', async () => {
    await using server = await startProductionServer({ databaseFile: database(), umask: '022' });
    const headers = { 'content-type': 'application/json' };
    const transport = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'a secret' } };
    const body = JSON.stringify({ name: 'remote', transport, isEnabled: false });
    const added = await fetch(`${server.url}/api/settings/mcp-servers`, { method: 'POST', headers, body });
    expect(added.status).toBe(201);
    expect(names()).toEqual(expect.arrayContaining(['new/site.db', 'new/site.db-wal', 'new/site.db.key']));
    expect(open()).toEqual([]);
  });
});
