import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { CalibrationStore } from '#server/context/ports';
import { jsonValueSchema } from '#server/core/json';
import type { CatalogStore } from '#server/models/model-catalog';
import type { Database } from '#server/store/database';
import { parseJsonColumn } from '#server/store/part-codec';
import { modelCalibrations, modelCatalogs } from '#server/store/schema/installation';

/** Lists of models as providers publish them. */
export function createCatalogRepository(db: Database): CatalogStore {
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

/** Calibrations of each model's tokenizer. `now` gives epoch milliseconds. */
export function createCalibrationRepository(db: Database, now: () => number = Date.now): CalibrationStore {
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
