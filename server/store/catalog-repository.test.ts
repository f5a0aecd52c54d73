import { describe, expect, it } from 'vitest';
import { createCatalogRepository } from '#server/store/model-facts-repository';
import { modelCatalogs } from '#server/store/schema/installation';
import { createTestDatabase } from '#tests/support/test-database';

describe('CatalogRepository', () => {
  it('keeps one list for each source, the newest', async () => {
    await using db = await createTestDatabase();
    const repository = createCatalogRepository(db);
    expect(await repository.load('openrouter')).toBeNull();
    await repository.save('openrouter', [{ id: 'a/b' }], 1);
    await repository.save('other', [], 2);
    await repository.save('openrouter', [{ id: 'c/d' }], 3);
    expect(await repository.load('openrouter')).toEqual({ models: [{ id: 'c/d' }], fetchedAt: 3 });
    expect(await repository.load('other')).toEqual({ models: [], fetchedAt: 2 });
  });

  it('says when a list is not JSON', async () => {
    await using db = await createTestDatabase();
    await db.write((tx) => tx.insert(modelCatalogs).values({ source: 'x', models: '[', fetchedAt: 0 }).run());
    await expect(createCatalogRepository(db).load('x')).rejects.toThrow('The row "x" of model_catalogs');
  });
});
