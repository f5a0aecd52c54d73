import { copyFileSync, existsSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { builtOnce, type Database, openDatabase, type StoreReader } from '#server/platform/database/database';
import { openFileConnection } from '#server/platform/database/file-connection';
import { messages, sessions } from '#server/platform/database/schema/sessions';
import { itWithDatabase as it } from '#tests/support/test-database';
import { StoreBusyError } from '#server/core/errors';

const session = (id: string) => ({ id, title: id, ownerId: 'own_1', createdAt: 1, updatedAt: 1 });
const message = (id: string, sessionId: string) =>
  ({ id, sessionId, seq: 1, role: 'user', status: 'complete', createdAt: 1 }) as const;

const migrationCount = globSync('drizzle/*.sql').length;

describe('openDatabase', () => {
  it('creates a missing file and its folder, for concurrent callers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-open-'));
    const url = `file:${join(folder, 'new', 'site.db')}`;
    const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ url })));
    await databases[0]!.write(async (tx) => tx.insert(sessions).values(session('ses_1')));
    expect(await databases[3]!.read.select().from(sessions)).toHaveLength(1);
    const [applied] = await databases[1]!.read.all<{ n: number }>(sql`select count(*) as n from __drizzle_migrations`);
    expect(applied?.n).toBe(migrationCount);
    for (const database of databases) await database.close();
    expect(existsSync(join(folder, 'new', 'site.db'))).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it('reports immediately why a path cannot be a database, and what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-open-'));
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'These are notes, and no database. '.repeat(200));
    const refusals = [
      [folder, 'it is a folder'],
      [file, 'it is not a SQLite database'],
      [join(file, 'site.db'), 'it is a file, not a folder'],
      [join(file, 'new', 'site.db'), 'it is a file, not a folder'],
      ['/proc/new/site.db', 'its folder cannot be created'],
      ['/dev/null', 'it is not a regular file'],
      [join(folder, 'n'.repeat(300), 'site.db'), 'the name is too long'],
    ] as const;
    for (const [path, reason] of refusals) {
      const opened = openDatabase({ url: `file:${path}` });
      await expect(opened, path).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(`cannot be opened: ${reason}.`),
      });
      await expect(opened, path).rejects.toThrow(/cannot be opened: .+ Set DATABASE_URL to a file in a folder/);
    }
    rmSync(folder, { recursive: true });
  });

  it('refuses a database in memory', async () => {
    await expect(openDatabase({ url: 'file::memory:' })).rejects.toThrow('use a file');
  });
});

describe('a database file', () => {
  const UNAVAILABLE = { code: 'store_unavailable' };
  let folder: string;
  let path: string;
  let url: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-file-'));
    path = join(folder, 'site.db');
    url = `file:${path}`;
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const add = (db: Database, id: string) => db.write(async (tx) => tx.insert(sessions).values(session(id)));

  it('is not ready when it can be read and not written', async () => {
    const db = await openDatabase({ url });
    await db.check();
    await db.write(async (tx) => tx.run(sql`pragma query_only = on`));
    await expect(db.check()).rejects.toThrow(/readonly/);
    await db.close();
  });

  it.each([
    ['deleted', () => globSync(`${path}*`).forEach((file) => rmSync(file))],
    ['replaced', () => (copyFileSync(path, `${path}.other`), renameSync(`${path}.other`, path))],
  ])('refuses writes when it was %s during operation, also one that had begun; not ready', async (_, lose) => {
    const db = await openDatabase({ url });
    await add(db, 'ses_1');
    await db.check();
    const late = db.write(async (tx) => {
      await tx.insert(sessions).values(session('ses_2'));
      lose();
    });
    await expect(late).rejects.toMatchObject(UNAVAILABLE);
    // The path is in the log only, not in the page.
    const refusal = await late.catch((error: unknown) => error as Error);
    expect(String(refusal)).not.toContain(path);
    expect(String((refusal as Error).cause)).toContain(path);
    const before = globSync(`${path}*`);
    await expect(add(db, 'ses_3')).rejects.toMatchObject(UNAVAILABLE);
    await expect(db.check()).rejects.toMatchObject(UNAVAILABLE);
    await expect(db.check()).rejects.toThrow('is not the one that this server opened');
    expect(globSync(`${path}*`)).toEqual(before);
    await db.close();
  });
});

