import { and, eq, sql } from 'drizzle-orm';
import type { JsonValue } from '#server/core/json';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { remoteLinks } from '#server/store/schema/wordpress';
import type { LinkReader, MirrorTransaction, RemoteLink } from '#server/wordpress/mirror';

function fromRow({ siteId: _site, known, ...link }: typeof remoteLinks.$inferSelect): RemoteLink {
  return { ...link, known: known as JsonValue };
}

/** The links of one site, read inside a transaction or outside. */
export function createRemoteLinkReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string): LinkReader {
  const ofSite = eq(remoteLinks.siteId, siteId);
  const one = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(remoteLinks).where(and(ofSite, condition)).get();
    return row === undefined ? null : fromRow(row);
  };
  return {
    link: (localId) => one(eq(remoteLinks.localId, localId)),
    linkByRemote: (kind, remoteId) => one(and(eq(remoteLinks.kind, kind), eq(remoteLinks.remoteId, remoteId))),
    linkByHash: (hash) =>
      one(and(eq(remoteLinks.kind, 'asset'), sql`json_extract(${remoteLinks.known}, '$.hash') = ${hash}`)),
    addresses: () =>
      db
        .select({
          kind: remoteLinks.kind,
          localId: remoteLinks.localId,
          remoteId: remoteLinks.remoteId,
          address: sql<string | null>`json_extract(${remoteLinks.known}, '$.address')`,
        })
        .from(remoteLinks)
        .where(ofSite),
    async marks(kind) {
      const rows = await db
        .select({
          localId: remoteLinks.localId,
          remoteId: remoteLinks.remoteId,
          modified: sql<number | null>`json_extract(${remoteLinks.known}, '$.modified')`,
        })
        .from(remoteLinks)
        .where(and(ofSite, eq(remoteLinks.kind, kind)));
      return rows.map((row) => ({ ...row, modified: row.modified ?? 0 }));
    },
    async links(kind) {
      const ofKind = kind === undefined ? undefined : eq(remoteLinks.kind, kind);
      const rows = await db.select().from(remoteLinks).where(and(ofSite, ofKind)).orderBy(remoteLinks.remoteId);
      return rows.map(fromRow);
    },
  };
}

/** Writes the links of one site, inside a transaction. */
export function createRemoteLinkWriter(
  tx: StoreTransaction,
  siteId: string,
): Pick<MirrorTransaction, 'saveLink' | 'removeLink'> {
  return {
    async saveLink({ localId, ...changing }) {
      await tx
        .insert(remoteLinks)
        .values({ siteId, localId, ...changing })
        .onConflictDoUpdate({ target: [remoteLinks.siteId, remoteLinks.localId], set: changing });
    },

    async removeLink(localId) {
      await tx.delete(remoteLinks).where(and(eq(remoteLinks.siteId, siteId), eq(remoteLinks.localId, localId)));
    },
  };
}
