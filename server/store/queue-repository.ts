import { eq, min } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import type { NewPart } from '#server/core/parts';
import { commonScopes } from '#server/core/principal';
import type { QueueStore } from '#server/core/turn-store';
import type { Database } from '#server/store/database';
import { readQueue, takeOverHeld } from '#server/store/queue-rows';
import { queuedMessageFromRow } from '#server/store/queued-message-codec';
import { queuedMessages, sessions } from '#server/store/schema';

/** `now` gives epoch milliseconds. */
export function createQueueRepository(db: Database, now: () => number): QueueStore {
  return {
    async queue(sessionId) {
      const session = await db.read
        .select({ held: sessions.queueHeld })
        .from(sessions)
        .where(eq(sessions.id, sessionId))
        .get();
      return { items: await readQueue(db.read, sessionId), held: session?.held ?? false };
    },

    async queued(id) {
      const row = await db.read.select().from(queuedMessages).where(eq(queuedMessages.id, id)).get();
      return queuedMessageFromRow(row ?? waitsNoLonger(id));
    },

    editQueued: (id, parts, editor) =>
      db.write(async (tx) => {
        const former = await tx.select().from(queuedMessages).where(eq(queuedMessages.id, id)).get();
        const { parts: formerParts, scopes } = queuedMessageFromRow(former ?? waitsNoLonger(id));
        const kept = parts.some(isFile) ? [] : formerParts.filter(isFile);
        const changes = {
          parts: JSON.stringify([...parts, ...kept]),
          scopes: commonScopes(scopes, editor.scopes),
          keyId: editor.keyId,
          heldReason: null,
        };
        const row = await tx.update(queuedMessages).set(changes).where(eq(queuedMessages.id, id)).returning().get();
        return queuedMessageFromRow(row ?? waitsNoLonger(id));
      }),

    removeQueued: (id) =>
      db.write(async (tx) => {
        const row = await tx.delete(queuedMessages).where(eq(queuedMessages.id, id)).returning().get();
        return queuedMessageFromRow(row ?? waitsNoLonger(id));
      }),

    clearQueue: (sessionId) =>
      db.write(async (tx) => {
        const ofSession = eq(queuedMessages.sessionId, sessionId);
        return (await tx.delete(queuedMessages).where(ofSession).run()).rowsAffected;
      }),

    sendNext: (id, sender) =>
      db.write(async (tx) => {
        const row =
          (await tx.select().from(queuedMessages).where(eq(queuedMessages.id, id)).get()) ?? waitsNoLonger(id);
        const first = await tx
          .select({ rank: min(queuedMessages.rank) })
          .from(queuedMessages)
          .where(eq(queuedMessages.sessionId, row.sessionId))
          .get();
        const rank = (first?.rank ?? 0) - 1;
        await tx.update(queuedMessages).set({ rank, isReleased: true }).where(eq(queuedMessages.id, id));
        const item = queuedMessageFromRow(row);
        await takeOverHeld(tx, [item], sender, now());
        return item;
      }),
  };
}

function isFile({ type }: NewPart): boolean {
  return type === 'file';
}

function waitsNoLonger(id: string): never {
  throw new NotFoundError('waiting message', id);
}
