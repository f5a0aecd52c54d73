import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { createClient } from '@libsql/client';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createProviderRepository } from '#server/models/store/provider-repository';
import { openDatabase } from '#server/platform/database/database';
import { blobs, sessions } from '#server/platform/database/schema/sessions';
import { createSecretBox } from '#server/platform/database/secret-box';
import { backUpServer, restoreToServer } from '#server/platform/database/server-backup';
import { startLibsqlServer } from '#tests/support/libsql-server';
import { compiledFolder } from '#tests/support/production-server';

const run = promisify(execFile);
const AUTH_SECRET = 'the secret of the database server, long enough';
const PICTURE = { mediaType: 'image/png', filename: 'kiln.png', createdAt: 1 };
const options = { migrationsFolder: 'drizzle', prepare: async () => {}, onProgress: () => {} };

/** Everything that is stored in a file: each row with its rowid and its types, the schema, and what a search finds. */
function contentsOf(file: string): Record<string, unknown> {
  const db = new DatabaseSync(file, { readOnly: true });
  const all = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all();
  };
  const tables = all(
    "select name from sqlite_master where type = 'table' and name not like 'history_search%' and name <> 'write_receipts'",
  );
  const contents = Object.fromEntries(
    tables.map(({ name }) => [String(name), all(`select rowid, * from "${String(name)}" order by rowid`)]),
  );
  contents['schema'] = all('select type, name, sql from sqlite_master where sql is not null order by type, name');
  contents['found'] = all("select rowid from history_search where history_search match 'kiln' order by rowid");
  contents['foundTrigrams'] = all(
    "select rowid from history_search_trigrams where history_search_trigrams match '薬の値' order by rowid",
  );
  db.close();
  return contents;
}

