import { and, asc, eq, gt, isNotNull, lte, ne } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import type { PresenceStore } from '#server/core/presence';
import type { Database } from '#server/store/database';
import { entries, presence } from '#server/store/schema/content';
import { users } from '#server/store/schema/people';

/** A window that has said nothing for so long is gone; ms. Windows say where they are every few seconds. */
const GONE_AFTER_MS = 25_000;
/** A window that says the same again is written down again after so long only; ms. */
const RENEWED_AFTER_MS = 6_000;
/** Windows that are told of. */
const MOST_TOLD = 30;

/** @param now epoch milliseconds */
export function createPresenceRepository(db: Database, now: () => number = Date.now): PresenceStore {
  const isThere = () => gt(presence.seenAt, now() - GONE_AFTER_MS);
  const columns = { userId: presence.userId, name: users.name, sectionId: presence.sectionId, field: presence.field };

  return {
    async note({ windowId, entryId, place, leaves }, userId, siteId) {
      const entry = await db.read
        .select({ revision: entries.revision, siteId: entries.siteId })
        .from(entries)
        .where(eq(entries.id, entryId))
        .get();
      if (entry && entry.siteId !== siteId) throw new NotFoundError('entry', entryId);
      const ofWindow = and(eq(presence.windowId, windowId), eq(presence.userId, userId));
      const known = await db.read.select().from(presence).where(ofWindow).get();
      const here = { entryId, sectionId: place?.sectionId ?? null, field: place?.field ?? null };
      if (leaves) {
        if (known) await db.write((tx) => tx.delete(presence).where(ofWindow));
      } else {
        const isSame = (['entryId', 'sectionId', 'field'] as const).every((name) => known?.[name] === here[name]);
        if (!known || !isSame || known.seenAt <= now() - RENEWED_AFTER_MS) {
          const row = { ...here, seenAt: now() };
          await db.write(async (tx) => {
            await tx.delete(presence).where(lte(presence.seenAt, now() - GONE_AFTER_MS));
            await tx
              .insert(presence)
              .values({ windowId, userId, ...row })
              // The window of somebody else stays theirs.
              .onConflictDoUpdate({ target: presence.windowId, set: row, setWhere: eq(presence.userId, userId) });
          });
        }
      }
      const others = await db.read
        .select({ ...columns, id: presence.windowId })
        .from(presence)
        .leftJoin(users, eq(users.id, presence.userId))
        .where(and(eq(presence.entryId, entryId), ne(presence.windowId, windowId), isThere()))
        .orderBy(asc(presence.windowId))
        .limit(MOST_TOLD);
      return {
        others: others.map(({ id, name, userId: whose, sectionId, field }) => ({
          id,
          name,
          isMe: whose === userId,
          place: field === null ? null : { sectionId, field },
        })),
        revision: entry?.revision ?? null,
      };
    },

    async writersIn(entryId) {
      const rows = await db.read
        .select(columns)
        .from(presence)
        .leftJoin(users, eq(users.id, presence.userId))
        .where(and(eq(presence.entryId, entryId), isNotNull(presence.field), isThere()))
        .limit(MOST_TOLD);
      return rows.flatMap(({ name, sectionId, field }) => (field === null ? [] : [{ name, sectionId, field }]));
    },
  };
}
