import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDeepWorld, drawFor, roundsOr } from '#tests/deep/support/deep-world';
import { beginConversations, MortalServer, shownIn } from '#tests/deep/support/rounds';
import { holdWriteLock, mountSmallDisk, type SmallDisk } from '#tests/deep/support/store-trouble';
import { leftovers, NOTHING_LEFT } from '#tests/support/stored-data';

/** About six minutes. */
const ROUNDS = 30;
const CONVERSATIONS = 3;
const SMALL_MB = 200;
/** An event begins so long after the first word of its round, at most; milliseconds. */
const LATEST_MS = 2_000;
const LONGEST_LOCK_MS = 20_000;
const LONGEST_FULL_MS = 10_000;
const SHORTEST_MS = 1_000;
const QUEUED_SHARE = 0.4;
/** How often a cancel, a compaction and, at its end, a kill occur in each state of the store. */
const CANCEL_SHARE = 0.3;
const COMPACTION_SHARE = 0.3;
const KILL_SHARE = 0.4;

type Trouble = 'none' | 'lock' | 'full disk';

describe('a server under chaos', () => {
  it('keeps what was shown, loses and doubles no message, and stays usable', async ({ annotate }) => {
    const random = drawFor('chaos');
    const rounds = roundsOr(ROUNDS);
    const small = mountSmallDisk(SMALL_MB);
    if (small === null) await annotate('No disk is filled: a small one can only be mounted by root.');
    else onTestFinished(() => small[Symbol.dispose]());
    await using world = await createDeepWorld(small ? { folder: small.folder } : {});
    const { databaseFile } = world;
    await using server = await MortalServer.start(world);
    const told = await beginConversations(server.url, CONVERSATIONS, { insists: true });
    const troubles: readonly Trouble[] = ['none', 'lock', ...(small ? (['full disk'] as const) : [])];
    const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]!;
    const faults: string[] = [];
    const counts: Record<string, number> = {};
    const happens = (event: string, share = 1) => {
      const does = random() < share;
      if (does) counts[event] = (counts[event] ?? 0) + 1;
      return does;
    };
    for (let round = 0; round < rounds; round += 1) {
      const { url } = server;
      const shownBefore = shownIn(told);
      const toldBefore = told.map(({ toldInStream }) => toldInStream.length);
      const sending = told.flatMap((conversation) => [
        conversation.say(url),
        ...(random() < QUEUED_SHARE ? [conversation.say(url)] : []),
      ]);
      await expect.poll(() => shownIn(told), { timeout: 60_000 }).toBeGreaterThan(shownBefore);
      await pause(random() * LATEST_MS);
      const trouble = pick(troubles);
      happens(trouble);
      const end = await begin(trouble, databaseFile, small);
      const lasts = SHORTEST_MS + random() * ((trouble === 'lock' ? LONGEST_LOCK_MS : LONGEST_FULL_MS) - SHORTEST_MS);
      const asked = [
        ...(happens('cancel', CANCEL_SHARE) ? [ask(`${url}/api/chat/${pick(told).id}/cancel`)] : []),
        ...(happens('compaction', COMPACTION_SHARE) ? [ask(`${url}/api/sessions/${pick(told).id}/compact`)] : []),
      ];
      if (trouble !== 'none') await pause(lasts);
      const kill = happens('kill', KILL_SHARE) ? await server.kill() : null;
      await end();
      await Promise.all([...sending, ...asked]);

      const what = [trouble, ...(kill ? [`killed, a write took ${String(kill.writeMs)} ms`] : [])].join(', ');
      const inRound = (fault: string) => `round ${String(round)} (${what}): ${fault}`;
      if (kill) faults.push(...(await server.startAgain(kill)).map(inRound));
      for (const [index, conversation] of told.entries()) {
        const news = conversation.toldInStream.slice(toldBefore[index]);
        if (news.length > 0) console.log(inRound(`told ${JSON.stringify(news)}`));
        const isTold = news.some((text) => text.includes('Words that are not stored'));
        const lostAfter = isTold ? 0 : kill ? kill.at - kill.keptAfterMs : Infinity;
        faults.push(...(await conversation.faults(databaseFile, lostAfter)).map(inRound));
        await conversation.reload(databaseFile);
        await conversation.sayAgain(server.url);
      }
      if (round % 5 === 4) console.log(`${String(round + 1)} rounds: ${String(faults.length)} faults`);
    }
    // What was queued at a cancel of the last round is held until its user releases it.
    for (const { id } of told) await ask(`${server.url}/api/message/queue/send?sessionId=${id}`);
    await expect.poll(() => leftovers(databaseFile), { timeout: 120_000, interval: 500 }).toEqual(NOTHING_LEFT);
    for (const conversation of told) {
      expect(await conversation.say(server.url)).toBe('answered');
      faults.push(...(await conversation.faults(databaseFile, Infinity)));
    }
    console.log(
      `${String(rounds)} rounds of ${JSON.stringify(counts)}: ${String(faults.length)} faults, ` +
        `${String(shownIn(told))} pieces of text kept, ${String(told.flatMap(({ refusals }) => refusals).length)} messages refused and sent again`,
    );
    expect(faults).toEqual([]);
  });
});

/** Resolves when the store is in trouble, with what ends that. */
async function begin(trouble: Trouble, databaseFile: string, small: SmallDisk | null): Promise<() => Promise<void>> {
  if (trouble === 'lock') {
    const lock = await holdWriteLock(databaseFile);
    return () => lock.release();
  }
  if (trouble === 'full disk') small?.fill();
  return () => Promise.resolve(small?.free());
}

/** Ignores the outcome: it may be too late, too early, or refused by the store. */
async function ask(url: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).catch(() => null);
  await response?.text().catch(() => undefined);
}
