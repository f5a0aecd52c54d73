import { and, desc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import type { JsonValue } from '#server/core/json';
import type { StoreReader } from '#server/platform/database/database';
import { remoteLinks, remotePast, remoteTexts } from '#server/platform/database/schema/wordpress';
import type { LinkReader, RemoteLink } from '#server/wordpress/mirror/mirror';

function linkFromRow({ siteId: _site, known, ...link }: typeof remoteLinks.$inferSelect): RemoteLink {
  return { ...link, known: known as JsonValue };
}

/**
 * Reads the links between local and remote ids of a connected site.
 * @param db the reading connection, or a transaction
 */
export function createLinkReader(db: StoreReader, siteId: string): LinkReader {
  const ofSite = eq(remoteLinks.siteId, siteId);
  const one = async (condition: SQL | undefined) => {
    const row = await db.select().from(remoteLinks).where(and(ofSite, condition)).get();
    return row === undefined ? null : linkFromRow(row);
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
          kindSlug,
        })
        .from(remoteLinks)
        .where(ofSite),
    async past(localId) {
      const ofEntry = and(eq(remotePast.siteId, siteId), eq(remotePast.localId, localId));
      const rows = await db.select().from(remotePast).where(ofEntry).orderBy(desc(remotePast.seq));
      return rows.map(({ known }) => known as JsonValue);
    },
    async texts(hashes) {
      const named = and(eq(remoteTexts.siteId, siteId), inArray(remoteTexts.hash, [...hashes]));
      const rows = hashes.length === 0 ? [] : await db.select().from(remoteTexts).where(named);
      return new Map(rows.map(({ hash, text: content }) => [hash, content]));
    },
    async marks(kind) {
      const rows = await db
        .select({
          localId: remoteLinks.localId,
          remoteId: remoteLinks.remoteId,
          modified: sql<number | null>`json_extract(${remoteLinks.known}, '$.modified')`,
          kindSlug,
        })
        .from(remoteLinks)
        .where(and(ofSite, eq(remoteLinks.kind, kind)));
      return rows.map((row) => ({ ...row, modified: row.modified ?? 0 }));
    },
    async links(kind) {
      const ofKind = kind === undefined ? undefined : eq(remoteLinks.kind, kind);
      const rows = await db.select().from(remoteLinks).where(and(ofSite, ofKind)).orderBy(remoteLinks.remoteId);
      return rows.map(linkFromRow);
    },
  };
}

const kindSlug = sql<string | null>`json_extract(${remoteLinks.known}, '$.kind.slug')`;
