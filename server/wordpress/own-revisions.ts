import { alignSections, composeContent } from '#server/blocks/compose-content';
import { readBlocks } from '#server/blocks/read-segments';
import { sameDocument } from '#server/content/embedded/entry-state';
import { canonicalDocument } from '#server/content/entry-document';
import { readAddressBook } from '#server/wordpress/address-book';
import type { RemoteRevision } from '#server/wordpress/client/wordpress-client';
import { surroundingsOfDocument } from '#server/wordpress/entry-plan';
import { knownEntryOf, type SiteAccess } from '#server/wordpress/mirror';
import type { TouchedEntry } from '#server/wordpress/recorded-write';
import type { EntryDocument, Version } from '#server/core/content';
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
    return client.entries.revisions(link.kind, link.remoteId);
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
      const blocks = alignSections(known, readBlocks(found.contentRaw, context), () => createShortId('sec'));
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

/** Tells whether a write changed or discarded a draft that only the mirror has, while visitors see an older version. */
function isToOffer({ before, after }: TouchedEntry): boolean {
  if (after.published === null || after.deletedAt !== null) return false;
  const hasDraft = !sameDocument(after.draft, after.published);
  if (hasDraft) return before === null || !sameDocument(before.draft, after.draft);
  // Published: WordPress's own copy is newer than the offer then. Given up: the offer has to go.
  const wasPublishedSo =
    before !== null && before.published !== null && sameDocument(before.published, after.published);
  return wasPublishedSo && !sameDocument(before.draft, after.draft);
}

async function offer({ mirror, client, siteUrl, now }: SiteAccess, { id, type, after }: TouchedEntry): Promise<void> {
  const link = await mirror.link(id);
  const known = knownEntryOf(link);
  if (link === null || known === null) return;
  const { draft } = after;
  const { context } = await surroundingsOfDocument(await readAddressBook(mirror, siteUrl), draft, now());
  const contentRaw = composeContent(draft.sections, known.blocks, context).raw;
  const excerpt = draft.excerpt ?? '';
  await client.entries.autosave(type, link.remoteId, { title: draft.title, contentRaw, excerpt });
}

/**
 * Offers drafts of what is published to those who work in WordPress, whose editor shows them as autosaves. It drops an
 * offer itself where it is sent what is published. Never rejects: the write that they come from is done.
 */
export async function offerDrafts(site: SiteAccess, entries: readonly TouchedEntry[]): Promise<void> {
  for (const entry of entries.filter(isToOffer)) await offer(site, entry).catch(() => undefined);
}
