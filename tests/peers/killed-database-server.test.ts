import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSession, requestText, SETTLE_TIMEOUT_MS, untilIdle } from '#tests/peers/support/conversation-load';
import { startRedis } from '#tests/peers/support/redis-server';
import { type EditorTally, editRestlessly } from '#tests/peers/support/restless-editor';
import { isDeep } from '#tests/support/deep';
import { type LibsqlProcess, startLibsqlProcess } from '#tests/support/libsql-process';
import { startProductionServer } from '#tests/support/production-server';
import { randomNumbers } from '#tests/support/random-numbers';
import { leftovers, marksInOrder, NOTHING_LEFT } from '#tests/support/stored-data';

const redisProgram = process.env['REDIS_SERVER'];
const SESSIONS = isDeep ? 24 : 8;
const MESSAGES_EACH = isDeep ? 10 : 6;
/** Time between two kills of the database server. */
const KILL_EVERY_MS = 7_000;
const FEWEST_KILLS = 3;

/** Kills the database server again and again until `done`, and at least three times. @returns how often */
async function killUntil(done: Promise<unknown>, database: LibsqlProcess): Promise<number> {
  const over = done.then(
    () => true,
    () => true,
  );
  for (let kills = 0; ; kills += 1) {
    const isOver = await Promise.race([over, pause(KILL_EVERY_MS, false)]);
    if (isOver && kills >= FEWEST_KILLS) return kills;
    if (isOver) await pause(KILL_EVERY_MS);
    await database.killAndRestart();
  }
}

describe.skipIf(redisProgram === undefined)('two instances on one database server and one Redis', () => {
  it('lose, double and reorder nothing while the database server is killed every seven seconds', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomNumbers(seed);
    const folder = mkdtempSync(join(tmpdir(), 'throughline-killed-'));
    const file = join(folder, 'site.db');
    await using redis = await startRedis(redisProgram!);
    await using database = await startLibsqlProcess({ file });
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      OFFLINE_CHUNK_DELAY_MS: '20',
      LOG_LEVEL: 'warn',
      // All sessions belong to one owner and may run concurrently.
      RUNNING_TURNS: String(SESSIONS),
      TURNS_PER_MINUTE: '10000',
      REQUESTS_PER_MINUTE: '100000',
    };
    // At the same moment, on an empty server.
    const starting = [startProductionServer({ env }), startProductionServer({ env })];
    await using first = await starting[0]!;
    await using second = await starting[1]!;
    const anyServer = () => (random() < 0.5 ? first.url : second.url);
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => createSession(anyServer())));
    const marksOf = (session: number) => Array.from({ length: MESSAGES_EACH }, (_, index) => `m${session}x${index}x`);

    const editing = Promise.all(
      sessions.map((sessionId, session) =>
        editRestlessly({ sessionId, texts: marksOf(session).map(requestText), anyServer, random }),
      ),
    );
    const kills = await killUntil(editing, database);
    const tallies = await editing;
    await Promise.all(sessions.map((sessionId) => untilIdle(sessionId, anyServer)));

    const total = (name: keyof EditorTally) => tallies.reduce((sum, tally) => sum + tally[name], 0);
    console.log(
      `killed database server (seed ${seed}): ${total('accepted')} messages, ${total('queued')} queued, ` +
        `${total('cancels')} cancels, ${total('retries')} requests repeated, ${kills} kills`,
    );
    expect(total('accepted')).toBe(SESSIONS * MESSAGES_EACH);
    for (const [session, sessionId] of sessions.entries()) {
      expect({ sessionId, marks: await marksInOrder(file, sessionId) }).toEqual({ sessionId, marks: marksOf(session) });
    }
    await expect.poll(() => leftovers(file), { timeout: SETTLE_TIMEOUT_MS, interval: 500 }).toEqual(NOTHING_LEFT);
    rmSync(folder, { recursive: true, force: true });
  });
});
