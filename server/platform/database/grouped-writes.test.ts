import fc from 'fast-check';
import { sql } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import type { Database } from '#server/platform/database/database';
import type { WriteOrder } from '#server/platform/database/grouped-writes';
import { events, sessions } from '#server/platform/database/schema/sessions';
import { isDeep } from '#tests/support/deep';
import { createTestDatabase, itWithDatabase as it } from '#tests/support/test-database';

const session = (id: string) => ({ id, title: id, ownerId: 'own_1', createdAt: 1, updatedAt: 1 });
const idsIn = async (db: Database) => (await db.read.select({ id: sessions.id }).from(sessions)).map(({ id }) => id);

const write = fc.record({
  id: fc.nat(8).map((n) => `ses_${n}`),
  order: fc.constantFrom<WriteOrder>('ahead', 'first', 'in turn'),
  /** Throws after its statement, fails within it, or waits in between. */
  fault: fc.constantFrom('none', 'none', 'none', 'throws', 'refused', 'slow'),
});

describe('writes that wait at the same moment', () => {
  it('each have a separate outcome, reported once stored; none is lost or partial', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 2, maxLength: 90 }), async (writes) => {
        await using db = await createTestDatabase();
        const added: string[] = [];
        const outcomes = await Promise.allSettled(
          writes.map(async ({ id, order, fault }) => {
            await db.write(async (tx) => {
              await tx.insert(events).values({ sessionId: 'ses_log', name: 'queue:changed', data: id, createdAt: 1 });
              // Taken already: SQLite refuses it.
              await tx.insert(sessions).values(session(id));
              if (fault === 'slow') await new Promise((resolve) => setImmediate(resolve));
              if (fault === 'throws') throw new Error('no');
              if (fault === 'refused') await tx.run(sql`insert into sessions (id) values (null)`);
            }, order);
            expect(await idsIn(db)).toContain(id);
            added.push(id);
          }),
        );
        expect(added.toSorted()).toEqual((await idsIn(db)).toSorted());
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(added.length);
        // What a write did before it failed is gone with it.
        const told = await db.read.select({ data: events.data }).from(events);
        expect(told.map(({ data }) => data).toSorted()).toEqual(added.toSorted());
      }),
      { numRuns: isDeep ? 200 : 12 },
    );
  });

  it('are one transaction, with starts of turns first', async ({ db }) => {
    const seen: string[] = [];
    const versions = new Set<number>();
    const version = async () => (await db.read.get<{ data_version: number }>(sql`pragma data_version`)).data_version;
    const before = await version();
    const writes = ['a', 'b', 'c'].map(async (id) => {
      await db.write(async (tx) => (seen.push(id), tx.insert(sessions).values(session(id))));
      versions.add(await version());
    });
    await Promise.all([
      ...writes,
      db.write(async () => seen.push('begin'), 'first'),
      db.write(async () => seen.push('go on'), 'ahead'),
    ]);
    expect(seen).toEqual(['go on', 'begin', 'a', 'b', 'c']);
    expect([...versions]).toEqual([before + 1]);
  });

  it('let a running turn continue before others begin', async ({ db }) => {
    const seen: string[] = [];
    const turns = Array.from({ length: 30 }, async (_, n) => {
      await db.write(async () => seen.push(`begin ${n}`), 'first');
      await db.write(async () => seen.push(`go on ${n}`), 'ahead');
    });
    const others = Array.from({ length: 30 }, (_, n) => db.write(async () => seen.push(`other ${n}`), 'in turn'));
    await Promise.all([...turns, ...others]);
    const numbered = (name: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `${name} ${from + n}`);
    // A transaction takes 32: eight beginnings, and what room is left for others.
    expect(seen.slice(0, 40)).toEqual([
      ...numbered('begin', 0, 8),
      ...numbered('other', 0, 24),
      ...numbered('go on', 0, 8),
    ]);
    expect(seen.indexOf('begin 8')).toBe(40);
  });

  it('have separate outcomes when one of them breaks the transaction', async ({ db }) => {
    const { page_count: pages } = await db.read.get<{ page_count: number }>(sql`pragma page_count`);
    await db.write(async (tx) => tx.run(sql.raw(`pragma max_page_count = ${pages + 8}`)));
    const add = (id: string, title: string) =>
      db.write(async (tx) => tx.insert(sessions).values({ ...session(id), title }));
    const outcomes = await Promise.allSettled([add('a', 'a'), add('b', 'b'.repeat(1_000_000)), add('c', 'c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { cause: { code: 'SQLITE_FULL' } } });
    expect((await idsIn(db)).toSorted()).toEqual(['a', 'c']);
  });
});
