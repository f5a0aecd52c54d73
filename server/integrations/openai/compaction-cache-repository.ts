import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { CompactionCacheStore } from '#server/integrations/openai/compaction-cache';
import { createId } from '#server/core/ids';
import type { Database } from '#server/platform/database/database';
import { keptRounds } from '#server/platform/database/schema/sessions';

/** A round that no call has used for this long is deleted; milliseconds. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;
/** Minimum interval between two updates of a round's last use, to avoid a write at every call; milliseconds. */
const TOUCH_INTERVAL_MS = 60 * 60 * 1_000;

/** How many rounds are stored. */
export interface CompactionCacheBounds {
  /** Maximum number of rounds per owner, and in total; the least recently used are deleted. */
  readonly perOwner: number;
  readonly total: number;
}

/** A round is a compaction (at most 10 kB) or a prune (about 80 bytes per part): 5,000 are tens of megabytes. */
const BOUNDS: CompactionCacheBounds = { perOwner: 1_000, total: 5_000 };

/** Rounds longer than this are not stored. Only prunes are that long, and repeating one needs no model call. */
const MAX_ROUND_CHARS = 200_000;

/**
 * Stores rounds (see `CachedRound`) under the hash of the messages that they cover. A round that is too large is not
 * stored; the least recently used are deleted.
 * @param now epoch milliseconds
 */
export function createCompactionCacheRepository(
  db: Database,
  now: () => number = Date.now,
  bounds: CompactionCacheBounds = BOUNDS,
): CompactionCacheStore {
  /** Selects the rounds except the newest `most`, of one owner or of all. */
  const beyond = (most: number, ownerId?: string) =>
    sql`${keptRounds.id} in (select id from kept_rounds ${
      ownerId === undefined ? sql`` : sql`where owner_id = ${ownerId}`
    } order by last_used_at desc, id desc limit -1 offset ${most})`;

  return {
    async find(ownerId, prefixHashes) {
      // One parameter for any length of the conversation.
      const known = sql`select value from json_each(${JSON.stringify(prefixHashes)})`;
      return db.read
        .select({ id: keptRounds.id, prefixHash: keptRounds.prefixHash, round: keptRounds.round })
        .from(keptRounds)
        .where(and(eq(keptRounds.ownerId, ownerId), sql`${keptRounds.prefixHash} in (${known})`))
        .orderBy(asc(keptRounds.createdAt), asc(keptRounds.id));
    },

    async keep(ownerId, prefixHash, round) {
      const createdAt = now();
      const text = JSON.stringify(round);
      if (text.length > MAX_ROUND_CHARS) return;
      await db.write(async (tx) => {
        await tx.insert(keptRounds).values({
          id: createId('rnd'),
          ownerId,
          prefixHash,
          round: text,
          createdAt,
          lastUsedAt: createdAt,
        });
        await tx.delete(keptRounds).where(lt(keptRounds.lastUsedAt, createdAt - RETENTION_MS));
        await tx.delete(keptRounds).where(beyond(bounds.perOwner, ownerId));
        await tx.delete(keptRounds).where(beyond(bounds.total));
      });
    },

    async touch(ids) {
      const lastUsedAt = now();
      const isOld = lt(keptRounds.lastUsedAt, lastUsedAt - TOUCH_INTERVAL_MS);
      const old = await db.read
        .select({ id: keptRounds.id })
        .from(keptRounds)
        .where(and(inArray(keptRounds.id, [...ids]), isOld));
      if (old.length === 0) return;
      const oldIds = old.map(({ id }) => id);
      await db.write((tx) => tx.update(keptRounds).set({ lastUsedAt }).where(inArray(keptRounds.id, oldIds)));
    },
  };
}
