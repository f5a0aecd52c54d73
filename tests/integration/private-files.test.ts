import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProductionServer } from '#tests/support/production-server';

const run = promisify(execFile);

describe.skipIf(process.platform === 'win32')('files that are made here', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'throughline-files-')), 'data');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  const database = () => join(folder, 'new', 'site.db');
  /** In a shell whose files everybody may read, as shells are. */
  const script = (name: string, ...args: string[]) =>
    run('sh', ['-c', 'umask 022; exec "$0" "$@" </dev/null', process.execPath, `scripts/${name}.ts`, ...args], {
      env: { ...process.env, DATABASE_URL: `file:${database()}` },
    });
  /** Files and folders that somebody else may read, by their names. */
  const open = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
    );
  const names = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();

  it('are their owner’s alone, whichever command makes them', async () => {
    const [saved, site] = [join(folder, 'backups', 'saved.db'), join(folder, 'site.json')];
    await script('seed');
    await script('user', 'create', '--email', 'olive@kiln.example', '--name', 'Olive', '--role', 'admin');
    await script('backup', saved);
    await script('restore', saved);
    await script('export', site);
    expect(names()).toEqual(expect.arrayContaining(['backups/saved.db', 'new/site.db', 'site.json']));
    expect(open()).toEqual([]);
  });

  it('are their owner’s alone while the server runs, the write-ahead log and the key of its secrets too', async () => {
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
