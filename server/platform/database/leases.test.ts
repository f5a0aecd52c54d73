import { describe, expect } from 'vitest';
import { ConflictError } from '#server/core/errors';
import { type Database, openDatabase } from '#server/platform/database/database';
import { createLeases, LeaseWatch, newLease } from '#server/platform/database/leases';
import { leases as leaseRows } from '#server/platform/database/schema/installation';
import { leaseOf } from '#server/conversation/store/turn-rows';
import { leaseOfKilledProcess, startHolder } from '#tests/support/killed-process';
import { itWithDatabase as it } from '#tests/support/test-database';

const LENGTH_MS = 10_000;
const HOUR_MS = 3_600_000;
const NOW = 50 * HOUR_MS;
/** Fields of an owner: the process, and the length of its lease. */
const FIELDS = { machine: 0, namespace: 1, startedAt: 3, length: 4 } as const;

/** A watch whose time the test moves, and a lease that it observes. */
function watching(owner: string) {
  let elapsed = 5_000;
  const watch = new LeaseWatch(() => elapsed, LENGTH_MS);
  return {
    pass: (ms: number) => (elapsed += ms),
    hasRunOut: (expiresAt: number, now = NOW, lateMs = 0) =>
      watch.hasRunOut({ name: 'turn:1', owner, expiresAt }, now, lateMs),
  };
}

/** The owner with one field changed. */
function changed(owner: string, field: keyof typeof FIELDS, value: string): string {
  return owner.split('/').with(FIELDS[field], value).join('/');
}

const ours = () => newLease(LENGTH_MS).leaseOwner;
/** One process for all tests: its start takes longer than they do. */
let killed: ReturnType<typeof leaseOfKilledProcess> | undefined;
const ofKilledProcess = async () => (await (killed ??= leaseOfKilledProcess(LENGTH_MS))).leaseOwner;
const ofAnotherMachine = () => changed(ours(), 'machine', 'another-machine');

describe('a lease of another machine', () => {
  it.each([
    ['right', 0],
    ['hours ahead', 9 * HOUR_MS],
    ['hours behind', -9 * HOUR_MS],
  ])('has run out when it was not renewed for its length; its clock is %s', (_, skew) => {
    const { pass, hasRunOut } = watching(ofAnotherMachine());
    const expiresAt = NOW + skew + LENGTH_MS;
    expect(hasRunOut(expiresAt)).toBe(false);
    pass(LENGTH_MS - 1);
    expect(hasRunOut(expiresAt)).toBe(false);
    pass(1);
    expect(hasRunOut(expiresAt)).toBe(true);
  });

  it.each([9 * HOUR_MS, -9 * HOUR_MS])('lives while it is renewed, with a clock that is %i ms off', (skew) => {
    const { pass, hasRunOut } = watching(ofAnotherMachine());
    for (let renewal = 0; renewal < 5; renewal += 1) {
      pass(LENGTH_MS - 1);
      expect(hasRunOut(NOW + skew + renewal * LENGTH_MS)).toBe(false);
    }
    pass(LENGTH_MS);
    expect(hasRunOut(NOW + skew + 4 * LENGTH_MS)).toBe(true);
  });

  it('gets extra time for a late renewal, and is not trusted if its clock was set', () => {
    const { pass, hasRunOut } = watching(ofAnotherMachine());
    expect(hasRunOut(NOW)).toBe(false);
    pass(LENGTH_MS);
    expect(hasRunOut(NOW, NOW + 9 * HOUR_MS, 500)).toBe(false);
    pass(500);
    expect(hasRunOut(NOW, NOW - 9 * HOUR_MS, 500)).toBe(true);
  });

  it('lasts as long as its owner says, and so does one that was cancelled', () => {
    const owner = `cancelled:${changed(ofAnotherMachine(), 'length', String(3 * LENGTH_MS))}`;
    const { pass, hasRunOut } = watching(owner);
    expect(hasRunOut(NOW)).toBe(false);
    pass(3 * LENGTH_MS - 1);
    expect(hasRunOut(NOW)).toBe(false);
    pass(1);
    expect(hasRunOut(NOW)).toBe(true);
  });
});

describe('a lease of an older version', () => {
  it('has run out at its time, or when it was not renewed for the length of a lease', () => {
    const { pass, hasRunOut } = watching('host:7:own_1');
    expect(hasRunOut(NOW)).toBe(true);
    expect(hasRunOut(NOW + 9 * HOUR_MS)).toBe(false);
    pass(LENGTH_MS);
    expect(hasRunOut(NOW + 9 * HOUR_MS)).toBe(true);
  });
});

