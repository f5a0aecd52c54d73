import { describe, expect } from 'vitest';
import type { JsonValue } from '#server/core/json';
import { settings } from '#server/platform/database/schema/installation';
import { createSettingsRepository } from '#server/platform/database/settings-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

const changes = (values: Record<string, JsonValue>) => new Map(Object.entries(values));

describe('SettingsRepository', () => {
  it('sets, replaces and resets names in one write', async ({ db }) => {
    const repository = createSettingsRepository(db, () => 7);
    expect(await repository.all()).toEqual(new Map());

    await repository.update(() => changes({ share: 0.5, windows: { 'a/b': 8_000 } }));
    const stored = await repository.update(() => changes({ share: null, strategy: 'ledger' }));
    expect(stored).toEqual(changes({ windows: { 'a/b': 8_000 }, strategy: 'ledger' }));
    expect(await repository.all()).toEqual(stored);
    expect((await db.read.select().from(settings)).map(({ updatedAt }) => updatedAt)).toEqual([7, 7]);
  });

  it('writes nothing when the decision throws', async ({ db }) => {
    const repository = createSettingsRepository(db);
    const refused = repository.update(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await repository.all()).toEqual(new Map());
  });

  it('lets each of many writers decide on what the one before stored', async ({ db }) => {
    const repository = createSettingsRepository(db);
    const count = (stored: ReadonlyMap<string, unknown>) => Number(stored.get('count') ?? 0) + 1;
    await Promise.all(
      Array.from({ length: 10 }, () => repository.update((stored) => new Map([['count', count(stored)]]))),
    );
    expect(await repository.all()).toEqual(new Map([['count', 10]]));
  });

  it('names the row that is not JSON', async ({ db }) => {
    await db.write((tx) => tx.insert(settings).values({ name: 'broken', value: '{', updatedAt: 0 }).run());
    await expect(createSettingsRepository(db).all()).rejects.toThrow('The row "broken" of settings');
  });
});
