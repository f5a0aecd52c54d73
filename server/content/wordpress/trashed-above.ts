import { plainContext } from '#server/content/blocks/block-context';
import { knownEntryOf, knownToJson } from '#server/content/wordpress/known-state';
import type { RemoteLink } from '#server/content/wordpress/mirror';
import { readRemote } from '#server/content/wordpress/remote-document';
import type { SiteAccess } from '#server/content/wordpress/site-access';
import { createShortId } from '#server/core/ids';

/** The page in the trash by which, in WordPress, `parent` still stands below `pageId`; null: it does not. */
async function trashedBetween({ mirror }: SiteAccess, pageId: string, parent: string): Promise<RemoteLink | null> {
  const seen = new Set<string>();
  let trashed: RemoteLink | null = null;
  for (let id: string | undefined = parent; id !== undefined && !seen.has(id);) {
    if (id === pageId) return trashed;
    seen.add(id);
    const link = await mirror.link(id);
    const known = knownEntryOf(link);
    if (known?.status === 'trashed') trashed = link;
    id = known?.document.parent;
  }
  return null;
}

/**
 * WordPress drops, without a word, a parent that stands below the page by way of the trash. What is in the trash is put
 * below none there; here it keeps its parent until it comes back.
 */
export async function freeFromTrash(site: SiteAccess, pageId: string, parent: string | undefined): Promise<void> {
  const link = parent === undefined ? null : await trashedBetween(site, pageId, parent);
  const known = knownEntryOf(link);
  if (link === null || known === null) return;
  const remote = await site.client.entries.update('page', link.remoteId, { parentRemoteId: null });
  const { parent: _parent, ...document } = known.document;
  const surroundings = {
    context: plainContext,
    parent: undefined,
    cover: document.image,
    newSectionId: () => createShortId('sec'),
  };
  const read = readRemote(remote, { ...known, document }, surroundings);
  await site.mirror.write((tx) =>
    tx.saveLink({ ...link, known: knownToJson({ ...read.known, document }), seenAt: site.now() }),
  );
}
