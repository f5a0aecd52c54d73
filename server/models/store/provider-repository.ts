import { asc, eq } from 'drizzle-orm';
import { isSealed } from '#server/core/secrets';
import type { ConnectionStore, StoredConnection } from '#server/models/connections';
import type { Database, StoreReader } from '#server/platform/database/database';
import { modelProviders } from '#server/platform/database/schema/installation';
import type { SecretBox } from '#server/platform/database/secret-box';

/**
 * Connections to model providers that administrators entered. Keys are stored encrypted; one that cannot be decrypted
 * is returned in its stored form (`isSealed`), and kept.
 */
export interface ProviderRepository extends ConnectionStore {
  /**
   * Encrypts keys that are stored with an older secret.
   * @returns providers whose key cannot be decrypted
   */
  sealAll(): Promise<string[]>;
}

/** `now` gives epoch milliseconds. */
export function createProviderRepository(
  db: Database,
  box: SecretBox,
  now: () => number = Date.now,
): ProviderRepository {
  const place = (id: string) => `model_providers/${id}`;
  const seal = ({ id, apiKey }: StoredConnection) => (apiKey === null ? null : box.seal(apiKey, place(id)));
  const all = async (reader: StoreReader): Promise<StoredConnection[]> => {
    const rows = await reader.select().from(modelProviders).orderBy(asc(modelProviders.id));
    return rows.map(({ id, baseUrl, apiKey }) => ({
      id,
      baseUrl,
      apiKey: apiKey === null ? null : box.open(apiKey, place(id)),
    }));
  };

  return {
    list: () => all(db.read),

    save: (connection) =>
      db.write(async (tx) => {
        const { id, baseUrl } = connection;
        const time = now();
        const changes = { baseUrl, apiKey: seal(connection), updatedAt: time };
        await tx
          .insert(modelProviders)
          .values({ id, ...changes, createdAt: time })
          .onConflictDoUpdate({ target: modelProviders.id, set: changes })
          .run();
        return all(tx);
      }),

    delete: (id) =>
      db.write(async (tx) => {
        await tx.delete(modelProviders).where(eq(modelProviders.id, id)).run();
        return all(tx);
      }),

    sealAll: () =>
      db.write(async (tx) => {
        const opened = await all(tx);
        for (const { id, apiKey } of await tx.select().from(modelProviders)) {
          const connection = opened.find((each) => each.id === id);
          if (!connection || apiKey === null || box.isCurrent(apiKey)) continue;
          await tx
            .update(modelProviders)
            .set({ apiKey: seal(connection) })
            .where(eq(modelProviders.id, id))
            .run();
        }
        return opened.filter(({ apiKey }) => apiKey !== null && isSealed(apiKey)).map(({ id }) => id);
      }),
  };
}
