import { z } from 'zod';
import type { Database } from '#server/store/database';
import { parseJsonColumn } from '#server/store/json-column';
import { modelCalibrations } from '#server/store/schema';

const ratiosSchema = z.array(z.number());

/** What was learned of each model's tokenizer. */
export interface CalibrationRepository {
  /**
   * Ratios by model id, oldest first.
   *
   * @throws CorruptRowError
   */
  load(): Promise<Map<string, number[]>>;
  save(modelId: string, ratios: readonly number[]): Promise<void>;
}

/** `now` gives epoch milliseconds. */
export function createCalibrationRepository(db: Database, now: () => number = Date.now): CalibrationRepository {
  return {
    async load() {
      const rows = await db.read.select().from(modelCalibrations);
      return new Map(
        rows.map(({ modelId, ratios }) => [
          modelId,
          parseJsonColumn(ratiosSchema, ratios, { table: 'model_calibrations', id: modelId }),
        ]),
      );
    },

    async save(modelId, ratios) {
      const values = { ratios: JSON.stringify(ratios), updatedAt: now() };
      await db.write((tx) =>
        tx
          .insert(modelCalibrations)
          .values({ modelId, ...values })
          .onConflictDoUpdate({ target: modelCalibrations.modelId, set: values }),
      );
    },
  };
}
