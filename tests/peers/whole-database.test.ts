import { like } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrangements } from '#tests/peers/client-tasks/arrangements';
import { words } from '#tests/peers/client-tasks/blocks';
import { remoteLinks } from '#server/store/schema/wordpress';
import { plainEdits } from '#tests/peers/client-tasks/plain-edits';
import { states } from '#tests/peers/client-tasks/states';
import { type ClientTask, clientSite } from '#tests/peers/support/client-site';
import { mirrorOf, type MirroredSite } from '#tests/peers/support/mirrored-site';
import { asExpected, differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';

/* After each task only what was asked differs in the whole database, and after its undo nothing but what is listed. */

const tasks: Readonly<Record<string, readonly ClientTask[]>> = {
  'plain edits': plainEdits,
  'one word': words,
  arrangements,
  states,
};

describe.skipIf(!hasWordPress)('a WordPress made like a client’s', () => {
  let wordpress: WordPressServer;
  let mirror: MirroredSite;
  beforeAll(async () => {
    wordpress = await startWordPress({ asClient: true });
    mirror = await mirrorOf(wordpress, { freshForMs: 0 });
  });
  afterAll(async () => {
    await mirror?.[Symbol.asyncDispose]();
    await wordpress?.[Symbol.asyncDispose]();
  });

  for (const [group, list] of Object.entries(tasks)) {
    describe(group, () => {
      it.for(list.map((task) => [task.name, task] as const))('%s', async ([name, task]) => {
        const by = { actor: 'assistant', sessionId: `ses_${name.replaceAll(/\W+/g, '_')}`, turnId: 'trn_1' } as const;
        const before = await dumpDatabase(wordpress);
        await task.run(clientSite(wordpress, mirror, by));
        const done = await dumpDatabase(wordpress);
        const { undone } = await mirror.content.undoAll({ sessionId: by.sessionId }, { ...by, actor: 'user' });
        const undo = differences(before, await dumpDatabase(wordpress));
        const { differences: expected, left = [] } = task;
        expect.soft(asExpected(differences(before, done), expected)).toEqual(expected.toSorted());
        expect.soft(asExpected(undo, left)).toEqual(left.toSorted());
        expect(undone.length).toBeGreaterThan(0);
      });
    });
  }

  it('no password of an entry is kept as it is', async () => {
    const kept = await mirror.db.read.select().from(remoteLinks).where(like(remoteLinks.known, '%"password":"_%'));
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain('clay pass');
  });
});
