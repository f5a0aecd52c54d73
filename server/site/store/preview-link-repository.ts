import { serverText } from '#server/core/messages/server-text';
import { and, desc, eq, gt, isNotNull, isNull, lt, or, type SQL } from 'drizzle-orm';
import { allows, LOCAL_OWNER, type Role, scopesOfRole } from '#server/core/admin/access-rights';
import { includesSite, sitesFor } from '#server/core/admin/site-access';
import { ForbiddenError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { PreviewLink } from '#server/core/site/preview/preview-links';
import type { Database, StoreReader } from '#server/platform/database/database';
import { entries, previewLinks } from '#server/platform/database/schema/content';
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
  /**
   * Stores a link, unless the entry has `max` active ones: then null. Deletes the rows of links that have ended.
   * @throws NotFoundError if the built-in site has no such entry, or it is in the trash; ForbiddenError if the link would
   * not be active, because its creator or their API key has lost the right meanwhile
   */
  add(link: NewLink, max: number): Promise<PreviewLink | null>;
  /** The active links of an entry, newest first. */
  list(entryId: string): Promise<PreviewLink[]>;
  /** Revokes a link of an entry. Null: the entry has no active link with this id. */
  revoke(entryId: string, id: string): Promise<PreviewLink | null>;
  /**
   * The active link with this hash; null: none. Links are not active while their creator is suspended or may not change
   * drafts of the built-in site, nor after the account of the creator, or the API key, has ended.
   */
  find(hash: string): Promise<{ readonly id: string; readonly entryId: string } | null>;
}

/** Creates the storage. @param now epoch milliseconds */
export function createPreviewLinkRepository(db: Database, now: () => number): PreviewLinkStore {
  const { id, entryId, hash, createdBy, keyId, createdAt, expiresAt, revokedAt } = previewLinks;
  /** In local mode the owner has no account. */
  const isOfActivePerson = or(eq(users.banned, false), and(isNull(users.id), eq(createdBy, LOCAL_OWNER)));
  const isOfActiveKey = () =>
    or(
      isNull(keyId),
      and(
        isNotNull(apiKeys.id),
        isNull(apiKeys.revokedAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now())),
      ),
    );
  const activeLinks = async (reader: StoreReader, which: SQL) => {
    const { name, role, sites } = users;
    const found = await reader
      .select({ link: { id, entryId, createdBy: name, createdAt, expiresAt }, role, sites })
      .from(previewLinks)
      .leftJoin(users, eq(users.id, createdBy))
      .leftJoin(apiKeys, eq(apiKeys.id, keyId))
      .where(and(which, isNull(revokedAt), gt(expiresAt, now()), isOfActivePerson, isOfActiveKey()))
      .orderBy(desc(createdAt), desc(id));
    return found.filter((row) => row.role === null || mayShare(row.role, row.sites)).map(({ link }) => link);
  };
  const activeOf = async (reader: StoreReader, entry: string): Promise<PreviewLink[]> =>
    (await activeLinks(reader, eq(entryId, entry))).map(({ entryId: _, ...link }) => link);

  return {
    add: (link, max) =>
      db.write(async (tx) => {
        await tx.delete(previewLinks).where(or(lt(expiresAt, now()), isNotNull(revokedAt)));
        const isShared = and(eq(entries.siteId, EMBEDDED_SITE), isNull(entries.deletedAt));
        const [entry] = await tx
          .select({ id: entries.id })
          .from(entries)
          .where(and(eq(entries.id, link.entryId), isShared));
        if (!entry) throw new NotFoundError('entry', link.entryId);
        if ((await activeOf(tx, link.entryId)).length >= max) return null;
        const row = { ...link, id: createId('lnk') };
        await tx.insert(previewLinks).values(row);
        const made = (await activeOf(tx, link.entryId)).find((each) => each.id === row.id);
        if (!made) throw new ForbiddenError(serverText('preview-link-not-allowed'));
        return made;
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

/** True for a person who may change drafts of the built-in site. */
function mayShare(role: Role, sites: readonly string[] | null): boolean {
  return allows(scopesOfRole[role], 'content:draft') && includesSite(sitesFor(role, sites), EMBEDDED_SITE);
}
