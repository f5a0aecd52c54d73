import { and, desc, eq, isNotNull } from 'drizzle-orm';
import { z } from 'zod';
import type { CalibrationStore } from '#server/context/ports';
import { jsonValueSchema } from '#server/core/json';
import type { CatalogStore } from '#server/models/model-catalog';
import type { Database } from '#server/platform/database/database';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { modelCalibrations, modelCatalogs } from '#server/platform/database/schema/installation';
import { type Usage, usageSchema } from '#server/core/conversation/messages';
import type { ModelList } from '#server/core/admin/settings-report';
import { messages } from '#server/platform/database/schema/sessions';

/* Data about models: their lists, tokenizer calibrations, and the typical cost of a turn. */

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
      await db.write(async (tx) =>
        tx.later(() =>
          tx
            .insert(modelCalibrations)
            .values({ modelId, ...values })
            .onConflictDoUpdate({ target: modelCalibrations.modelId, set: values }),
        ),
      );
    },
  };
}

/** Maximum steps, and turns, to average: the newest predict the next one best. */
const MAX_AVERAGED_STEPS = 100;
const MAX_AVERAGED_TURNS = 10;

/** Averages the newest turns for which the provider reported usage; null if none exist. */
export function createTypicalTurn(db: Database): (sessionId: string) => Promise<ModelList['typicalTurn'] | null> {
  return async (sessionId) => {
    const rows = await db.read
      .select({ id: messages.id, turnId: messages.turnId, usage: messages.usage })
      .from(messages)
      .where(and(eq(messages.sessionId, sessionId), eq(messages.role, 'assistant'), isNotNull(messages.usage)))
      .orderBy(desc(messages.seq))
      .limit(MAX_AVERAGED_STEPS);
    const steps = rows.map(({ id, turnId, usage }) => ({
      turnId,
      usage: parseJsonColumn(usageSchema, usage ?? '', { table: 'messages', id }),
    }));
    const turns = [...new Set(steps.map(({ turnId }) => turnId))].slice(0, MAX_AVERAGED_TURNS);
    if (turns.length === 0) return null;
    const counted = steps.filter(({ turnId }) => turns.includes(turnId));
    const average = (tokens: (usage: Usage) => number) =>
      Math.round(counted.reduce((sum, { usage }) => sum + tokens(usage), 0) / turns.length);
    return {
      turns: turns.length,
      inputTokens: average(({ inputTokens }) => inputTokens),
      outputTokens: average(({ outputTokens }) => outputTokens),
      cacheReadTokens: average(({ cacheReadTokens = 0 }) => cacheReadTokens),
    };
  };
}
