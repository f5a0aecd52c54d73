import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDeepWorld, drawFor, roundsOr } from '#tests/deep/support/deep-world';
import { beginConversations, type Kill, MortalServer, shownIn } from '#tests/deep/support/rounds';
import { leftovers, NOTHING_LEFT } from '#tests/support/stored-data';

const ROUNDS = 60;
const CONVERSATIONS = 3;
/** A kill comes so long after the first word of its round, at most; milliseconds. */
const LATEST_KILL_MS = 4_000;
/** What is written every 100 ms is usually not older than this when it is lost; milliseconds. */
const USUALLY_KEPT_AFTER_MS = 150;
/** How often a conversation sends a second message during an answer. */
const QUEUED_SHARE = 0.4;

describe('a server killed in mid-turn, again and again', () => {
  it('keeps what was shown, loses and doubles no message, and works when it reports ready', async () => {
    const random = drawFor('kills in mid-turn');
    const rounds = roundsOr(ROUNDS);
    await using world = await createDeepWorld();
    const { databaseFile } = world;
    await using server = await MortalServer.start(world);
    const told = await beginConversations(server.url, CONVERSATIONS);
    const faults: string[] = [];
    const losses: number[] = [];
    const kills: Kill[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { url } = server;
      const shownBefore = shownIn(told);
      const sending = told.flatMap((conversation) => [
        conversation.say(url),
        ...(random() < QUEUED_SHARE ? [conversation.say(url)] : []),
      ]);
      await expect.poll(() => shownIn(told)).toBeGreaterThan(shownBefore);
      await pause(random() * LATEST_KILL_MS);
      const kill = await server.kill();
      kills.push(kill);
      await Promise.all(sending);

      const inRound = (fault: string) => `round ${String(round)} (a write took ${String(kill.writeMs)} ms): ${fault}`;
      faults.push(...(await server.startAgain(kill)).map(inRound));
      for (const conversation of told) {
        losses.push(await conversation.oldestLoss(databaseFile, kill.at));
        faults.push(...(await conversation.faults(databaseFile, kill.at - kill.keptAfterMs)).map(inRound));
        await conversation.reload(databaseFile);
        await conversation.sayAgain(server.url);
      }
      if (round % 10 === 9) console.log(`${String(round + 1)} kills: ${String(faults.length)} faults`);
    }
    await expect.poll(() => leftovers(databaseFile), { timeout: 120_000, interval: 500 }).toEqual(NOTHING_LEFT);
    for (const conversation of told) faults.push(...(await conversation.faults(databaseFile, Infinity)));
    const span = (numbers: readonly number[]) =>
      `${String(median(numbers))} ms in the middle, ${String(Math.max(...numbers))} ms at most`;
    console.log(
      `${String(rounds)} kills: ${String(faults.length)} faults, ${String(shownIn(told))} pieces of text kept.\n` +
        `Age of the oldest text that was shown and not stored: ${span(losses)}.\n` +
        `Slowest write before the kill: ${span(kills.map(({ writeMs }) => writeMs))}.\n` +
        `Age at which text must be stored by that: ${span(kills.map((kill) => kill.keptAfterMs))}`,
    );
    expect(faults).toEqual([]);
    expect(median(losses)).toBeLessThan(USUALLY_KEPT_AFTER_MS);
    expect(told.flatMap((conversation) => conversation.told)).toEqual([]);
  });
});

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