describe('Database', () => {
  it('checks foreign keys and cascades, also after a write has failed', async ({ db }) => {
    await expect(db.write(async (tx) => tx.insert(messages).values(message('msg_0', 'ses_none')))).rejects.toThrow();
    await db.write(async (tx) => {
      await tx.insert(sessions).values(session('ses_1'));
      await tx.insert(messages).values(message('msg_1', 'ses_1'));
    });
    await db.write(async (tx) => tx.delete(sessions));
    expect(await db.read.select().from(messages)).toEqual([]);
  });

  it('refuses a write through the reader', async ({ db }) => {
    await expect(db.read.all(sql`delete from sessions`)).rejects.toThrow();
  });

  it('refuses a write inside a write instead of waiting for ever', async ({ db }) => {
    await expect(db.write(() => db.write(async () => 1))).rejects.toThrow('inside Database.write');
    expect(await db.write(async () => 2)).toBe(2);
  });

  it('runs a prepared query in reads and transactions, and in none that has ended', async ({ db }) => {
    let built = 0;
    const find = builtOnce((handle: StoreReader) => {
      built += 1;
      const { id, title } = sessions;
      return handle
        .select({ title })
        .from(sessions)
        .where(eq(id, sql.placeholder('id')))
        .prepare();
    });
    const read = (id: string) => find(db.read).get({ id });
    const left = await db.write(async (tx) => {
      await tx.insert(sessions).values(session('ses_1'));
      expect(await find(tx).get({ id: 'ses_1' })).toEqual({ title: 'ses_1' });
      expect(await read('ses_1')).toBeUndefined();
      return tx;
    });
    const refused = db.write(async (tx) => {
      await tx.update(sessions).set({ title: 'Other' });
      expect(await find(tx).get({ id: 'ses_1' })).toEqual({ title: 'Other' });
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect([await read('ses_1'), await read('ses_2')]).toEqual([{ title: 'ses_1' }, undefined]);
    expect(built).toBe(2);
    await expect(find(left).get({ id: 'ses_1' })).rejects.toMatchObject({
      cause: { message: 'The transaction is over.' },
    });
  });

  it('waits while another process holds the lock, and still commits', async ({ db }) => {
    const other = createClient({ url: db.url, concurrency: 1 });
    const { waiting, second } = await openWaiting(db.url);
    const held = await other.transaction('write');
    const writing = second.write(async (tx) => tx.insert(sessions).values(session('ses_1')));
    await waiting;
    expect(await db.read.select().from(sessions)).toEqual([]);
    await held.rollback();
    await writing;
    await second.write(async (tx) => tx.insert(sessions).values(session('ses_2')));
    expect((await other.execute('select count(*) as n from sessions')).rows[0]?.['n']).toBe(2);
    other.close();
    await second.close();
  });

  it('repeats a single deferred statement that met the lock of another process', async ({ db }) => {
    const other = createClient({ url: db.url, concurrency: 1 });
    const { waiting, second } = await openWaiting(db.url);
    const held = await other.transaction('write');
    const writing = second.write(async (tx) => tx.later(() => tx.insert(sessions).values(session('ses_1'))));
    await waiting;
    await held.rollback();
    await writing;
    expect(await db.read.select({ id: sessions.id }).from(sessions)).toEqual([{ id: 'ses_1' }]);
    other.close();
    await second.close();
  });

  it('keeps its pragmas after the connection was replaced', async ({ db }) => {
    const { waiting, second } = await openWaiting(db.url);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const held = db.write(async (tx) => {
      await tx.get(sql`select 1`);
      await released;
    });
    const writing = second.write(async (tx) => [
      await tx.get(sql`pragma foreign_keys`),
      await tx.get(sql`pragma synchronous`),
      await tx.get(sql`pragma journal_mode`),
    ]);
    await waiting;
    release();
    await held;
    expect((await writing).map((row) => Object.values(row as object)[0])).toEqual([1, 1, 'wal']);
    await second.close();
  });
});

/** A second database on the same file; `waiting` resolves once it has met SQLITE_BUSY. */
async function openWaiting(url: string) {
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  return { waiting, second: await openDatabase({ url, observer: { onBusy: resolve } }) };
}

const DEADLINE_MS = 15_000;

describe('a connection to a file that another process has locked', () => {
  it('lets a writer wait 15 s in all, also for other writers, then writes nothing', async ({ db: database }) => {
    const other = createClient({ url: database.url, concurrency: 1 });
    const held = await other.transaction('write');
    let time = 0;
    const begun: string[] = [];
    // The clock stands until the first meets the lock; then the time of all three is over.
    const onBusy = () => void (time += DEADLINE_MS);
    const connection = openFileConnection({ url: database.url, pragmas: [], observer: { onBusy }, now: () => time });
    const write = (name: string) =>
      connection.run(async (client) => {
        begun.push(name);
        await client.transaction((tx) => tx.execute('delete from sessions'));
      });
    const outcomes = await Promise.allSettled(['first', 'second', 'third'].map(write));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'store_busy' } });
      expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreBusyError);
      expect(outcome).toMatchObject({ reason: { details: { waitedMs: DEADLINE_MS } } });
    }
    expect(begun).toEqual(['first']);
    await held.rollback();
    await write('later');
    expect(begun.at(-1)).toBe('later');
    await connection.close();
    other.close();
  });
});
