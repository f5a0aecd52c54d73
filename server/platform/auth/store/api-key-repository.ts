import { and, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { HoldReason } from '#server/core/conversation/turns';
import type { NewApiKey, OwnedApiKey } from '#server/core/admin/api-keys';
import { type Role, scopes } from '#server/core/admin/access-rights';
import type { EndedKeyWork } from '#server/core/conversation/turn-store';
import { serverText } from '#server/core/messages/server-text';
import type { Database, StoreReader, StoreTransaction } from '#server/platform/database/database';
import { parseJsonColumn, storableText } from '#server/platform/database/json-column';
import { apiKeys, users } from '#server/platform/database/schema/people';
import { queuedMessages, turns } from '#server/platform/database/schema/turns';

/** Maximum keys and connected programs of one user. Each key has a rate limit of its own, so this also limits the requests of one user. */
export const MAX_KEYS = 50;

/** Owner of a key, with their present role. */
export interface KeyOwner {
  readonly role: Role;
  readonly isBanned: boolean;
  /** Ids of the sites that the owner may work on; null: all. */
  readonly sites: readonly string[] | null;
}

/** A key that is not revoked, with its owner. */
export interface StoredApiKey extends OwnedApiKey {
  /** Null if the account does not exist. */
  readonly owner: KeyOwner | null;
}

/** Storage of API keys; only the hash of each is stored. */
export interface ApiKeyRepository {
  /** Finds a key by its hash; null if it is unknown or revoked. An expired key is returned. */
  find(hash: string): Promise<StoredApiKey | null>;
  /** Lists the keys that are not revoked, newest first: of one user, or of all users (null). */
  list(userId: string | null): Promise<OwnedApiKey[]>;
  /** Stores a new key. @param key `prefix`: its beginning, for people. @throws ConflictError if the user has too many */
  create(
    key: NewApiKey & { readonly userId: string; readonly prefix: string; readonly hash: string },
  ): Promise<OwnedApiKey>;
  /**
   * Revokes a key; its row stays.
   * @param userId null: a key of any user
   * @throws NotFoundError for a key that is revoked, unknown or another user's
   */
  revoke(id: string, userId: string | null): Promise<OwnedApiKey>;
  /** Finds keys by their ids; unknown and revoked keys are omitted. */
  findMany(ids: readonly string[]): Promise<StoredApiKey[]>;
  /** Stores the time of the last use. @param time epoch milliseconds; a time before the stored one changes nothing */
  markUsed(id: string, time: number): Promise<void>;
}

/** @param now gives epoch milliseconds */
export function createApiKeyRepository(db: Database, now: () => number = Date.now): ApiKeyRepository {
  return {
    async find(hash) {
      const row = await readKeys(db.read)
        .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt)))
        .get();
      return row ? { ...fromRow(row), owner: ownerOf(row) } : null;
    },

    async list(userId) {
      const rows = await readKeys(db.read)
        .where(and(isNull(apiKeys.revokedAt), userId === null ? undefined : eq(apiKeys.userId, userId)))
        .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
      return rows.map(fromRow);
    },

    create: ({ scopes: granted, name, ...key }) =>
      db.write(async (tx) => {
        if (await hasTooManyKeys(tx, key.userId)) throw tooManyKeys();
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
      const rows = await readKeys(db.read).where(and(inArray(apiKeys.id, [...ids]), isNull(apiKeys.revokedAt)));
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

/** True if a user has the maximum number of keys and connected programs. */
export async function hasTooManyKeys(tx: StoreReader, userId: string): Promise<boolean> {
  const ofUser = and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt));
  const present = await tx.select({ keys: count() }).from(apiKeys).where(ofUser).get();
  return (present?.keys ?? 0) >= MAX_KEYS;
}

/** The error for a user who has too many keys and connected programs. */
export function tooManyKeys(): ConflictError {
  return new ConflictError(serverText('too-many-keys', { count: MAX_KEYS }));
}

const { hash: _, ...keyColumns } = getTableColumns(apiKeys);

/** Keys with their owners. */
function readKeys(reader: StoreReader) {
  return reader
    .select({ ...keyColumns, userName: users.name, role: users.role, banned: users.banned, sites: users.sites })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.userId));
}

type Row = Awaited<ReturnType<typeof readKeys>>[number];

/** @throws NotFoundError */
async function readRow(tx: StoreReader, id: string): Promise<Row> {
  const row = await readKeys(tx).where(eq(apiKeys.id, id)).get();
  if (!row) throw new NotFoundError('API key', id);
  return row;
}

function ownerOf({ role, banned, sites }: Row): KeyOwner | null {
  return role === null ? null : { role, isBanned: banned === true, sites };
}

