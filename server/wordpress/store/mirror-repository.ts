import { and, eq, max } from 'drizzle-orm';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { remoteLinks, remotePast, remoteTexts } from '#server/platform/database/schema/wordpress';
import { createContentRepository, createContentTransaction } from '#server/site/store/content-repository';
import type { Mirror, MirrorTransaction } from '#server/wordpress/mirror/mirror';
import { createLinkReader } from '#server/wordpress/store/link-reader';

function createMirrorTransaction(tx: StoreTransaction, siteId: string): MirrorTransaction {
  return {
    ...createContentTransaction(tx, siteId),
    ...createLinkReader(tx, siteId),

    async saveLink({ localId, ...changing }) {
      await tx
        .insert(remoteLinks)
        .values({ siteId, localId, ...changing })
        .onConflictDoUpdate({ target: [remoteLinks.siteId, remoteLinks.localId], set: changing });
    },

    async removeLink(localId) {
      await tx.delete(remoteLinks).where(and(eq(remoteLinks.siteId, siteId), eq(remoteLinks.localId, localId)));
    },

    async keepPast(localId, known, texts) {
      for (const [hash, content] of texts) {
        await tx.insert(remoteTexts).values({ siteId, hash, text: content }).onConflictDoNothing();
      }
      const ofEntry = and(eq(remotePast.siteId, siteId), eq(remotePast.localId, localId));
      const newest = await tx
        .select({ seq: max(remotePast.seq) })
        .from(remotePast)
        .where(ofEntry)
        .get();
      await tx.insert(remotePast).values({ siteId, localId, seq: (newest?.seq ?? 0) + 1, known });
    },
  };
}

/** Storage of the copy of a connected site: its content, and the links between local and remote ids. */
export function createMirrorRepository(db: Database, siteId: string): Mirror {
  return {
    ...createContentRepository(db, siteId),
    ...createLinkReader(db.read, siteId),
    write: (work) => db.write((tx) => work(createMirrorTransaction(tx, siteId))),
  };
}
