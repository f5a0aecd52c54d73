import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDeepWorld } from '#tests/deep/support/deep-world';
import { ToldConversation } from '#tests/deep/support/told-conversation';
import { leftovers, NOTHING_LEFT, queryDatabase } from '#tests/support/stored-data';

/** Gives a process a separate clock; from the package `faketime`. */
const [faketime] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

describe.skipIf(faketime === undefined)('two servers on one database whose clocks are hours apart', () => {
  it.each(['-9h', '+9h'])(
    'take no turn from one another, and immediately continue one that was killed (%s)',
    async (skew) => {
      await using world = await createDeepWorld();
      const { databaseFile } = world;
      const clock = { LD_PRELOAD: faketime!, FAKETIME: skew, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
      await using right = await world.startServer();
      await using wrong = await world.startServer(clock);
      const told = await Promise.all([right, wrong].map(({ url }, number) => ToldConversation.begin(url, number)));
      const [here, there] = told as [ToldConversation, ToldConversation];

      expect(await Promise.all([here.say(right.url), there.say(wrong.url)])).toEqual(['answered', 'answered']);
      const statuses = await queryDatabase(databaseFile, 'select distinct status from turns');
      expect(statuses.map(({ status }) => status)).toEqual(['completed']);

      const broken = there.say(wrong.url);
      const shown = there.shownCount;
      await expect.poll(() => there.shownCount).toBeGreaterThan(shown);
      await wrong.kill();
      await broken;
      await expect
        .poll(async () => (await queryDatabase(databaseFile, `select id from turns where status = 'running'`)).length)
        .toBe(0);
      expect(await there.say(right.url)).toBe('answered');
      expect(await leftovers(databaseFile)).toEqual(NOTHING_LEFT);
      for (const conversation of told) expect(await conversation.faults(databaseFile, 0)).toEqual([]);
    },
  );
});
