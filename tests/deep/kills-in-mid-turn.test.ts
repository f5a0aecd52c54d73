import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDeepWorld, drawFor, roundsOr } from '#tests/deep/support/deep-world';
import { ToldConversation } from '#tests/deep/support/told-conversation';
import { leftovers, NOTHING_LEFT, queryDatabase } from '#tests/support/stored-data';

const ROUNDS = 60;
const CONVERSATIONS = 3;
/** A kill comes so long after the first word of its round, at most; milliseconds. */
const LATEST_KILL_MS = 4_000;
/**
 * Streamed text is written every 100 ms, and the store then rests ten times as long as the write took, for two seconds at
 * most (`server/agent/stream-processor.ts`): what was shown so long before the kill is stored on any machine, and on most
 * occasions what is much younger. Milliseconds.
 */
const KEPT_AFTER_MS = 2_500;
const USUALLY_KEPT_AFTER_MS = 150;
/** How often a conversation sends a second message behind the one that is being answered. */
const QUEUED_SHARE = 0.4;

describe('a server killed in mid-turn, again and again', () => {
  it('keeps what was shown, loses and doubles no message, and is usable when it says that it is ready', async () => {
    const random = drawFor('kills in mid-turn');
    const rounds = roundsOr(ROUNDS);
    await using world = await createDeepWorld();
    const { databaseFile } = world;
    let server = await world.startServer();
    await using _lastServer = { [Symbol.asyncDispose]: () => server.kill() };
    const told = await Promise.all(
      Array.from({ length: CONVERSATIONS }, (_, number) => ToldConversation.begin(server.url, number)),
    );
    const faults: string[] = [];
    const losses: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { url } = server;
      const shownBefore = shownIn(told);
      const sending = told.flatMap((conversation) => [
        conversation.say(url),
        ...(random() < QUEUED_SHARE ? [conversation.say(url)] : []),
      ]);
      await expect.poll(() => shownIn(told)).toBeGreaterThan(shownBefore);
      await pause(random() * LATEST_KILL_MS);
      const killedAt = Date.now();
      await server.kill();
      await Promise.all(sending);

      server = await world.startServer();
      const inRound = (fault: string) => `round ${String(round)}: ${fault}`;
      faults.push(...(await deadWork(databaseFile, killedAt)).map(inRound));
      for (const conversation of told) {
        losses.push(await conversation.oldestLoss(databaseFile, killedAt));
        faults.push(...(await conversation.faults(databaseFile, killedAt - KEPT_AFTER_MS)).map(inRound));
        await conversation.reload(databaseFile);
        await conversation.sayAgain(server.url);
      }
      if (round % 10 === 9) console.log(`${String(round + 1)} kills: ${String(faults.length)} faults`);
    }
    await expect.poll(() => leftovers(databaseFile), { timeout: 120_000, interval: 500 }).toEqual(NOTHING_LEFT);
    for (const conversation of told) faults.push(...(await conversation.faults(databaseFile, Infinity)));
    console.log(
      `${String(rounds)} kills: ${String(faults.length)} faults, ${String(shownIn(told))} pieces of text kept. ` +
        `Text that was shown and not yet stored at a kill was ${String(median(losses))} ms old in the middle, ` +
        `${String(Math.max(...losses))} ms at most`,
    );
    expect(faults).toEqual([]);
    expect(median(losses)).toBeLessThan(USUALLY_KEPT_AFTER_MS);
  });
});

function shownIn(told: readonly ToldConversation[]): number {
  return told.reduce((sum, { shownCount }) => sum + shownCount, 0);
}

/** What keeps a conversation from being used because a process had it that is dead. */
async function deadWork(databaseFile: string, killedAt: number): Promise<string[]> {
  const turns = await queryDatabase(databaseFile, `select id from turns where status = 'running' and started_at < ?`, [
    killedAt,
  ]);
  const compactions = await queryDatabase(
    databaseFile,
    'select id from sessions where currently_compacting and compacting_since < ?',
    [killedAt],
  );
  return [
    ...turns.map((row) => `a turn of the killed server still runs: ${JSON.stringify(row)}`),
    ...compactions.map((row) => `a session is still compacted by the killed server: ${JSON.stringify(row)}`),
  ];
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
