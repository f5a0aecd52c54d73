import { describe, expect, it } from 'vitest';
import { ConflictError } from '#server/core/errors';
import { type Database, openDatabase } from '#server/store/database';
import { createLeases } from '#server/store/lease-repository';
import { leases as leaseRows } from '#server/store/schema/installation';
import { leaseOfKilledProcess } from '#tests/support/killed-process';
import { createTestDatabase } from '#tests/support/test-database';

describe('leases', () => {
  it('let one at a time work, in this process and in another one', async () => {
    await using db = await createTestDatabase();
    await using elsewhere = await openDatabase({ url: db.url });
    const [here, there] = [createLeases(db), createLeases(elsewhere, { pollMs: 1 })];
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, (running += 1));
      await db.read.get('select 1');
      running -= 1;
      return running;
    };
    const wait = { waitMs: 10_000 };
    await Promise.all([here, there, here, there].map((leases) => leases.withLease('site', work, wait)));
    expect(most).toBe(1);
  });

  it('are refused while they are held, and free for others by name and afterwards', async () => {
    await using db = await createTestDatabase();
    const leases = createLeases(db);
    const outcome = await leases.withLease('site', async () => {
      await expect(leases.withLease('site', async () => 'never')).rejects.toThrow(ConflictError);
      expect(await leases.ifFree('site', async () => 'never')).toBeNull();
      return leases.ifFree('other', async () => 'done');
    });
    expect(outcome).toBe('done');
    await expect(leases.withLease('site', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await leases.ifFree('site', async () => 'again')).toBe('again');
  });

  it('run out when their holder is gone, and then are nobody else’s to give back', async () => {
    await using db = await createTestDatabase();
    let time = 1_000;
    const leases = createLeases(db, { now: () => time, lastsMs: 60_000 });
    let finish = (): void => undefined;
    const gone = leases.withLease('site', () => new Promise<void>((resolve) => (finish = resolve)));
    await expect.poll(() => leases.ifFree('site', async () => 'taken')).toBeNull();
    time += 60_000;
    const next = await leases.withLease('site', async () => {
      finish();
      await gone;
      return leases.ifFree('site', async () => 'taken twice');
    });
    expect(next).toBeNull();
  });

  it('are waited for no longer than they last where a clock that was hours ahead has written them', async () => {
    await using db = await createTestDatabase();
    let time = 1_000;
    const leases = createLeases(db, { now: () => time, lastsMs: 60_000 });
    const row = { name: 'site', owner: 'host:7:own_1', expiresAt: 36_000_000 };
    await db.write((tx) => tx.insert(leaseRows).values(row).run());
    expect(await leases.ifFree('site', async () => 'taken')).toBeNull();
    time += 15_000;
    expect(await leases.ifFree('site', async () => 'taken')).toBe('taken');
  });

  it.skipIf(process.platform !== 'linux')('are free at once when their process was killed', async () => {
    await using db = await createTestDatabase();
    const { leaseOwner: owner } = await leaseOfKilledProcess(60_000);
    await db.write((tx) =>
      tx
        .insert(leaseRows)
        .values({ name: 'site', owner, expiresAt: Date.now() + 60_000 })
        .run(),
    );
    expect(await createLeases(db).ifFree('site', async () => 'taken')).toBe('taken');
  });

  it('last as long as they should where the writer was busy before', async () => {
    await using db = await createTestDatabase();
    let time = 1_000;
    const busy: Database = {
      ...db,
      write: (work) => {
        time += 90_000;
        return db.write(work);
      },
    };
    const options = { now: () => time, lastsMs: 60_000 };
    const [slow, other] = [createLeases(busy, options), createLeases(db, options)];
    expect(await slow.withLease('site', () => other.ifFree('site', async () => 'taken'))).toBeNull();
  });

  it('tell their holder when they are lost', async () => {
    await using db = await createTestDatabase();
    let time = 1_000;
    const leases = createLeases(db, { now: () => time, lastsMs: 40 });
    const lost = await leases.withLease('site', async (signal) => {
      time += 40;
      // Held until the first holder has noticed.
      return leases.withLease('site', async () => {
        await expect.poll(() => signal.aborted).toBe(true);
        return signal.aborted;
      });
    });
    expect(lost).toBe(true);
  });
});
