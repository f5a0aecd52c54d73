import { quotedTitle } from '#server/site/change-summary';
import { REUSABLE_BLOCK } from '#server/wordpress/client/site-kinds';
import { knownEntryOf, type Mirror, type RemoteLink, remoteTypeOf } from '#server/wordpress/mirror/mirror';
import type { Entry, Reference } from '#server/core/site/content';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/* Reusable blocks (synced patterns): one entry of WordPress, shown by every page that refers to it. */

const NAMED_BLOCK = /<!--\s+wp:block\s+\{[^{}]{0,500}?"ref":(\d+)\b/g;
/** Largest number of titles in a note; others are only counted. A choice, not measured. */
const MAX_NAMED = 8;

/** Ids in WordPress of the reusable blocks in a text, each once. */
function blocksIn(raw: string): number[] {
  return [...new Set([...raw.matchAll(NAMED_BLOCK)].map(([, id]) => Number(id)))];
}

function isReusable(link: RemoteLink): boolean {
  return remoteTypeOf(link) === REUSABLE_BLOCK;
}

/** The places that show a reusable block, according to WordPress. */
async function usesOf(mirror: Mirror, { remoteId }: RemoteLink): Promise<{ entry: Entry; sectionId: string }[]> {
  const links = [...(await mirror.links('page')), ...(await mirror.links('post'))];
  const uses: { entry: Entry; sectionId: string }[] = [];
  // Most entries show no reusable block: only possible candidates are fully parsed.
  for (const link of links.filter(({ known }) => JSON.stringify(known).includes(`ref\\":${remoteId}`))) {
    const entry = await mirror.entry(link.localId);
    if (entry === null || entry.deletedAt !== null) continue;
    for (const { sectionId, raw } of knownEntryOf(link)?.blocks ?? [])
      if (blocksIn(raw).includes(remoteId)) uses.push({ entry, sectionId });
  }
  return uses;
}

/** References to an entry by pages that show it as a reusable block. */
export async function blockReferences(mirror: Mirror, entryId: string): Promise<Reference[]> {
  const link = await mirror.link(entryId);
  if (link === null || !isReusable(link)) return [];
  return (await usesOf(mirror, link)).map(({ entry: { id, type, draft, published }, sectionId }) => ({
    kind: 'block',
    from: { type, id, title: draft.title, sectionId },
    text: draft.title,
    isPublished: published !== null,
  }));
}

function named(titles: readonly string[]): string {
  const rest = titles.length - MAX_NAMED;
  return [...titles.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** For a reusable block, notes on where its changes will show; for another entry, which reusable blocks it shows. */
export async function reusableNotes(mirror: Mirror, link: RemoteLink | null): Promise<ServerText[]> {
  if (link === null) return [];
  if (isReusable(link)) {
    const uses = await usesOf(mirror, link);
    const titles = [...new Map(uses.map(({ entry }) => [entry.id, quotedTitle(entry.draft.title)])).values()];
    return titles.length === 0
      ? [serverText('wordpress-reusable-unused')]
      : [serverText('wordpress-reusable-shown', { titles: named(titles) })];
  }
  const shown: string[] = [];
  for (const remoteId of blocksIn((knownEntryOf(link)?.blocks ?? []).map(({ raw }) => raw).join('\n'))) {
    const block = await mirror.linkByRemote('post', remoteId);
    const entry = block && (await mirror.entry(block.localId));
    if (entry) shown.push(`${quotedTitle(entry.draft.title)} (${entry.id})`);
  }
  return shown.length === 0 ? [] : [serverText('wordpress-shows-reusable', { titles: named(shown) })];
}
