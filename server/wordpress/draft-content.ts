import { sameDocument } from '#server/content/embedded/entry-state';
import { readAddressBook } from '#server/wordpress/address-book';
import { composedContent, surroundingsOfDocument } from '#server/wordpress/entry-plan';
import { knownEntryOf, type SiteAccess } from '#server/wordpress/mirror';
import type { TouchedEntry, TouchedTarget } from '#server/wordpress/recorded-write';
import type { Entry } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';

/** The draft of an entry as WordPress would hold it; null where it has no entry for it. */
async function draftContent(site: SiteAccess, { id, draft }: Pick<Entry, 'id' | 'draft'>) {
  const { mirror, siteUrl } = site;
  const link = await mirror.link(id);
  const known = knownEntryOf(link);
  if (link === null || known === null) return null;
  const book = await readAddressBook(mirror, siteUrl);
  const world = await surroundingsOfDocument(site, book, id, { ...known, document: draft }, known);
  return { remoteId: link.remoteId, contentRaw: composedContent(draft, known.blocks, world).raw };
}

/** Address of WordPress's editor for an entry. */
export function editAddress(siteUrl: string, remoteId: number): string {
  return `${siteUrl}/wp-admin/post.php?post=${remoteId}&action=edit`;
}

/**
 * Checks that a draft can become the content of WordPress's entry without taking anything else away, long before it is
 * published. @throws InvalidInputError with the address of WordPress's editor
 */
export async function requireWritable(site: SiteAccess, entry: Pick<Entry, 'id' | 'draft'>): Promise<void> {
  try {
    await draftContent(site, entry);
  } catch (error) {
    const link = error instanceof InvalidInputError ? await site.mirror.link(entry.id) : null;
    if (link !== null) (error as Error).message += ` Its editor: ${editAddress(site.siteUrl, link.remoteId)}`;
    throw error;
  }
}

/** As `requireWritable`, for all drafts that a write changes. */
export async function requireAllWritable(site: SiteAccess, targets: readonly TouchedTarget[]): Promise<void> {
  for (const target of targets) {
    if (target.kind !== 'entry' || target.after.deletedAt !== null) continue;
    const { id, before, after } = target;
    if (before !== null && !sameDocument(before.draft, after.draft))
      await requireWritable(site, { id, draft: after.draft });
  }
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

async function offer(site: SiteAccess, { id, type, after: { draft } }: TouchedEntry): Promise<void> {
  const content = await draftContent(site, { id, draft });
  if (content === null) return;
  const { remoteId, contentRaw } = content;
  const excerpt = draft.excerpt ?? '';
  await site.client.entries.autosave(type, remoteId, { title: draft.title, contentRaw, excerpt });
}

/**
 * Offers drafts of what is published to those who work in WordPress, whose editor shows them as autosaves. It drops an
 * offer itself where it is sent what is published. Never rejects: the write that they come from is done.
 */
export async function offerDrafts(site: SiteAccess, entries: readonly TouchedEntry[]): Promise<void> {
  for (const entry of entries.filter(isToOffer)) await offer(site, entry).catch(() => undefined);
}
