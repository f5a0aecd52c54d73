import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findProgram } from '#scripts/lib/tests/programs';
import { projectPath } from '#scripts/lib/project';
import { startProductionServer } from '#tests/support/production-server';

/* The files of `deploy` for a server's nights: the real age encrypts a backup, and the way back is gone. */

const run = promisify(execFile);
const [age, keygen] = [findProgram(['age']), findProgram(['age-keygen'])];
const verifier = findProgram(['systemd-analyze']);

describe.skipIf(!age || !keygen)(`deploy/backup.sh (skipped without age)`, () => {
  it('encrypts a backup of a running server, keeps the newest, and restores with the secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-nights-'));
    try {
      const key = join(folder, 'age.key');
      await run('age-keygen', ['-o', key]);
      const recipient = /age1\w+/.exec(readFileSync(key, 'utf8'))?.[0] ?? '';
      const backups = join(folder, 'backups');
      const back = join(folder, 'back');
      const work = join(folder, 'work');
      for (const each of [back, work]) mkdirSync(each);
      const original = join(folder, 'site.db');
      let made = '';
      {
        await using server = await startProductionServer({ seed: true, databaseFile: original });
        const transport = {
          type: 'http',
          url: 'http://127.0.0.1:1/mcp',
          headers: { authorization: 'a stored secret' },
        };
        const added = await fetch(`${server.url}/api/settings/mcp-servers`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'remote', transport, isEnabled: false }),
        });
        expect(added.status).toBe(201);
        const env = {
          ...process.env,
          DATABASE_URL: `file:${original}`,
          AGE_RECIPIENT: recipient,
          BACKUPS: backups,
          TMPDIR: work,
        };
        const nightly = async () => {
          const { stdout } = await run('sh', ['deploy/backup.sh'], { cwd: projectPath(''), env });
          return stdout.trim().split('\n').at(-1) ?? '';
        };
        const old = await nightly();
        // One of long ago; the names have seconds.
        utimesSync(old, 0, 0);
        made = await nightly();
        expect(readdirSync(backups).map((name) => join(backups, name))).toEqual([made]);
      }
      expect(statSync(made).mode & 0o077).toBe(0);
      const bytes = readFileSync(made);
      expect(bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
      expect(bytes.includes('SQLite format 3')).toBe(false);
      // Nothing that is not encrypted stays.
      expect(readdirSync(work).filter((name) => name !== 'node-compile-cache')).toEqual([]);

      await run('sh', ['-c', 'age -d -i "$0" "$1" | tar -x -C "$2"', key, made, back]);
      const restored = join(folder, 'restored', 'site.db');
      mkdirSync(join(folder, 'restored'));
      const env = { ...process.env, DATABASE_URL: `file:${restored}` };
      await run(process.execPath, ['scripts/restore.ts', join(back, 'throughline.db')], { cwd: projectPath(''), env });
      await using server = await startProductionServer({ databaseFile: restored });
      expect(await (await fetch(`${server.url}/site`)).text()).toContain('<h1');
      const tools = await (await fetch(`${server.url}/api/settings/mcp-servers`)).text();
      expect(tools).toContain('remote');
      // A secret that cannot be opened is named in the log.
      expect(server.logs()).not.toMatch(/enter (?:it|them) again|cannot be (?:opened|decrypted)/i);
      const keyOf = (path: string) => readFileSync(`${path}.key`, 'utf8');
      expect(keyOf(restored)).toBe(keyOf(original));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it.skipIf(!age)('deploy/backup.sh deletes no older backup and leaves no file when the backup fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-nights-'));
  try {
    const [backups, work] = [join(folder, 'backups'), join(folder, 'work')];
    for (const each of [backups, work]) mkdirSync(each);
    const old = join(backups, 'throughline-2020-01-01T00-00-00Z.tar.age');
    writeFileSync(old, 'kept');
    utimesSync(old, 0, 0);
    const env = { ...process.env, BACKUPS: backups, TMPDIR: work, DATABASE_URL: `file:${join(folder, 'missing.db')}` };
    const nightly = (more: Record<string, string>) =>
      run('sh', ['deploy/backup.sh'], { cwd: projectPath(''), env: { ...env, ...more } });
    const recipient = 'age1vsumuhju4wtw0wgjp2pc9zp8g0dfdtg5hcf7jezpue025kl3rvlqyemlq6';
    // There is no database.
    await expect(nightly({ AGE_RECIPIENT: recipient })).rejects.toThrow();
    await expect(nightly({ AGE_RECIPIENT: 'AGE-SECRET-KEY-1' })).rejects.toThrow(/must begin with age1/);
    await expect(nightly({ AGE_RECIPIENT: recipient, KEEP_DAYS: '-1' })).rejects.toThrow(/number of days/);
    expect(readdirSync(backups)).toEqual(['throughline-2020-01-01T00-00-00Z.tar.age']);
    expect(readdirSync(work).filter((name) => name !== 'node-compile-cache')).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.skipIf(!verifier)('systemd finds no fault in the units (skipped where there is no systemd-analyze)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-units-'));
  try {
    const units = ['throughline.service', 'throughline-backup.service', 'throughline-backup.timer'];
    for (const unit of units) {
      // Our program is where the server is installed.
      const here = readFileSync(projectPath(`deploy/${unit}`), 'utf8').replace(
        /^ExecStart=\/srv\/\S+/m,
        'ExecStart=/bin/sh',
      );
      writeFileSync(join(folder, unit), here);
    }
    const { stderr } = await run('systemd-analyze', ['verify', ...units.map((unit) => join(folder, unit))]);
    expect(stderr).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
