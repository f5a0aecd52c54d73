import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createClient, type InValue } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileClient } from '#server/platform/database/file-client';

const value = fc.oneof(
  fc.string(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 1 }),
  fc.constant(null),
);

describe('a client of a database file', () => {
  let folder: string;
  let path: string;
  let client: FileClient;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'throughline-client-'));
    path = join(folder, 'test.db');
    client = new FileClient(path);
    await client.execute('create table things (id integer primary key, value)');
  });
  afterEach(() => {
    client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads what it has written as the client of libSQL does', async () => {
    const theirs = createClient({ url: `file:${path}`, concurrency: 1 });
    const read = 'select value, id, value from things where id = ?';
    await fc.assert(
      fc.asyncProperty(value, async (written) => {
        const added = await client.execute({
          sql: 'insert into things (value) values (?) returning id',
          args: [written],
        });
        const args = [added.rows[0]?.['id'] ?? null];
        const [ours, expected] = [await client.execute({ sql: read, args }), await theirs.execute({ sql: read, args })];
        const plain = (row: object | undefined) =>
          [Object.entries(row ?? {}), Array.prototype.slice.call(row)].flat(2).map(bytesAsText);
        expect(plain(ours.rows[0])).toEqual(plain(expected.rows[0]));
      }),
    );
    theirs.close();
  });

  it('refuses values that SQLite cannot store', async () => {
    for (const [wrong] of [[undefined], [Number.NaN], [Number.POSITIVE_INFINITY]])
      await expect(client.execute({ sql: 'select ?', args: [wrong as InValue] })).rejects.toThrow('cannot hold');
  });

  it('runs a statement again after a schema change, a changed pragma or a refusal', async () => {
    const names = async () => (await client.execute('select * from things')).columns;
    expect(await names()).toEqual(['id', 'value']);
    const other = new FileClient(path);
    await other.execute('alter table things add column more');
    expect(await names()).toEqual(['id', 'value', 'more']);
    await other.execute('insert into things (id) values (0)');
    const inRow = async () => Object.keys((await client.execute('select * from things')).rows[0] ?? {});
    expect(await inRow()).toEqual(['id', 'value', 'more']);
    await other.execute('alter table things rename column more to less');
    expect(await inRow()).toEqual(['id', 'value', 'less']);
    await other.execute('alter table things drop column less');
    expect(await inRow()).toEqual(['id', 'value']);
    other.close();
    for (const state of ['on', 'off', 'on', 'off']) {
      await client.execute(`pragma foreign_keys = ${state}`);
      expect((await client.execute('pragma foreign_keys')).rows[0]?.[0]).toBe(state === 'on' ? 1 : 0);
    }
    const add = (id: number) => client.execute({ sql: 'insert into things (id) values (?)', args: [id] });
    await add(1);
    await expect(add(1)).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
    expect((await add(2)).rowsAffected).toBe(1);
  });

  describe('in a transaction with deferred statements', () => {
    const add = (id: number) => `insert into things (id) values (${id})`;
    const ids = async () => (await client.execute('select id from things order by id')).rows.map(({ id }) => id);
    const missing = () => new Error('nothing there');

    it('runs those of a savepoint, and undoes all of a failed one', async () => {
      await client.transaction(async (tx) => {
        tx.savepoint();
        tx.defer(add(1));
        tx.release();
        tx.savepoint();
        tx.defer(add(2));
        tx.defer(add(3));
        tx.rollBackToSavepoint();
        tx.savepoint();
        tx.defer(add(4));
        tx.rollBackToSavepoint();
        tx.savepoint();
        tx.defer('delete from things where id = 9', missing);
        expect(() => tx.release()).toThrow('nothing there');
        tx.rollBackToSavepoint();
        tx.savepoint();
        tx.defer(add(5));
        tx.defer(add(6));
        tx.release();
      });
      expect(await ids()).toEqual([1, 5, 6]);
    });

    it('runs none after it could not begin', async () => {
      const other = new FileClient(path);
      await other.transaction(async (held) => {
        await held.execute(add(1));
        const refused = client.transaction(async (tx) => {
          tx.defer(add(2));
          await expect(tx.execute(add(3))).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
          await other.execute('rollback');
          tx.defer(add(4));
        });
        await expect(refused).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
        await other.execute('begin');
      });
      other.close();
      expect(await ids()).toEqual([]);
    });
  });
});

function bytesAsText(read: unknown): unknown {
  return read instanceof ArrayBuffer || read instanceof Uint8Array
    ? Buffer.from(read as Uint8Array).toString('hex')
    : read;
}
