import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { KeptRoundStore } from '#server/completions/kept-rounds';
import { createId } from '#server/core/ids';
import type { Database } from '#server/store/database';
import { keptRounds } from '#server/store/schema/sessions';

/** A round that nobody asked for in so long goes; milliseconds. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Interval of noting the use of a round: not at every call; milliseconds. */
const NOTED_EVERY_MS = 60 * 60 * 1_000;

export interface KeptRoundBounds {
  /** Rounds of one owner, and of all together; those not used for longest give way. */
  readonly perOwner: number;
  readonly total: number;
}

/** A round is a summary (10 kB at most) or marks (some 80 bytes for each part): 5,000 are tens of megabytes. */
const BOUNDS: KeptRoundBounds = { perOwner: 1_000, total: 5_000 };

/** Marks of so many parts that they are longer than this are made anew with each call: they cost no model call. */
const MAX_ROUND_CHARS = 200_000;

/**
 * Keeps rounds by how their conversations begin. One that is too large is not kept; the oldest unused go.
 * @param now epoch milliseconds
 */
export function createKeptRoundRepository(
  db: Database,
  now: () => number = Date.now,
  bounds: KeptRoundBounds = BOUNDS,
): KeptRoundStore {
  /** Selects the rounds behind the newest `most`, of one owner or of all. */
  const beyond = (most: number, ownerId?: string) =>
    sql`${keptRounds.id} in (select id from kept_rounds ${
      ownerId === undefined ? sql`` : sql`where owner_id = ${ownerId}`
    } order by last_used_at desc, id desc limit -1 offset ${most})`;

  return {
    async find(ownerId, prefixHashes) {
      // One parameter, however long the conversation is.
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
        await tx.delete(keptRounds).where(lt(keptRounds.lastUsedAt, createdAt - KEPT_MS));
        await tx.delete(keptRounds).where(beyond(bounds.perOwner, ownerId));
        await tx.delete(keptRounds).where(beyond(bounds.total));
      });
    },

    async touch(ids) {
      const lastUsedAt = now();
      const isOld = lt(keptRounds.lastUsedAt, lastUsedAt - NOTED_EVERY_MS);
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
