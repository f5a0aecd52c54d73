import { eq } from 'drizzle-orm';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Database, StoreReader } from '#server/store/database';
import { parseJsonColumn } from '#server/store/part-codec';
import { settings } from '#server/store/schema/installation';

/** Settings of the administrator by name; a missing name was never set. */
export type StoredSettings = ReadonlyMap<string, JsonValue>;

/** New values by name; null resets a name. */
export type SettingChanges = ReadonlyMap<string, JsonValue>;

/** Settings by name. What names and values mean is not the store's business. */
export interface SettingsRepository {
  all(): Promise<StoredSettings>;
  /**
   * Reads, decides and writes in one transaction, so that two writers cannot each save half of something.
   * @param decide may run more than once and may throw: then nothing is written
   * @returns everything that is stored now
   */
  update(decide: (stored: StoredSettings) => SettingChanges): Promise<StoredSettings>;
}

/** `now` gives epoch milliseconds. */
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

async function readAll(reader: Pick<StoreReader, 'select'>): Promise<StoredSettings> {
  const rows = await reader.select().from(settings);
  return new Map(
    rows.map(({ name, value }) => [name, parseJsonColumn(jsonValueSchema, value, { table: 'settings', id: name })]),
  );
}
