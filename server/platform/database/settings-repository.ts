import { eq } from 'drizzle-orm';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Database, StoreReader } from '#server/platform/database/database';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { settings } from '#server/platform/database/schema/installation';

/** Settings of the administrator by name; a missing name was never set. */
export type StoredSettings = ReadonlyMap<string, JsonValue>;

/** New values by name; null resets a name. */
export type SettingChanges = ReadonlyMap<string, JsonValue>;

/** Storage of the administrator's settings. It does not interpret names or values. */
export interface SettingsRepository {
  /** Reads everything that is stored. */
  all(): Promise<StoredSettings>;
  /**
   * Reads, decides and writes in one transaction, so that two writers cannot each save half of a change.
   * @param decide may run more than once; if it throws, nothing is written
   * @returns everything that is stored now
   */
  update(decide: (stored: StoredSettings) => SettingChanges): Promise<StoredSettings>;
}

/** @param now gives epoch milliseconds */
export function createSettingsRepository(db: Database, now: () => number = Date.now): SettingsRepository {
  return {
    all: () => readAll(db.read),

    update: (decide) =>
      db.write(async (tx) => {
        for (const [name, value] of decide(await readAll(tx))) {
          if (value === null) {
            await tx.delete(settings).where(eq(settings.name, name)).run();
            continue;
          }
          const row = { value: JSON.stringify(value), updatedAt: now() };
          await tx
            .insert(settings)
            .values({ name, ...row })
            .onConflictDoUpdate({ target: settings.name, set: row })
            .run();
        }
        return readAll(tx);
      }),
  };
}

async function readAll(reader: StoreReader): Promise<StoredSettings> {
  const rows = await reader.select().from(settings);
  return new Map(
    rows.map(({ name, value }) => [name, parseJsonColumn(jsonValueSchema, value, { table: 'settings', id: name })]),
  );
}
