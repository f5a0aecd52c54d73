import { describe, expect } from 'vitest';
import { sql } from 'drizzle-orm';
import {
  createCalibrationRepository,
  createCatalogRepository,
  createTypicalTurn,
} from '#server/models/store/model-facts-repository';
import { CorruptRowError } from '#server/platform/database/json-column';
import { itWithDatabase as it } from '#tests/support/test-database';
import { modelCatalogs } from '#server/platform/database/schema/installation';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';

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

it('is what the newest turns took on average, all their steps together', async ({ db }) => {
  const typicalTurn = createTypicalTurn(db);
  const session = await createSessionRepository(db).create({ ownerId: 'own_1' });
  expect(await typicalTurn(session.id)).toBeNull();
  const step = (turnId: string, inputTokens: number, cacheReadTokens?: number) => ({
    role: 'assistant' as const,
    turnId,
    parts: [{ type: 'text' as const, content: { text: 'Done.' } }],
    usage: { inputTokens, outputTokens: 100, ...(cacheReadTokens !== undefined && { cacheReadTokens }) },
  });
  const old = Array.from({ length: 10 }, (_, turn) => step(`trn_old_${turn}`, 1_000_000));
  const recent = Array.from({ length: 9 }, (_, turn) => step(`trn_${turn}`, 1_000));
  await createMessageRepository(db).appendMany(session.id, [
    ...old,
    ...recent,
    step('trn_last', 5_000),
    step('trn_last', 6_000, 4_000),
  ]);
  expect(await typicalTurn(session.id)).toEqual({
    turns: 10,
    inputTokens: 2_000,
    outputTokens: 110,
    cacheReadTokens: 400,
  });
});
