import { readKnown } from '#server/blocks/align-sections';
import { canonicalDocument } from '#server/content/entry-document';
import { readAddressBook } from '#server/wordpress/address-book';
import type { RemoteRevision } from '#server/wordpress/client/wordpress-client';
import { knownEntryOf, remoteTypeOf, type SiteAccess } from '#server/wordpress/mirror';
import type { EntryDocument } from '#server/core/content';
import type { Version } from '#server/core/changes';
import { NotFoundError, SiteUnavailableError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';

/**
 * WordPress's revisions of an entry from before it was mirrored. Their numbers are WordPress's, negated: ours count
 * from 1.
 */
export interface OwnRevisions {
  /** Newest first, the newest hundred; none where WordPress cannot be reached. */
  list(entryId: string): Promise<Version[]>;
  /** The draft with the title, texts and, of a post, the excerpt of then. @throws NotFoundError */
  document(entryId: string, revision: number): Promise<EntryDocument>;
}

export function createOwnRevisions(site: SiteAccess): OwnRevisions {
  const { mirror, client } = site;

  async function readAll(entryId: string): Promise<RemoteRevision[]> {
    const link = await mirror.link(entryId);
    if (link === null || (link.kind !== 'page' && link.kind !== 'post')) return [];
    return client.entries.revisions(remoteTypeOf(link), link.remoteId);
  }

  return {
    async list(entryId) {
      const first = (await mirror.journalEntryAt(entryId, 1))?.change;
      if (first?.origin.actor !== 'external') return [];
      const revisions = await readAll(entryId).catch((error: unknown) => {
        if (error instanceof SiteUnavailableError) return [];
        throw error;
      });
      return revisions.filter(({ modifiedGmt }) => modifiedGmt < first.createdAt).map(versionOf);
    },

    async document(entryId, revision) {
      const [entry, link] = [await mirror.entry(entryId), await mirror.link(entryId)];
      const found = (await readAll(entryId)).find(({ id }) => id === -revision);
      if (entry === null || found === undefined) throw new NotFoundError('revision', String(revision));
      const book = await readAddressBook(mirror, site.siteUrl);
      const context = await book.contextFor([], found.contentRaw);
      const known = knownEntryOf(link)?.blocks ?? [];
      const blocks = readKnown(known, found.contentRaw, context, () => createShortId('sec'));
      return canonicalDocument({
        ...entry.draft,
        title: found.title || entry.draft.title,
        ...(entry.type === 'post' && { excerpt: found.excerpt || undefined }),
        sections: blocks.map(({ sectionId, type, fields }) => ({ id: sectionId, type, fields })),
      });
    },
  };
}

function versionOf({ id, title, modifiedGmt }: RemoteRevision): Version {
  return {
    revision: -id,
    action: 'update',
    summary: 'Saved in WordPress',
    actor: 'external',
    createdAt: modifiedGmt,
    title,
    isPublished: false,
  };
}
