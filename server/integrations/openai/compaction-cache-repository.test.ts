import { describe, expect } from 'vitest';
import { createCompactionCacheRepository } from '#server/integrations/openai/compaction-cache-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

const HOUR = 60 * 60 * 1_000;

describe('kept rounds', () => {
  it('finds those of a conversation by its prefixes, the oldest first, only of its owner', async ({ db }) => {
    let time = 1_000;
    const repository = createCompactionCacheRepository(db, () => (time += 1));
    await repository.keep('own_1', 'aa', { n: 1 });
    await repository.keep('own_1', 'bb', { n: 2 });
    await repository.keep('own_1', 'aa', { n: 3 });
    await repository.keep('own_2', 'aa', { n: 4 });
    const found = await repository.find('own_1', ['aa', 'bb', 'cc']);
    expect(found.map(({ prefixHash, round }) => [prefixHash, JSON.parse(round)])).toEqual([
      ['aa', { n: 1 }],
      ['bb', { n: 2 }],
      ['aa', { n: 3 }],
    ]);
    expect(await repository.find('own_1', [])).toEqual([]);
    expect(await repository.find('own_3', ['aa'])).toEqual([]);
  });

  it('asks once, by the index, however many prefixes there are', async ({ db }) => {
    const repository = createCompactionCacheRepository(db);
    await repository.keep('own_1', 'h39999', { n: 1 });
    const hashes = Array.from({ length: 40_000 }, (_, index) => `h${index}`);
    expect(await repository.find('own_1', hashes)).toHaveLength(1);
    const plan = await db.read.all<{ detail: string }>(
      `explain query plan select id from kept_rounds where owner_id = 'own_1' and prefix_hash in (select value from json_each('["a"]'))`,
    );
    expect(plan.map(({ detail }) => detail).join('\n')).toContain(
      'kept_rounds_owner_prefix (owner_id=? AND prefix_hash=?)',
    );
  });

  it('lets those go that were not used for longest, of the owner and of all', async ({ db }) => {
    let time = 1_000;
    const repository = createCompactionCacheRepository(db, () => (time += HOUR + 1), { perOwner: 2, total: 3 });
    const keep = (owner: string, hash: string) => repository.keep(owner, hash, {});
    const left = async (owner: string) =>
      (await repository.find(owner, ['a', 'b', 'c', 'd'])).map(({ prefixHash }) => prefixHash);
    await keep('own_1', 'a');
    await keep('own_1', 'b');
    await repository.touch((await repository.find('own_1', ['a'])).map(({ id }) => id));
    await keep('own_1', 'c');
    expect(await left('own_1')).toEqual(['a', 'c']);
    await keep('own_2', 'a');
    await keep('own_2', 'd');
    expect(await left('own_1')).toEqual(['c']);
    expect(await left('own_2')).toEqual(['a', 'd']);
  });

  it('keeps none that is too large', async ({ db }) => {
    const repository = createCompactionCacheRepository(db);
    await repository.keep('own_1', 'a', { parts: 'x'.repeat(199_000) });
    await repository.keep('own_1', 'a', { parts: 'x'.repeat(201_000) });
    expect(await repository.find('own_1', ['a'])).toHaveLength(1);
  });

  it('drops those that were not requested for a week', async ({ db }) => {
    let time = 1_000;
    const repository = createCompactionCacheRepository(db, () => time);
    await repository.keep('own_1', 'used', {});
    await repository.keep('own_1', 'forgotten', {});
    time += 6 * 24 * HOUR;
    await repository.touch((await repository.find('own_1', ['used'])).map(({ id }) => id));
    time += 2 * 24 * HOUR;
    await repository.keep('own_2', 'another', {});
    expect((await repository.find('own_1', ['used', 'forgotten'])).map(({ prefixHash }) => prefixHash)).toEqual([
      'used',
    ]);
  });
});