describe('a database that moves', () => {
  let made: string;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'throughline-move-'));
    await fillFile(join(made, 'small.db'), { large: 1_000 });
    await fillFile(join(made, 'large.db'), { large: 2_500_000 });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-move-'));
    file = join(folder, 'site.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(() => rmSync(made, { recursive: true, force: true }));

  const useFile = (size: 'small' | 'large') => copyFileSync(join(made, `${size}.db`), file);

  /** A file with a conversation, texts and files of the size `large` between small ones. */
  async function fillFile(target: string, { large }: { large: number }): Promise<void> {
    copyFileSync(inject('migratedDatabase'), target);
    await using database = await openDatabase({ url: `file:${target}` });
    const { id } = await createSessionRepository(database).create({ ownerId: 'own_1', title: 'Kiln' });
    await createSessionRepository(database).create({ ownerId: 'own_2', title: 'Empty' });
    const messages = createMessageRepository(database);
    for (let index = 0; index < 30; index += 1) {
      const text = `kiln ${index}: 釉薬の値段 ${'glaze ü '.repeat(index % 15 === 0 ? large / 10 : 3)}`;
      await messages.append(id, { role: 'user', parts: [{ type: 'text', content: { text } }] });
    }
    await database.write(async (tx) => {
      await tx.update(sessions).set({ cost: 5 }).where(eq(sessions.id, id)).run();
      // Large files are copied in pieces, small ones with their rows.
      for (const [index, size] of [large, large, 1_000].entries()) {
        const data = Buffer.alloc(size, `${index} picture `);
        await tx
          .insert(blobs)
          .values({ id: `blb_${index}`, sessionId: id, hash: `${index}`, ...PICTURE, size: data.length, data })
          .run();
      }
    });
  }

  const runScript = async (
    name: 'backup' | 'restore',
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => {
    const { stdout } = await run(process.execPath, [`scripts/${name}.ts`, ...args], {
      env: { ...process.env, NODE_COMPILE_CACHE: compiledFolder, AUTH_SECRET, ...env },
    });
    return stdout;
  };

  it('to a server and back is equal row by row', async () => {
    useFile('large');
    await using server = await startLibsqlServer();
    // It is copied next to the backup first.
    const copies = () => readdirSync(folder).filter((name) => name.startsWith('.restore-'));
    const during: string[] = [];
    await restoreToServer({ url: server.url }, file, {
      ...options,
      prepare: async () => void during.push(...copies()),
    });
    expect([during.length, copies()]).toEqual([1, []]);
    const back = join(folder, 'back.db');
    await (await openDatabase({ url: server.url })).close();
    const progress: string[] = [];
    const { bytes, keyFile } = await backUpServer({ url: server.url }, back, ({ table, rows, totalRows }) =>
      progress.push(`${table} ${rows}/${totalRows}`),
    );
    expect(keyFile).toBeNull();
    expect(bytes).toBeGreaterThan(9_000_000);
    expect(progress).toContain('messages 30/30');
    const [before, after] = [contentsOf(file), contentsOf(back)];
    expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
    // One by one: a difference of everything would be too large to read.
    for (const [name, rows] of Object.entries(before)) expect({ [name]: after[name] }).toStrictEqual({ [name]: rows });
  });

  it('is refused while its newest changes are outside of its file', async () => {
    useFile('small');
    await using server = await startLibsqlServer();
    await using database = await openDatabase({ url: `file:${file}` });
    await createSessionRepository(database).create({ ownerId: 'own_3', title: 'In use' });
    await expect(restoreToServer({ url: server.url }, file, options)).rejects.toThrow('newest changes are still in');
    await database.close();
    await restoreToServer({ url: server.url }, file, options);
  });

  it('by the commands keeps its secrets, sealed with AUTH_SECRET', async () => {
    useFile('small');
    const box = createSecretBox({ secret: undefined, databaseUrl: `file:${file}` });
    const connection = { id: 'openrouter', baseUrl: null, apiKey: 'sk-of-the-file' } as const;
    await using database = await openDatabase({ url: `file:${file}` });
    await createProviderRepository(database, box).save(connection);
    await database.close();
    expect(existsSync(`${file}.key`)).toBe(true);

    await using server = await startLibsqlServer({ authToken: 'token' });
    const ofServer = { DATABASE_URL: server.url, DATABASE_AUTH_TOKEN: 'token' };
    const said = await runScript('restore', [file, '--to', server.url], { ...ofServer, DATABASE_URL: `file:${file}` });
    expect(said).toContain('messages: 30 of 30 rows');
    expect(said).toContain(`at ${new URL(server.url).host}. Set DATABASE_URL to this server`);
    await using moved = await openDatabase({ url: server.url, authToken: 'token' });
    const ofAll = createSecretBox({ secret: AUTH_SECRET, databaseUrl: server.url });
    expect(await createProviderRepository(moved, ofAll).list()).toMatchObject([connection]);
    await moved.close();

    const backup = join(folder, 'of-server.db');
    expect(await runScript('backup', [backup], ofServer)).toContain(`Saved ${backup}`);
    const other = join(folder, 'other.db');
    await runScript('restore', [backup], { DATABASE_URL: `file:${other}` });
    await using restored = await openDatabase({ url: `file:${other}` });
    const again = createSecretBox({ secret: AUTH_SECRET, databaseUrl: `file:${other}` });
    expect(await createProviderRepository(restored, again).list()).toMatchObject([connection]);
    expect(await restored.read.select({ id: sessions.id }).from(sessions)).toHaveLength(2);
  });

  it('is copied from a server as it was at one moment', async () => {
    useFile('large');
    // A file that only one SQLite library of this process opens: a file closed by another one loses the locks of all.
    const ofServer = join(folder, 'server.db');
    copyFileSync(file, ofServer);
    await using server = await startLibsqlServer({ file: ofServer });
    const others = new DatabaseSync(ofServer);
    const backup = join(folder, 'backup.db');
    await backUpServer({ url: server.url }, backup, ({ rows }) => {
      if (rows > 0) others.exec("update sessions set title = 'Changed'");
    });
    others.close();
    await using copy = await openDatabase({ url: `file:${backup}` });
    const titles = await copy.read.select({ title: sessions.title }).from(sessions);
    expect(titles.map(({ title }) => title).toSorted()).toEqual(['Empty', 'Kiln']);
  });

  it('from a server of an older version is backed up without being migrated', async () => {
    await using server = await startLibsqlServer({ copyOf: inject('migratedDatabase') });
    const client = createClient({ url: server.url });
    await client.execute(
      'delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)',
    );
    const applied = async () => (await client.execute('select count(*) as n from __drizzle_migrations')).rows[0]?.['n'];
    const before = await applied();
    const backup = join(folder, 'older.db');
    const said = await runScript('backup', [backup], { DATABASE_URL: server.url });
    expect(said).toContain(`Saved ${backup}`);
    expect(await applied()).toBe(before);
    const { rows } = await client.execute("select name from sqlite_master where name = 'write_receipts'");
    expect(rows).toEqual([]);
    client.close();
  });

  it('does not go to a server that holds something, nor in part', async () => {
    useFile('small');
    await using server = await startLibsqlServer();
    const interrupted = restoreToServer({ url: server.url }, file, {
      ...options,
      onProgress: ({ table }) => {
        if (table === 'messages') throw new Error('The process ends here.');
      },
    });
    await expect(interrupted).rejects.toThrow('The process ends here.');
    await expect(openDatabase({ url: server.url })).rejects.toThrow('holds a part of a database');
    await expect(restoreToServer({ url: server.url }, file, options)).rejects.toThrow('is not empty');
  });

  it('is not changed by a request of its restore that arrives after an instance has started', async () => {
    useFile('small');
    await using server = await startLibsqlServer();
    const late = server.loseUntilLater(/into "sessions"/);
    await restoreToServer({ url: server.url }, file, options);
    await late.lost;
    await using database = await openDatabase({ url: server.url });
    await database.write((tx) => tx.update(sessions).set({ title: 'Renamed' }));
    await late.carryOut();
    const titles = await database.read.select({ title: sessions.title }).from(sessions);
    expect(titles.map(({ title }) => title)).toEqual(['Renamed', 'Renamed']);
  });

  it('is not moved to a server on which an instance starts during the move', async () => {
    useFile('small');
    await using server = await startLibsqlServer();
    const client = createClient({ url: server.url });
    let started: Promise<unknown> = Promise.resolve();
    const filled = restoreToServer({ url: server.url }, file, {
      ...options,
      onProgress: ({ table, rows }) => {
        if (table === 'sessions' && rows > 0) started = client.execute('create table __drizzle_migrations (id)');
      },
    });
    await expect(filled).rejects.toThrow('has started on the database server meanwhile');
    await started;
    client.close();
  });

  it('says when a file is larger than the server accepts', async () => {
    useFile('large');
    await using server = await startLibsqlServer({ valueBytes: 1_000_000 });
    await expect(restoreToServer({ url: server.url }, file, options)).rejects.toThrow('Raise its max_row_size');
  });

  it('does not go to a server without AUTH_SECRET where its secrets have a key file', async () => {
    useFile('small');
    createSecretBox({ secret: undefined, databaseUrl: `file:${file}` });
    await using server = await startLibsqlServer();
    const env = { DATABASE_URL: `file:${file}`, AUTH_SECRET: '' };
    await expect(runScript('restore', [file, '--to', server.url], env)).rejects.toThrow('Set AUTH_SECRET');
    const { rows } = await createClient({ url: server.url }).execute('select name from sqlite_master');
    expect(rows).toEqual([]);
  });

  it('goes to a server whose connection breaks in between', async () => {
    useFile('large');
    await using server = await startLibsqlServer();
    const broken = [
      server.breakOnce({ at: /into "messages"/, lose: 'answer' }),
      server.breakOnce({ at: /into "sessions"/, lose: 'request' }),
      server.breakOnce({ at: /^CREATE TRIGGER/i, lose: 'answer' }),
      server.breakOnce({ at: /insert into history_search/, lose: 'answer' }),
      server.breakOnce({ at: /into "__drizzle_migrations"/, lose: 'answer' }),
    ];
    await restoreToServer({ url: server.url }, file, options);
    await Promise.all(broken);
    const back = join(folder, 'back.db');
    await backUpServer({ url: server.url }, back, () => {});
    const [before, after] = [contentsOf(file), contentsOf(back)];
    for (const [name, rows] of Object.entries(before)) expect({ [name]: after[name] }).toStrictEqual({ [name]: rows });
  });
});
