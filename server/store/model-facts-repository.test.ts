import { describe, expect } from 'vitest';
import { sql } from 'drizzle-orm';
import { createCalibrationRepository, createCatalogRepository } from '#server/store/model-facts-repository';
import { CorruptRowError } from '#server/store/part-codec';
import { itWithDatabase as it } from '#tests/support/test-database';
import { modelCatalogs } from '#server/store/schema/installation';

describe('the calibration repository', () => {
  it('gives back the newest ratios of every model', async ({ db }) => {
    const calibrations = createCalibrationRepository(db, () => 1_000);
    expect(await calibrations.load()).toEqual(new Map());

    await calibrations.save('anthropic/claude-sonnet-4.5', [1.2]);
    await calibrations.save('openai/gpt-5.5', [0.98, 1]);
    await calibrations.save('anthropic/claude-sonnet-4.5', [1.2, 1.1999999999999]);

    expect(await calibrations.load()).toEqual(
      new Map([
        ['anthropic/claude-sonnet-4.5', [1.2, 1.1999999999999]],
        ['openai/gpt-5.5', [0.98, 1]],
      ]),
    );
  });

  it('names a row that cannot be read', async ({ db }) => {
    await db.write((tx) => tx.run(sql`insert into model_calibrations values ('openai/o3', '["1"]', 1)`));
    await expect(createCalibrationRepository(db).load()).rejects.toThrow(CorruptRowError);
  });
});

describe('CatalogRepository', () => {
  it('keeps one list for each source, the newest', async ({ db }) => {
    const repository = createCatalogRepository(db);
    expect(await repository.load('openrouter')).toBeNull();
    await repository.save('openrouter', [{ id: 'a/b' }], 1);
    await repository.save('other', [], 2);
    await repository.save('openrouter', [{ id: 'c/d' }], 3);
    expect(await repository.load('openrouter')).toEqual({ models: [{ id: 'c/d' }], fetchedAt: 3 });
    expect(await repository.load('other')).toEqual({ models: [], fetchedAt: 2 });
  });

  it('says when a list is not JSON', async ({ db }) => {
    await db.write((tx) => tx.insert(modelCatalogs).values({ source: 'x', models: '[', fetchedAt: 0 }).run());
    await expect(createCatalogRepository(db).load('x')).rejects.toThrow('The row "x" of model_catalogs');
  });
});
