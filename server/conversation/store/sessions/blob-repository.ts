import { createHash } from 'node:crypto';
import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Blob, BlobStore } from '#server/core/conversation/part-types/blobs';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Database } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { blobs, sessions } from '#server/platform/database/schema/sessions';

/** All columns except the bytes. */
const columns = {
  id: blobs.id,
  sessionId: blobs.sessionId,
  mediaType: blobs.mediaType,
  filename: blobs.filename,
  size: blobs.size,
  width: blobs.width,
  height: blobs.height,
  createdAt: blobs.createdAt,
};

/** `now` returns epoch milliseconds. */
export function createBlobRepository(db: Database, now: () => number = Date.now): BlobStore {
  return {
    async save({ data, ...blob }): Promise<Blob> {
      const hash = createHash('sha256').update(data).digest('hex');
      return db.write(async (tx) => {
        const session = await tx.select({ id: sessions.id }).from(sessions).where(isLiveSession(blob.sessionId)).get();
        if (!session) throw new NotFoundError('session', blob.sessionId);
        return tx
          .insert(blobs)
          .values({ ...blob, id: createId('blb'), hash, data: Buffer.from(data), createdAt: now() })
          .onConflictDoUpdate({
            target: [blobs.sessionId, blobs.hash],
            set: { filename: blob.filename, mediaType: blob.mediaType },
          })
          .returning(columns)
          .get();
      });
    },

    async read(id) {
      const row = await db.read
        .select({ ...columns, data: blobs.data })
        .from(blobs)
        .where(eq(blobs.id, id))
        .get();
      if (!row) return null;
      const { data, ...blob } = row;
      return { blob, data };
    },

    list: (sessionId) =>
      db.read
        .select(columns)
        .from(blobs)
        .where(eq(blobs.sessionId, sessionId))
        .orderBy(desc(blobs.createdAt), desc(blobs.id)),

    async find(sessionId, ids) {
      if (ids.length === 0) return [];
      const rows = await db.read
        .select(columns)
        .from(blobs)
        .where(and(eq(blobs.sessionId, sessionId), inArray(blobs.id, [...ids])));
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
  };
}
