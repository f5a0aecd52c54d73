import { and, desc, eq, gt, isNotNull, isNull, lt, or, type SQL } from 'drizzle-orm';
import { createId } from '#server/core/ids';
import type { PreviewLink } from '#server/core/site/preview-links';
import type { Database, StoreReader } from '#server/platform/database/database';
import { previewLinks } from '#server/platform/database/schema/content';
import { apiKeys, users } from '#server/platform/database/schema/people';

/** A link before it is stored. */
interface NewLink {
  readonly entryId: string;
  /** SHA-256 of its secret, hex. */
  readonly hash: string;
  readonly createdBy: string;
  /** API key that creates it, which the link does not outlive; null: none. */
  readonly keyId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Storage of preview links. */
export interface PreviewLinkStore {
  /** Stores a link, unless the entry has `max` active ones: then null. Deletes the rows of links that have ended. */
  add(link: NewLink, max: number): Promise<PreviewLink | null>;
  /** The active links of an entry, newest first. */
  list(entryId: string): Promise<PreviewLink[]>;
  /** Revokes a link of an entry. Null: the entry has no active link with this id. */
  revoke(entryId: string, id: string): Promise<PreviewLink | null>;
  /** The active link with this hash; null: none. The links of a suspended person are not active, nor are those of an API key that has ended. */
  find(hash: string): Promise<{ readonly id: string; readonly entryId: string } | null>;
}

/** Creates the storage. @param now epoch milliseconds */
export function createPreviewLinkRepository(db: Database, now: () => number): PreviewLinkStore {
  const { id, entryId, hash, createdBy, keyId, createdAt, expiresAt, revokedAt } = previewLinks;
  /** In local mode there are no users. */
  const isOfActivePerson = or(isNull(users.id), eq(users.banned, false));
  const isOfActiveKey = () =>
    or(
      isNull(keyId),
      and(
        isNotNull(apiKeys.id),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now())),
      ),
    );
  const activeLinks = (reader: StoreReader, which: SQL) =>
    reader
      .select({ id, entryId, createdBy: users.name, createdAt, expiresAt })
      .from(previewLinks)
      .leftJoin(users, eq(users.id, createdBy))
      .leftJoin(apiKeys, eq(apiKeys.id, keyId))
      .where(and(which, isNull(revokedAt), gt(expiresAt, now()), isOfActivePerson, isOfActiveKey()))
      .orderBy(desc(createdAt), desc(id));
  const activeOf = async (reader: StoreReader, entry: string): Promise<PreviewLink[]> =>
    (await activeLinks(reader, eq(entryId, entry))).map(({ entryId: _, ...link }) => link);

  return {
    add: (link, max) =>
      db.write(async (tx) => {
        await tx.delete(previewLinks).where(or(lt(expiresAt, now()), isNotNull(revokedAt)));
        if ((await activeOf(tx, link.entryId)).length >= max) return null;
        const row = { ...link, id: createId('lnk') };
        await tx.insert(previewLinks).values(row);
        return (await activeOf(tx, link.entryId)).find((each) => each.id === row.id) ?? null;
      }),
    list: (entry) => activeOf(db.read, entry),
    revoke: (entry, link) =>
      db.write(async (tx) => {
        const found = (await activeOf(tx, entry)).find((each) => each.id === link);
        if (!found) return null;
        await tx.update(previewLinks).set({ revokedAt: now() }).where(eq(id, link));
        return found;
      }),
    async find(given) {
      const [found] = await activeLinks(db.read, eq(hash, given));
      return found ?? null;
    },
  };
}
