import { execFile } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@libsql/client';
import { desc } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { ConflictError, InvalidInputError } from '#server/core/errors';
import { backUpDatabase, restoreDatabase } from '#server/platform/database/backup';
import { openDatabase } from '#server/platform/database/database';
import { sessions } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { mountSmallDisk } from '#tests/deep/support/store-trouble';
import { compiledFolder } from '#tests/support/production-server';
import { readDatabase } from '#tests/support/database-fingerprint';

const run = promisify(execFile);
const ownerId = 'own_local';
const options = { migrationsFolder: 'drizzle', now: Date.UTC(2026, 10, 22) };

describe('a backup of the embedded database', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-backup-'));
    file = join(folder, 'site.db');
    copyFileSync(inject('migratedDatabase'), file);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const titles = async (path: string) => {
    await using database = await openDatabase({ url: `file:${path}` });
    const rows = await database.read.select({ title: sessions.title }).from(sessions).orderBy(desc(sessions.id));
    return rows.map(({ title }) => title);
  };
  const print = async (path: string) => {
    using reader = await readDatabase(path);
    return await reader.fingerprint();
  };
  /** As a person calls it: in a separate process. */
  const runScript = async (name: 'backup' | 'restore' | 'seed', path: string, database = file) => {
    const env = { ...process.env, DATABASE_URL: `file:${database}`, NODE_COMPILE_CACHE: compiledFolder };
    const { stdout } = await run(process.execPath, [`scripts/${name}.ts`, path], { env });
    return stdout;
  };
  const fill = async (...names: string[]) => {
    await using database = await openDatabase({ url: `file:${file}` });
    for (const title of names) await createSessionRepository(database).create({ ownerId, title });
  };

  it('is complete during writes, and restores the same state', async () => {
    await using database = await openDatabase({ url: `file:${file}` });
    const conversations = createSessionRepository(database);
    await conversations.create({ ownerId, title: 'Before' });
    const enough = new AbortController();
    const writer = (async () => {
      for (let i = 0; !enough.signal.aborted; i++) {
        await conversations.create({ ownerId, title: `Meanwhile ${i}` });
        // The driver answers immediately; other tasks need a turn of the event loop.
        await setImmediate();
      }
    })();
    const backup = join(folder, 'backups', 'one.db');
    expect(await runScript('backup', backup)).toContain(`Saved ${backup}`);
    enough.abort();
    await writer;
    await database.close();

    const saved = await titles(backup);
    expect(saved).toContain('Before');
    const now = await titles(file);
    expect(now.slice(-saved.length)).toEqual(saved);

    // Over a database that only other processes had open: what this one closed, SQLite holds until it is collected.
    const other = join(folder, 'other.db');
    await runScript('seed', '', other);
    const said = await runScript('restore', backup, other);
    const [, keptAs = ''] = /is kept as (\S+)\.\n/.exec(said) ?? [];
    expect(await titles(other)).toEqual(saved);
    expect(await titles(keptAs)).toEqual([]);
    expect(await print(keptAs)).toMatchObject({ entries: expect.stringMatching(/^[1-9]\d* rows/) as unknown });
    expect(readdirSync(folder).filter((name) => /incoming|unfinished/.test(name))).toEqual([]);
  });

  it('is kept although the disk of the database is full', async ({ skip }) => {
    using disk = mountSmallDisk(8);
    if (!disk) return skip('only root may mount a disk');
    await fill('Mine');
    const full = join(disk.folder, 'site.db');
    copyFileSync(file, full);
    await using database = await openDatabase({ url: `file:${full}` });
    // So long that the file itself has to grow for it.
    const title = 'Newest'.repeat(20_000);
    await createSessionRepository(database).create({ ownerId, title });
    disk.fill();
    const backup = join(folder, 'one.db');
    expect(await runScript('backup', backup, full)).toContain(`Saved ${backup}`);
    disk.free();
    expect(await titles(backup)).toEqual([title, 'Mine']);
  });

  it('restores to a place without a database', async () => {
    await fill('Only');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    const target = join(folder, 'other', 'site.db');
    expect(await restoreDatabase(`file:${target}`, backup, options)).toEqual({ keptAs: null });
    expect(await titles(target)).toEqual(['Only']);
  });

  it('is made and put back in a folder whose name has to be encoded in an address', async () => {
    const name = 'Größe #3? 100%';
    await fill('Mine');
    const other = join(folder, name, 'site.db');
    const backup = join(folder, name, 'one.db');
    mkdirSync(dirname(other));
    copyFileSync(file, other);
    const path = encodeURIComponent(other);
    expect(await runScript('backup', backup, path)).toContain(`Saved ${backup}`);
    expect(await runScript('restore', backup, path)).toContain('is kept as');
    expect(await titles(path)).toEqual(['Mine']);
    const names = readdirSync(dirname(other)).filter((each) => !/-(wal|shm)$/.test(each));
    expect(names).toEqual(['one.db', 'site.db', expect.stringMatching(/^site\.db\.before-restore-/)]);
    expect(
      readdirSync(folder)
        .filter((each) => !/-(wal|shm)$/.test(each))
        .toSorted(),
    ).toEqual([name, 'site.db'].toSorted());
  });

  it.each([
    ['no database any more', 'words'.repeat(5)],
    ['cut off', null],
  ])('replaces one that is %s, which is kept with its accompanying files', async (_what, head) => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    const bytes = readFileSync(file);
    const damaged = head === null ? bytes.subarray(0, 5_000) : Buffer.concat([Buffer.from(head), bytes.subarray(25)]);
    // At a path that no connection has had open: SQLite removes a log when the last one ends, perhaps only later.
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, damaged);
    writeFileSync(`${broken}-wal`, 'the newest');
    const { keptAs } = await restoreDatabase(`file:${broken}`, backup, options);
    expect(await titles(broken)).toEqual(['Mine']);
    expect(readFileSync(keptAs!).equals(damaged)).toBe(true);
    expect(readFileSync(`${keptAs}-wal`, 'utf8')).toBe('the newest');
  });

  it('does not read the log of a damaged one into its replacement', async () => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    const [live, broken] = [join(folder, 'live.db'), join(folder, 'broken.db')];
    copyFileSync(backup, live);
    const client = createClient({ url: `file:${live}` });
    await client.execute('PRAGMA journal_mode = WAL');
    await client.execute("UPDATE sessions SET title = 'From the log'");
    // While it is open: SQLite removes the log when the last connection ends.
    writeFileSync(broken, readFileSync(live).subarray(0, 5_000));
    copyFileSync(`${live}-wal`, `${broken}-wal`);
    client.close();
    const { keptAs } = await restoreDatabase(`file:${broken}`, backup, options);
    expect(await titles(broken)).toEqual(['Mine']);
    expect(statSync(`${keptAs}-wal`).size).toBeGreaterThan(0);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'gets the owner of the database it replaces, for any restoring user',
    async () => {
      await fill('Mine');
      writeFileSync(`${file}.key`, 'first');
      const backup = join(folder, 'one.db');
      await backUpDatabase(`file:${file}`, backup);
      // Of the user of a service; the command is run by root.
      const other = join(folder, 'other.db');
      const [uid, gid] = [65_534, 65_533];
      for (const ending of ['', '.key']) {
        copyFileSync(backup + ending, other + ending);
        chownSync(other + ending, uid, gid);
      }
      await restoreDatabase(`file:${other}`, backup, options);
      const names = readdirSync(folder).filter((name) => name.startsWith('other.db'));
      expect(names.length).toBeGreaterThan(3);
      const owners = names.map((name) => [name, statSync(join(folder, name)).uid, statSync(join(folder, name)).gid]);
      expect(owners).toEqual(names.map((name) => [name, uid, gid]));
      expect(statSync(backup).uid).toBe(0);

      const empty = join(folder, 'empty');
      mkdirSync(empty);
      chownSync(empty, uid, gid);
      await restoreDatabase(`file:${join(empty, 'site.db')}`, backup, options);
      expect(readdirSync(empty).map((name) => statSync(join(empty, name)).uid)).toEqual([uid, uid]);

      const missing = join(empty, 'data', 'site');
      await restoreDatabase(`file:${join(missing, 'site.db')}`, backup, options);
      const made = [dirname(missing), missing, join(missing, 'site.db'), join(missing, 'site.db.key')];
      expect(made.map((path) => [statSync(path).uid, statSync(path).gid])).toEqual(made.map(() => [uid, gid]));
      // The owner cannot differ from that of root's folder.
      expect(await runScript('restore', backup, join(folder, 'new', 'site.db'))).toContain('belongs to root');
      expect(await runScript('restore', backup, join(missing, 'two.db'))).not.toContain('belongs to root');
    },
  );

  it.skipIf(process.getuid?.() !== 0)('restores to a file system without owners', async () => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    const restoreInto = async (name: string, code: string) => {
      const other = join(folder, name);
      copyFileSync(backup, other);
      chownSync(other, 65_534, 65_534);
      const chown = vi.spyOn(promises, 'chown').mockRejectedValueOnce(Object.assign(new Error(code), { code }));
      syncBuiltinESMExports();
      try {
        await restoreDatabase(`file:${other}`, backup, options);
      } finally {
        chown.mockRestore();
        syncBuiltinESMExports();
      }
      return other;
    };
    for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']) {
      const other = await restoreInto(`${code}.db`, code);
      expect(statSync(other).uid).toBe(0);
      expect(await titles(other)).toEqual(['Mine']);
    }
    await expect(restoreInto('other.db', 'EIO')).rejects.toThrow('EIO');
    expect(statSync(join(folder, 'other.db')).uid).toBe(65_534);
  });

  it('includes the key of stored secrets, for its owner only, and restores it', async () => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    expect(await backUpDatabase(`file:${file}`, backup)).toMatchObject({ keyFile: null });
    rmSync(backup);
    writeFileSync(`${file}.key`, 'first');
    expect(await runScript('backup', backup)).toContain(`${backup}.key`);
    const modes = [backup, `${backup}.key`].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes).toEqual(['600', '600']);

    const target = join(folder, 'other', 'site.db');
    await restoreDatabase(`file:${target}`, backup, options);
    expect(readFileSync(`${target}.key`, 'utf8')).toBe('first');

    const other = join(folder, 'another.db');
    await runScript('restore', backup, other);
    writeFileSync(`${other}.key`, 'second');
    const [, keptAs = ''] = /is kept as (\S+)\.\n/.exec(await runScript('restore', backup, other)) ?? [];
    expect(readFileSync(`${other}.key`, 'utf8')).toBe('first');
    expect(readFileSync(`${keptAs}.key`, 'utf8')).toBe('second');
  });

  it('does not replace a database that is open', async () => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    await fill('Newer');
    await using database = await openDatabase({ url: `file:${file}` });
    const before = await print(file);
    await expect(restoreDatabase(`file:${file}`, backup, options)).rejects.toThrow(ConflictError);
    expect(await print(file)).toEqual(before);
    await createSessionRepository(database).create({ ownerId, title: 'Still works' });
  });

  it.each([
    ['no database', () => Buffer.from('words '.repeat(5_000))],
    ['nothing', () => Buffer.alloc(0)],
    [
      'a damaged one',
      (sound: Buffer) => Buffer.concat([sound.subarray(0, 8_192), Buffer.alloc(sound.length - 8_192, 0x5a)]),
    ],
  ])('is refused when it is %s, and nothing is changed', async (_what, spoil) => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    writeFileSync(backup, spoil(readFileSync(backup)));
    const before = await print(file);
    const refused = await restoreDatabase(`file:${file}`, backup, options).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect(String(refused)).toContain(`The file ${backup} is `);
    expect(await print(file)).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.includes('incoming'))).toEqual([]);
  });

  it('is refused when a newer version has made it, and nothing is changed', async () => {
    await fill('Mine');
    const backup = join(folder, 'one.db');
    await backUpDatabase(`file:${file}`, backup);
    const newer = createClient({ url: `file:${backup}` });
    await newer.execute("insert into __drizzle_migrations (hash, created_at) values ('of the future', 99999999999999)");
    newer.close();
    const before = await print(file);
    await expect(runScript('restore', backup)).rejects.toMatchObject({
      stderr: expect.stringContaining('The database is of a newer version of Throughline.') as unknown,
    });
    expect(await print(file)).toEqual(before);
    expect(readdirSync(folder).filter((name) => /incoming|before-restore/.test(name))).toEqual([]);
  });

  it('never overwrites a file, and rejects a database server', async () => {
    await fill('Mine');
    const taken = join(folder, 'taken.db');
    writeFileSync(taken, 'mine');
    await expect(backUpDatabase(`file:${file}`, taken)).rejects.toThrow(ConflictError);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    await expect(backUpDatabase('libsql://db.example', join(folder, 'x.db'))).rejects.toThrow('backups of its own');
    await expect(backUpDatabase(`file:${join(folder, 'none.db')}`, join(folder, 'x.db'))).rejects.toThrow(
      'no database',
    );
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
    await expect(backUpDatabase(`file:${file}`, folder)).rejects.toThrow(`${folder} is a folder.`);
    const spaces = [join(folder, 'My'), 'Disk.db'];
    const env = { ...process.env, DATABASE_URL: `file:${file}` };
    await expect(run(process.execPath, ['scripts/backup.ts', ...spaces], { env })).rejects.toMatchObject({
      stderr: expect.stringContaining('in quotes') as unknown,
    });
    expect(readdirSync(folder)).not.toContain('My');
  });
});
