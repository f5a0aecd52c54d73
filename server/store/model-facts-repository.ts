import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Database } from '#server/store/database';
import { parseJsonColumn } from '#server/store/part-codec';
import { modelCalibrations, modelCatalogs } from '#server/store/schema/installation';

/** Lists of models as providers publish them, by source. What is in a list is not the store's business. */
export interface CatalogRepository {
  /** Null when nothing was stored for this source. `fetchedAt`: epoch milliseconds. */
  load(source: string): Promise<{ readonly models: JsonValue; readonly fetchedAt: number } | null>;
  /** Replaces the list of this source. */
  save(source: string, models: JsonValue, fetchedAt: number): Promise<void>;
}

export function createCatalogRepository(db: Database): CatalogRepository {
  return {
    async load(source) {
      const row = await db.read.select().from(modelCatalogs).where(eq(modelCatalogs.source, source)).get();
      if (!row) return null;
      const place = { table: 'model_catalogs', id: source };
      return { models: parseJsonColumn(jsonValueSchema, row.models, place), fetchedAt: row.fetchedAt };
    },

    async save(source, models, fetchedAt) {
      const row = { models: JSON.stringify(models), fetchedAt };
      await db.write((tx) =>
        tx
          .insert(modelCatalogs)
          .values({ source, ...row })
          .onConflictDoUpdate({ target: modelCatalogs.source, set: row })
          .run(),
      );
    },
  };
}

const ratiosSchema = z.array(z.number());

/** Observations about each model's tokenizer. */
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
