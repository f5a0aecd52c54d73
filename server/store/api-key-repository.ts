import { and, count, desc, eq, getTableColumns, inArray, isNull, lt, or } from 'drizzle-orm';
import { z } from 'zod';
import type { NewApiKey, OwnedApiKey } from '#server/core/api-keys';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { type Role, scopes } from '#server/core/principal';
import type { Database } from '#server/store/database';
import { parseJsonColumn } from '#server/store/json-column';
import { apiKeys, users } from '#server/store/schema';
import { storableText } from '#server/store/storable-text';

/** Of one user, and so a bound to what all of them together may ask for. */
const MOST_KEYS = 50;

/** Whose key it is, as things are now. */
export interface KeyOwner {
  readonly role: Role;
  readonly isBanned: boolean;
}

/** A key that is not revoked, with its owner. */
export interface StoredApiKey extends OwnedApiKey {
  /** Null: there is no such account. */
  readonly owner: KeyOwner | null;
}

/** The keys; of each only its hash is stored. */
export interface ApiKeyRepository {
  /** By its hash; null when there is none, or it is revoked. */
  find(hash: string): Promise<StoredApiKey | null>;
  /** Those that are not revoked, the newest first: of one user, or everybody's. */
  list(userId: string | null): Promise<OwnedApiKey[]>;
  /** @throws ConflictError where the user has too many */
  create(
    key: NewApiKey & { readonly userId: string; readonly prefix: string; readonly hash: string },
  ): Promise<OwnedApiKey>;
  /** @param userId null: whoever's it is @throws NotFoundError for one that is revoked, unknown or not this user's */
  revoke(id: string, userId: string | null): Promise<OwnedApiKey>;
  /** By their ids; those that are revoked are left out. */
  findMany(ids: readonly string[]): Promise<StoredApiKey[]>;
  /** @param time epoch milliseconds; an earlier one than is stored changes nothing */
  markUsed(id: string, time: number): Promise<void>;
}

/** `now` gives epoch milliseconds. */
export function createApiKeyRepository(db: Database, now: () => number = Date.now): ApiKeyRepository {
  return {
    async find(hash) {
      const row = await db.read
        .select(columns)
        .from(apiKeys)
        .leftJoin(users, eq(users.id, apiKeys.userId))
        .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt)))
        .get();
      return row ? { ...fromRow(row), owner: ownerOf(row) } : null;
    },

    async list(userId) {
      const rows = await db.read
        .select(columns)
        .from(apiKeys)
        .leftJoin(users, eq(users.id, apiKeys.userId))
        .where(and(isNull(apiKeys.revokedAt), userId === null ? undefined : eq(apiKeys.userId, userId)))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
      return rows.map(fromRow);
    },

    create: ({ scopes: granted, name, ...key }) =>
      db.write(async (tx) => {
        const ofUser = and(eq(apiKeys.userId, key.userId), isNull(apiKeys.revokedAt));
        const present = await tx.select({ keys: count() }).from(apiKeys).where(ofUser).get();
        if ((present?.keys ?? 0) >= MOST_KEYS) {
          throw new ConflictError(`There are ${MOST_KEYS} API keys already. Revoke one that is not used any more.`);
        }
        const id = createId('key');
        const values = { ...key, id, name: storableText(name), scopes: JSON.stringify(granted), createdAt: now() };
        await tx.insert(apiKeys).values(values);
        return fromRow(await readRow(tx, id));
      }),

    revoke: (id, userId) =>
      db.write(async (tx) => {
        const row = await readRow(tx, id);
        if (row.revokedAt !== null || (userId !== null && row.userId !== userId))
          throw new NotFoundError('API key', id);
        await tx.update(apiKeys).set({ revokedAt: now() }).where(eq(apiKeys.id, id));
        return fromRow(row);
      }),

    async findMany(ids) {
      const rows = await db.read
        .select(columns)
        .from(apiKeys)
        .leftJoin(users, eq(users.id, apiKeys.userId))
        .where(and(inArray(apiKeys.id, [...ids]), isNull(apiKeys.revokedAt)));
      return rows.map((row) => ({ ...fromRow(row), owner: ownerOf(row) }));
    },

    async markUsed(id, time) {
      const isOlder = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, time));
      await db.write((tx) =>
        tx
          .update(apiKeys)
          .set({ lastUsedAt: time })
          .where(and(eq(apiKeys.id, id), isOlder)),
      );
    },
  };
}

const { hash: _, ...keyColumns } = getTableColumns(apiKeys);
const columns = {
  ...keyColumns,
  userName: users.name,
  role: users.role,
  banned: users.banned,
};

type Row = Omit<typeof apiKeys.$inferSelect, 'hash'> & {
  readonly userName: string | null;
  readonly role: Role | null;
  readonly banned: boolean | null;
};

/** @throws NotFoundError */
async function readRow(tx: Pick<Database['read'], 'select'>, id: string): Promise<Row> {
  const row = await tx
    .select(columns)
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .where(eq(apiKeys.id, id))
    .get();
  if (!row) throw new NotFoundError('API key', id);
  return row;
}

function ownerOf({ role, banned }: Row): KeyOwner | null {
  return role === null ? null : { role, isBanned: banned === true };
}

function fromRow({
  id,
  userId,
  name,
  prefix,
  scopes: json,
  expiresAt,
  lastUsedAt,
  createdAt,
  userName,
}: Row): OwnedApiKey {
  const granted = parseJsonColumn(scopesSchema, json, { table: 'api_keys', id });
  return { id, userId, name, prefix, scopes: granted, expiresAt, lastUsedAt, createdAt, userName };
}

const scopesSchema = z.array(z.enum(scopes));