function fromRow({
  revokedAt: _revokedAt,
  role: _role,
  banned: _banned,
  sites: _sites,
  scopes: json,
  ...key
}: Row): OwnedApiKey {
  return { ...key, scopes: parseJsonColumn(scopesSchema, json, { table: 'api_keys', id: key.id }) };
}

const scopesSchema = z.array(z.enum(scopes));

/** Keys that are no longer valid: revoked or expired. */
function isLapsed(now: number) {
  return or(isNotNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, now));
}

/** Returns those of `keyIds` whose keys are revoked or have expired at `now` (epoch milliseconds). Skips null entries. */
export async function lapsedKeys(
  reader: StoreReader,
  keyIds: readonly (string | null)[],
  now: number,
): Promise<Set<string | null>> {
  const ids = keyIds.filter((id) => id !== null);
  if (ids.length === 0) return new Set();
  const rows = await reader
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(inArray(apiKeys.id, ids), isLapsed(now)));
  return new Set(rows.map(({ id }) => id));
}

/** Holds the queued messages whose key is no longer valid: a person must send or delete them. */
async function holdLapsed(tx: StoreTransaction, now: number): Promise<EndedKeyWork[]> {
  const lapsed = await tx
    .select({ key: lapsedKeyColumns, sessionId: queuedMessages.sessionId, id: queuedMessages.id })
    .from(queuedMessages)
    .innerJoin(apiKeys, eq(apiKeys.id, queuedMessages.keyId))
    .where(and(isOpen, isLapsed(now)));
  const bySessionAndKey = new Map<string, EndedKeyWork>();
  for (const { key, sessionId, id } of lapsed) {
    const { revokedAt: _revokedAt, ...named } = key;
    const reason = reasonOf(key);
    await tx.update(queuedMessages).set({ heldReason: reason, isReleased: false }).where(eq(queuedMessages.id, id));
    const held = (bySessionAndKey.get(`${sessionId} ${key.id}`)?.held ?? 0) + 1;
    bySessionAndKey.set(`${sessionId} ${key.id}`, { sessionId, key: named, reason, turnId: null, held });
  }
  return [...bySessionAndKey.values()];
}

/**
 * Cancels the running turns, and holds the queued messages, that were sent with a key that is no longer valid. Reads
 * first: usually there is nothing to do, and then no write has to wait its turn.
 * @returns one item for each turn, and for each session and key with held messages
 */
export async function endLapsedKeyWork(db: Database, now: number): Promise<EndedKeyWork[]> {
  const [waiting, running] = await Promise.all([selectLapsedQueue(db.read, now), selectLapsedTurns(db.read, now)]);
  if (waiting.length === 0 && running.length === 0) return [];
  return db.write(async (tx) => {
    const ended = new Map<string, EndedKeyWork>();
    for (const { turnId, sessionId, key } of await selectLapsedTurns(tx, now)) {
      if (ended.has(turnId)) continue;
      const { revokedAt: _revokedAt, ...named } = key;
      await tx.update(turns).set({ cancelRequestedAt: now }).where(eq(turns.id, turnId));
      ended.set(turnId, { sessionId, key: named, reason: reasonOf(key), turnId, held: 0 });
    }
    return [...ended.values(), ...(await holdLapsed(tx, now))];
  });
}

const lapsedKeyColumns = { id: apiKeys.id, name: apiKeys.name, userId: apiKeys.userId, revokedAt: apiKeys.revokedAt };
const isOpen = isNull(queuedMessages.heldReason);

/** A queued message that was sent with a key that is no longer valid, and is not held yet. */
export function selectLapsedQueue(reader: StoreReader, now: number) {
  return reader
    .select({ id: queuedMessages.id })
    .from(queuedMessages)
    .innerJoin(apiKeys, eq(apiKeys.id, queuedMessages.keyId))
    .where(and(isOpen, isLapsed(now)))
    .limit(1);
}

/** Turns that run and are not being stopped, once for each of their keys that has lapsed. */
export function selectLapsedTurns(reader: StoreReader, now: number) {
  return reader
    .select({ turnId: turns.id, sessionId: turns.sessionId, key: lapsedKeyColumns })
    .from(turns)
    .innerJoin(apiKeys, sql`${apiKeys.id} in (select value from json_each(${turns.keyIds}))`)
    .where(and(eq(turns.status, 'running'), isNull(turns.cancelRequestedAt), isNotNull(turns.keyIds), isLapsed(now)));
}

function reasonOf({ revokedAt }: { readonly revokedAt: number | null }): HoldReason {
  return revokedAt === null ? 'key-expired' : 'key-revoked';
}
