import { composeContent } from '#server/content/blocks/compose-content';
import { sameDocument } from '#server/content/embedded/entry-state';
import { readAddressBook } from '#server/content/wordpress/address-book';
import { knownEntryOf } from '#server/content/wordpress/known-state';
import type { TouchedTarget } from '#server/content/wordpress/recorded-write';
import { surroundingsOfDocument } from '#server/content/wordpress/remote-surroundings';
import type { SiteAccess } from '#server/content/wordpress/site-access';

type TouchedEntry = Extract<TouchedTarget, { kind: 'entry' }>;

/** Whether a write changed, or gave up, a draft that only the mirror has: visitors see what was published before. */
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
