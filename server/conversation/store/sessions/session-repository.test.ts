import { sql } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { hideSession } from '#server/conversation/store/sessions/delete-session';
import { createSessionRepository, type OnSites } from '#server/conversation/store/sessions/session-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

const ownerId = 'own_1';

describe('SessionRepository', () => {
  it('keeps a limited number per user, and reports the limit when it is exceeded', async ({ db }) => {
    const repository = createSessionRepository(db);
    await repository.create({ ownerId: 'own_other' });
    await db.write((tx) =>
      tx.run(sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
        insert into sessions (id, title, owner_id, created_at, updated_at)
        select 'ses_' || n, 'Filled', ${ownerId}, 1, 1 from numbers`),
    );
    await expect(repository.create({ ownerId })).rejects.toMatchObject({
      code: 'conflict',
      details: { limit: 100_000 },
    });
    await repository.create({ ownerId: 'own_other' });
    await repository.delete('ses_7');
    await repository.create({ ownerId });
    // One that is still being deleted has gone for its user.
    await expect(repository.create({ ownerId })).rejects.toMatchObject({ code: 'conflict' });
    await db.write((tx) => hideSession(tx, 'ses_8', 1));
    await repository.create({ ownerId });
  });

  it('lists the last used first, in pages, also with ties and concurrent additions', async ({ db }) => {
    let time = 0;
    const repository = createSessionRepository(db, () => Math.floor(time++ / 3));
    const ids: string[] = [];
    for (let i = 0; i < 10; i++) ids.unshift((await repository.create({ ownerId })).id);
    await repository.create({ ownerId: 'own_other' });

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await repository.list({ ownerId, limit: 3, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
      await repository.create({ ownerId });
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
  });

  it('searches titles literally', async ({ db }) => {
    const repository = createSessionRepository(db);
    for (const title of ['100% Wool', '1000 sheep', String.raw`back\slash`, 'snake_case', 'the cat']) {
      await repository.create({ ownerId, title });
    }
    const titles = async (q: string) => (await repository.list({ ownerId, q })).items.map(({ title }) => title);
    expect(await titles('0%')).toEqual(['100% Wool']);
    expect(await titles('wool')).toEqual(['100% Wool']);
    expect(await titles('e_c')).toEqual(['snake_case']);
    expect(await titles(String.raw`k\s`)).toEqual([String.raw`back\slash`]);
    expect(await titles("'; drop table sessions; --")).toEqual([]);
  });

  it("lists what works or worked on a site, only of the user's sites", async ({ db }) => {
    const repository = createSessionRepository(db);
    for (const siteId of ['embedded', 'wps_1', 'wps_2', 'wps_gone'])
      await repository.create({ ownerId, siteId, title: siteId });
    const titles = async (sites: OnSites) =>
      (await repository.list({ ownerId, sites })).items.map(({ title }) => title);
    const elsewhere = ['embedded', 'wps_2'];
    expect((await titles({ theirs: null, elsewhere })).toSorted()).toEqual(['wps_1', 'wps_gone']);
    expect(await titles({ theirs: ['wps_1', 'wps_2'], elsewhere })).toEqual(['wps_1']);
    expect(await titles({ theirs: [], elsewhere: [] })).toEqual([]);
  });
});
