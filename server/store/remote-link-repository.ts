import { and, eq, sql } from 'drizzle-orm';
import type { JsonValue } from '#server/core/json';
import type { RemoteKind } from '#server/core/remote-site';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { remoteLinks } from '#server/store/schema/wordpress';

/** Link between a thing of a connected site and its local copy. */
interface RemoteLink {
  readonly kind: RemoteKind;
  /** Id of the entry or asset, or key of the site document. */
  readonly localId: string;
  readonly remoteId: number;
  /** How it was there when it was last seen or written. */
  readonly known: JsonValue;
  readonly seenAt: number;
}

function fromRow({ siteId: _site, known, ...link }: typeof remoteLinks.$inferSelect): RemoteLink {
  return { ...link, known: known as JsonValue };
}

/** The links of one site, read inside a transaction or outside. */
export function createRemoteLinkReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string) {
  const ofSite = eq(remoteLinks.siteId, siteId);
  const one = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(remoteLinks).where(and(ofSite, condition)).get();
    return row === undefined ? null : fromRow(row);
  };
  return {
    link: (localId: string) => one(eq(remoteLinks.localId, localId)),
    linkByRemote: (kind: RemoteKind, remoteId: number) =>
      one(and(eq(remoteLinks.kind, kind), eq(remoteLinks.remoteId, remoteId))),
    /** The asset whose bytes go by this name. */
    linkByHash: (hash: string) =>
      one(and(eq(remoteLinks.kind, 'asset'), sql`json_extract(${remoteLinks.known}, '$.hash') = ${hash}`)),
    /** Addresses of all linked things on the connected site. */
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
    /** Everything of a kind, with the time (epoch milliseconds) of the change that was seen last; 0: none yet. */
    async marks(kind: RemoteKind) {
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
    async links(kind?: RemoteKind) {
      const ofKind = kind === undefined ? undefined : eq(remoteLinks.kind, kind);
      const rows = await db.select().from(remoteLinks).where(and(ofSite, ofKind)).orderBy(remoteLinks.remoteId);
      return rows.map(fromRow);
    },
  };
}

/** Writes the links of one site, inside a transaction. */
export function createRemoteLinkWriter(tx: StoreTransaction, siteId: string) {
  return {
    /** Inserts the link or replaces what is stored under its local id. */
    async saveLink({ localId, ...changing }: RemoteLink) {
      await tx
        .insert(remoteLinks)
        .values({ siteId, localId, ...changing })
        .onConflictDoUpdate({ target: [remoteLinks.siteId, remoteLinks.localId], set: changing });
    },

    async removeLink(localId: string) {
      await tx.delete(remoteLinks).where(and(eq(remoteLinks.siteId, siteId), eq(remoteLinks.localId, localId)));
    },
  };
}