describe('a lease of this machine', () => {
  it('is not taken from a live process before it was not renewed for its length', async () => {
    const { lease, child } = await startHolder(LENGTH_MS);
    try {
      const { pass, hasRunOut } = watching(lease.leaseOwner);
      expect(hasRunOut(NOW - HOUR_MS)).toBe(false);
      pass(LENGTH_MS);
      expect(hasRunOut(NOW - HOUR_MS)).toBe(true);
    } finally {
      child.kill();
    }
    expect(watching(ours()).hasRunOut(NOW - HOUR_MS)).toBe(false);
  });

  it.each(['own', 'alive', 'unsure', 'dead'] as const)(
    'of a turn is given more time only while another process here is proved alive: %s',
    (fate) => {
      let elapsed = 0;
      const watch = new LeaseWatch(
        () => elapsed,
        LENGTH_MS,
        () => fate,
      );
      const lease = leaseOf({ id: 'trn_1', leaseOwner: ours(), leaseExpiresAt: NOW + LENGTH_MS });
      expect(watch.hasRunOut(lease, NOW)).toBe(fate === 'dead');
      elapsed += LENGTH_MS + 60_000;
      expect(watch.hasRunOut(lease, NOW)).toBe(fate !== 'alive');
      elapsed += 120_000;
      expect(watch.hasRunOut(lease, NOW)).toBe(true);
    },
  );

  it.skipIf(process.platform !== 'linux')('has run out immediately when its process was killed', async () => {
    const leaseOwner = await ofKilledProcess();
    expect(watching(leaseOwner).hasRunOut(NOW + HOUR_MS)).toBe(true);
    expect(watching(`cancelled:${leaseOwner}`).hasRunOut(NOW + HOUR_MS)).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('has run out immediately when another process has its id', () => {
    expect(watching(changed(ours(), 'startedAt', '1')).hasRunOut(NOW + HOUR_MS)).toBe(true);
  });

  it.each([
    ['in another container', '1'],
    ['where the container is not known', ''],
  ])('%s is waited for until its time: its process may live', async (_, namespace) => {
    const leaseOwner = await ofKilledProcess();
    const { pass, hasRunOut } = watching(changed(leaseOwner, 'namespace', namespace));
    // A clock that was set says nothing about the process.
    expect(hasRunOut(NOW - HOUR_MS)).toBe(false);
    pass(LENGTH_MS - 1);
    expect(hasRunOut(NOW - HOUR_MS)).toBe(false);
    pass(1);
    expect(hasRunOut(NOW - HOUR_MS)).toBe(true);
  });

  it('that was written is watched from then on', () => {
    let elapsed = 0;
    const watch = new LeaseWatch(() => elapsed);
    const lease = { name: 'turn:1', owner: ours(), expiresAt: NOW };
    watch.note(lease);
    elapsed += LENGTH_MS;
    expect(watch.hasRunOut(lease, NOW)).toBe(true);
  });
});

describe('leases', () => {
  it('let one at a time work, in this process and in another one', async ({ db }) => {
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

  it('are refused while they are held, and free for others by name and afterwards', async ({ db }) => {
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

  it('run out when their holder is gone, and then cannot be released by others', async ({ db }) => {
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

  it('are waited for at most their length if a clock that was hours ahead wrote them', async ({ db }) => {
    let time = 1_000;
    const leases = createLeases(db, { now: () => time, lastsMs: 60_000 });
    const row = { name: 'site', owner: 'host:7:own_1', expiresAt: 36_000_000 };
    await db.write((tx) => tx.insert(leaseRows).values(row).run());
    expect(await leases.ifFree('site', async () => 'taken')).toBeNull();
    time += 15_000;
    expect(await leases.ifFree('site', async () => 'taken')).toBe('taken');
  });

  it.skipIf(process.platform !== 'linux')('are free immediately when their process was killed', async ({ db }) => {
    const owner = await ofKilledProcess();
    await db.write((tx) =>
      tx
        .insert(leaseRows)
        .values({ name: 'site', owner, expiresAt: Date.now() + 60_000 })
        .run(),
    );
    expect(await createLeases(db).ifFree('site', async () => 'taken')).toBe('taken');
  });

  it('last as long as they should where the writer was busy before', async ({ db }) => {
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

  it('tell their holder when they are lost', async ({ db }) => {
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
