import { and, asc, eq, gt, isNotNull, lte, ne } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import type { PresenceStore } from '#server/core/site/presence';
import type { Database } from '#server/platform/database/database';
import { entries, presence } from '#server/platform/database/schema/content';
import { users } from '#server/platform/database/schema/people';

/**
 * A window that has not reported for this long counts as closed; ms. Windows report their position every few seconds.
 */
const CLOSED_AFTER_MS = 25_000;
/** If a window reports the same position again, it is stored again only after this time; ms. */
const RENEWED_AFTER_MS = 6_000;
/** Largest number of windows that are listed. */
const MAX_LISTED_WINDOWS = 30;

/** Storage of which people have an entry open, and where in it they work. @param now epoch milliseconds */
export function createPresenceRepository(db: Database, now: () => number = Date.now): PresenceStore {
  const isOpen = () => gt(presence.seenAt, now() - CLOSED_AFTER_MS);
  const columns = { userId: presence.userId, name: users.name, sectionId: presence.sectionId, field: presence.field };

  return {
    async report({ windowId, entryId, place, leaves }, userId, siteId) {
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
            await tx.delete(presence).where(lte(presence.seenAt, now() - CLOSED_AFTER_MS));
            await tx
              .insert(presence)
              .values({ windowId, userId, ...row })
              // A window of another user is not overwritten.
              .onConflictDoUpdate({ target: presence.windowId, set: row, setWhere: eq(presence.userId, userId) });
          });
        }
      }
      const others = await db.read
        .select({ ...columns, id: presence.windowId })
        .from(presence)
        .leftJoin(users, eq(users.id, presence.userId))
        .where(and(eq(presence.entryId, entryId), ne(presence.windowId, windowId), isOpen()))
        .orderBy(asc(presence.windowId))
        .limit(MAX_LISTED_WINDOWS);
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
        .where(and(eq(presence.entryId, entryId), isNotNull(presence.field), isOpen()))
        .limit(MAX_LISTED_WINDOWS);
      return rows.flatMap(({ name, sectionId, field }) => (field === null ? [] : [{ name, sectionId, field }]));
    },
  };
}
