import { and, count, desc, eq, getTableColumns, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { HoldReason } from '#server/core/turns';
import type { NewApiKey, OwnedApiKey } from '#server/core/people';
import { type Role, scopes } from '#server/core/access-rights';
import type { EndedKeyWork } from '#server/core/turn-store';
import type { Database, StoreReader, StoreTransaction } from '#server/store/database';
import { parseJsonColumn, storableText } from '#server/store/part-codec';
import { apiKeys, users } from '#server/store/schema/people';
import { queuedMessages, turns } from '#server/store/schema/turns';

/** Keys of one user; this also bounds what all of them together may ask for. */
const MOST_KEYS = 50;

/** Owner of a key, with their present role. */
export interface KeyOwner {
  readonly role: Role;
  readonly isBanned: boolean;
  /** Ids of the sites that they may work on; null: all. */
  readonly sites: readonly string[] | null;
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
  /** Keys that are not revoked, the newest first: of one user, or everybody's (null). */
  list(userId: string | null): Promise<OwnedApiKey[]>;
  /** @throws ConflictError where the user has too many */
  create(
    key: NewApiKey & { readonly userId: string; readonly prefix: string; readonly hash: string },
  ): Promise<OwnedApiKey>;
  /** @param userId null: a key of any user @throws NotFoundError for a key that is revoked, unknown or another user's */
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

const { hash: _, ...keyColumns } = getTableColumns(apiKeys);

/** Keys with their owners. */
function readKeys(reader: Pick<StoreReader, 'select'>) {
  return reader
    .select({ ...keyColumns, userName: users.name, role: users.role, banned: users.banned, sites: users.sites })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.userId));
}

type Row = Awaited<ReturnType<typeof readKeys>>[number];

/** @throws NotFoundError */
async function readRow(tx: Pick<Database['read'], 'select'>, id: string): Promise<Row> {
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

/** Keys that open nothing any more: revoked or expired. */
function isLapsed(now: number) {
  return or(isNotNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, now));
}

/** Selects the keys that have been revoked or have expired; null entries are skipped. */
export async function lapsedKeys(
  reader: Pick<StoreReader, 'select'>,
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

/** Holds the messages that wait and were sent with a key that opens nothing any more. */
async function holdLapsed(tx: StoreTransaction, now: number): Promise<EndedKeyWork[]> {
  const lapsed = await tx
    .select({ key: lapsedKeyColumns, sessionId: queuedMessages.sessionId, id: queuedMessages.id })
    .from(queuedMessages)
    .innerJoin(apiKeys, eq(apiKeys.id, queuedMessages.keyId))
    .where(and(isOpen, isLapsed(now)));
  const works = new Map<string, EndedKeyWork>();
  for (const { key, sessionId, id } of lapsed) {
    const { revokedAt: _revokedAt, ...named } = key;
    const reason = reasonOf(key);
    await tx.update(queuedMessages).set({ heldReason: reason, isReleased: false }).where(eq(queuedMessages.id, id));
    const held = (works.get(`${sessionId} ${key.id}`)?.held ?? 0) + 1;
    works.set(`${sessionId} ${key.id}`, { sessionId, key: named, reason, turnId: null, held });
  }
  return [...works.values()];
}

/** See TurnStore. Looks first: most of the time there is nothing, and nobody has to wait for a write. */
export async function endLapsedKeyWork(db: Database, now: number): Promise<EndedKeyWork[]> {
  const waits = db.read
    .select({ id: queuedMessages.id })
    .from(queuedMessages)
    .innerJoin(apiKeys, eq(apiKeys.id, queuedMessages.keyId))
    .where(and(isOpen, isLapsed(now)))
    .limit(1);
  const [waiting, running] = await Promise.all([waits, findRunning(db.read, now)]);
  if (waiting.length === 0 && running.length === 0) return [];
  return db.write(async (tx) => {
    const ended = new Map<string, EndedKeyWork>();
    for (const { turnId, sessionId, key } of await findRunning(tx, now)) {
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

/** Turns that run and are not being stopped, once for each of their keys that has lapsed. */
function findRunning(reader: Pick<StoreReader, 'select'>, now: number) {
  return reader
    .select({ turnId: turns.id, sessionId: turns.sessionId, key: lapsedKeyColumns })
    .from(turns)
    .innerJoin(apiKeys, sql`${apiKeys.id} in (select value from json_each(${turns.keyIds}))`)
    .where(and(eq(turns.status, 'running'), isNull(turns.cancelRequestedAt), isNotNull(turns.keyIds), isLapsed(now)));
}

function reasonOf({ revokedAt }: { readonly revokedAt: number | null }): HoldReason {
  return revokedAt === null ? 'key-expired' : 'key-revoked';
}
