import { eq } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { settings } from '#server/platform/database/schema/installation';
import type { StoreTransaction } from '#server/platform/database/database';
import { itWithDatabase as it } from '#tests/support/test-database';

const row = (name: string, value = '1') => ({ name, value, updatedAt: 1 });
const insert = (tx: StoreTransaction, name: string) => tx.insert(settings).values(row(name));
const change = (tx: StoreTransaction, name: string) =>
  tx.update(settings).set({ value: '2' }).where(eq(settings.name, name));
const find = (tx: StoreTransaction, name: string) => tx.select().from(settings).where(eq(settings.name, name));

describe('a query that is run later', () => {
  it('is seen by the next one, and committed', async ({ db }) => {
    const seen = await db.write(async (tx) => {
      tx.later(() => insert(tx, 'first'));
      tx.later(() => change(tx, 'first'));
      return find(tx, 'first');
    });
    expect(seen).toEqual([row('first', '2')]);
    await db.write(async (tx) => tx.later(() => insert(tx, 'second')));
    expect(await db.read.select().from(settings).orderBy(settings.name)).toEqual([row('first', '2'), row('second')]);
  });

  it.for([
    ['a query that finds nothing', find],
    ['an update that changes nothing', change],
  ] as const)('undoes the whole write with the given error: %s', async ([, query], { db }) => {
    const writing = db.write(async (tx) => {
      tx.later(() => insert(tx, 'before'));
      tx.later(
        () => query(tx, 'missing'),
        () => new RangeError('It is gone.'),
      );
      tx.later(() => insert(tx, 'after'));
    });
    await expect(writing).rejects.toThrow(new RangeError('It is gone.'));
    expect(await db.read.select().from(settings)).toEqual([]);
  });

  it('does not hide its error with that of a later query', async ({ db }) => {
    const writing = db.write(async (tx) => {
      tx.later(
        () => change(tx, 'missing'),
        () => new RangeError('It is gone.'),
      );
      await find(tx, 'other');
      throw new Error('Nothing was found.');
    });
    await expect(writing).rejects.toThrow(new RangeError('It is gone.'));
  });

  it('passes the error of the database on', async ({ db }) => {
    const writing = db.write(async (tx) => {
      tx.later(
        () => insert(tx, 'twice'),
        () => new RangeError('It is gone.'),
      );
      tx.later(() => insert(tx, 'twice'));
    });
    await expect(writing).rejects.toThrow(/unique/i);
    expect(await db.read.select().from(settings)).toEqual([]);
  });

  it('undoes only its own write of those that share a transaction', async ({ db }) => {
    const write = (name: string, needed: string) =>
      db.write(async (tx) => {
        tx.later(
          () => change(tx, needed),
          () => new RangeError(`${needed} is gone.`),
        );
        tx.later(() => insert(tx, name));
        return name;
      });
    await db.write((tx) => insert(tx, 'present').run());
    const outcomes = await Promise.allSettled([write('a', 'present'), write('b', 'missing'), write('c', 'present')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: new RangeError('missing is gone.') });
    const stored = await db.read.select({ name: settings.name }).from(settings).orderBy(settings.name);
    expect(stored.map(({ name }) => name)).toEqual(['a', 'c', 'present']);
  });
});
