import { describe, expect } from 'vitest';
import { settings } from '#server/platform/database/schema/installation';
import { createSettingsRepository } from '#server/platform/database/settings-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

describe('SettingsRepository', () => {
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
