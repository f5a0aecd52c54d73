import { describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { createCalibrationRepository } from '#server/store/model-facts-repository';
import { CorruptRowError } from '#server/store/store-errors';
import { createTestDatabase } from '#tests/support/test-database';

describe('the calibration repository', () => {
  it('gives back the newest ratios of every model', async () => {
    await using db = await createTestDatabase();
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

  it('names a row that cannot be read', async () => {
    await using db = await createTestDatabase();
    await db.write((tx) => tx.run(sql`insert into model_calibrations values ('openai/o3', '["1"]', 1)`));
    await expect(createCalibrationRepository(db).load()).rejects.toThrow(CorruptRowError);
  });
});
