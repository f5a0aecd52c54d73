import { createClient } from '@libsql/client';
import { describe, expect, it } from 'vitest';
import { StoreBusyError } from '#server/core/errors';
import { openFileConnection } from '#server/store/database';
import { createTestDatabase } from '#tests/support/test-database';

const DEADLINE_MS = 15_000;

describe('a connection to a file that somebody else has locked', () => {
  it('lets a writer wait 15 s in all, behind other writers too, and writes nothing then', async () => {
    await using database = await createTestDatabase();
    const other = createClient({ url: database.url, concurrency: 1 });
    const held = await other.transaction('write');
    let time = 0;
    const begun: string[] = [];
    // The clock stands until the first has met the lock; then the time of all three is over at once.
    const onBusy = () => (time += DEADLINE_MS);
    const connection = openFileConnection({ url: database.url, pragmas: [], onBusy, now: () => time });
    const write = (name: string) =>
      connection.run(async (client) => {
        begun.push(name);
        (await client.transaction('write')).close();
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
