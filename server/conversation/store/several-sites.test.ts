import { eq } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { users } from '#server/platform/database/schema/people';
import { sessions } from '#server/platform/database/schema/sessions';
import { call, itWithTurns as it, type TurnSession } from '#tests/support/turn-session';

/** Ends a turn of the session with a call that waits for a decision. */
async function waits(t: TurnSession, sessionId: string) {
  const { turn } = await t.start('Go', { sessionId });
  const asking = await t.messages.append(sessionId, { role: 'assistant', turnId: turn.id, parts: [call('a')] });
  const approvals = [{ partId: asking.parts[0]!.id, effect: null }];
  await t.turns.finish(turn.id, { status: 'waiting_approval', error: null, approvals });
}

describe('calls of authors that wait for an editor', () => {
  it('are those on sites that both the author and the editor have', async ({ t }) => {
    const author = { id: 'own_1', name: 'Ivy', email: 'ivy@kiln.example', role: 'author' as const };
    const [createdAt, updatedAt] = [new Date(1), new Date(1)];
    await t.db.write((tx) => tx.insert(users).values({ ...author, createdAt, updatedAt }));
    const { id } = await t.sessions.create({ ownerId: author.id, siteId: 'wps_a' });
    await waits(t, id);
    const listed = async (sites: readonly string[] | null) =>
      (await t.turns.editorialCalls({ sites })).map(({ sessionId, siteId }) => [sessionId, siteId]);
    const has = (sites: readonly string[] | null) => t.db.write((tx) => tx.update(users).set({ sites }));
    const one = [[id, 'wps_a']];
    expect([await listed(null), await listed(['wps_a']), await listed(['wps_b']), await listed([])]).toEqual([
      one,
      one,
      [],
      [],
    ]);
    await has(['wps_b', 'wps_a']);
    expect(await listed(null)).toEqual(one);
    for (const sites of [['wps_b'], []]) {
      await has(sites);
      expect(await listed(null)).toEqual([]);
    }
    await t.db.write((tx) => tx.update(sessions).set({ siteId: 'wps_b' }).where(eq(sessions.id, id)));
    await has(['wps_b']);
    expect(await listed(['wps_b'])).toEqual([[id, 'wps_b']]);
  });
});
