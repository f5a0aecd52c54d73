import { and, eq, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import type { EndedKeyWork } from '#server/core/turn-store';
import type { HoldReason } from '#server/core/turns';
import type { Database, StoreReader, StoreTransaction } from '#server/store/database';
import { apiKeys, queuedMessages, turns } from '#server/store/schema';

/** Keys that open nothing any more: revoked or expired. */
function isLapsed(now: number) {
  return or(isNotNull(apiKeys.revokedAt), lte(apiKeys.expiresAt, now));
}

/** Of these keys those that open nothing any more; null stands for none. */
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
    .select({ key: keyColumns, sessionId: queuedMessages.sessionId, id: queuedMessages.id })
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

const keyColumns = { id: apiKeys.id, name: apiKeys.name, userId: apiKeys.userId, revokedAt: apiKeys.revokedAt };
const isOpen = isNull(queuedMessages.heldReason);

/** Turns that run and are not being stopped, once for each of their keys that has lapsed. */
function findRunning(reader: Pick<StoreReader, 'select'>, now: number) {
  return reader
    .select({ turnId: turns.id, sessionId: turns.sessionId, key: keyColumns })
    .from(turns)
    .innerJoin(apiKeys, sql`${apiKeys.id} in (select value from json_each(${turns.keyIds}))`)
    .where(and(eq(turns.status, 'running'), isNull(turns.cancelRequestedAt), isNotNull(turns.keyIds), isLapsed(now)));
}

function reasonOf({ revokedAt }: { readonly revokedAt: number | null }): HoldReason {
  return revokedAt === null ? 'key-expired' : 'key-revoked';
}
