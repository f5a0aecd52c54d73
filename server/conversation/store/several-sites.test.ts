import { readdirSync, readFileSync } from 'node:fs';
import { eq, sql } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { Database } from '#server/platform/database/database';
import { users } from '#server/platform/database/schema/people';
import { sessions } from '#server/platform/database/schema/sessions';
import { wordpressSites } from '#server/platform/database/schema/wordpress';
import { call, itWithTurns as it, type TurnSession } from '#tests/support/turn-session';

const ACTIVE = 'wps_active';

/** What the migration does for what is from before it (0023). */
async function fillAsMigrated(db: Database): Promise<void> {
  const [file] = readdirSync('drizzle').filter((name) => name.endsWith('_several_sites.sql'));
  const statements = readFileSync(`drizzle/${file}`, 'utf8').split('--> statement-breakpoint');
  const fills = statements.filter((statement) => /^\s*UPDATE/.test(statement));
  expect(fills).toHaveLength(3);
  await db.write(async (tx) => {
    for (const statement of fills) await tx.run(sql.raw(statement));
  });
}

/** A change by the conversation to a site. */
const change = (db: Database, seq: number, sessionId: string, siteId: string) =>
  db.write((tx) =>
    tx.run(sql`insert into revisions
      (id, seq, site_id, target_type, target_id, title, revision, action, operations, inverse, summary, actor, session_id, created_at)
      values (${`chg_${seq}`}, ${seq}, ${siteId}, 'page', 'pag_1', 'A', 1, 'patch', '[]', '[]', 'A', 'assistant', ${sessionId}, 1)`),
  );

/** Ends a turn of the session with a call that waits for a decision. */
async function waits(t: TurnSession, sessionId: string) {
  const { turn } = await t.start('Go', { sessionId });
  const asking = await t.messages.append(sessionId, { role: 'assistant', turnId: turn.id, parts: [call('a')] });
  const approvals = [{ partId: asking.parts[0]!.id, effect: null }];
  await t.turns.finish(turn.id, { status: 'waiting_approval', error: null, approvals });
}

describe('conversations of before there were several sites', () => {
  it('are about the site of their last change, or the active one; what runs or waits was begun on the active one', async ({
    t,
  }) => {
    const make = async () => (await t.sessions.create({ ownerId: 'own_1' })).id;
    const [silent, changed, waiting, running] = [await make(), await make(), await make(), await make()];
    await t.db.write((tx) =>
      tx.insert(wordpressSites).values(
        [ACTIVE, 'wps_other'].map((id) => ({
          id,
          url: `https://${id}.example`,
          username: 'mara',
          password: 'sealed',
          name: id,
          isActive: id === ACTIVE,
          abilities: {},
          createdAt: 1,
          updatedAt: 1,
        })),
      ),
    );
    let seq = 0;
    for (const id of [changed, waiting, running])
      for (const site of [EMBEDDED_SITE, 'wps_other']) await change(t.db, (seq += 1), id, site);
    await waits(t, waiting);
    await t.start('Go on', { sessionId: running });

    await fillAsMigrated(t.db);
    const found = await Promise.all([silent, changed, waiting, running].map((id) => t.sessions.get(id)));
    expect(found.map(({ siteId }) => siteId)).toEqual([ACTIVE, 'wps_other', ACTIVE, ACTIVE]);
  });
});

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
