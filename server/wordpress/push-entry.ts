import { quotedTitle, summarizeOperations } from '#server/content/change-summary';
import { diffDocuments } from '#server/content/diff-documents';
import type { ContentReader } from '#server/content/embedded/content-store';
import { stateToJson } from '#server/content/embedded/entry-state';
import { absorbed, type RemoteState } from '#server/wordpress/absorb';
import { readAddressBook } from '#server/wordpress/address-book';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import { addressesBelow } from '#server/wordpress/changed-addresses';
import type { WordPressClient } from '#server/wordpress/client/wordpress-client';
import {
  type EntryPlan,
  keptHere,
  keptNote,
  planEntry,
  surroundingsOfDocument,
  surroundingsOfRemote,
  wantedOf,
} from '#server/wordpress/entry-plan';
import {
  type KnownEntry,
  knownEntryOf,
  knownToJson,
  type MirrorTransaction,
  type RemoteAddress,
  type RemoteLink,
  type SiteAccess,
} from '#server/wordpress/mirror';
import { type ReplacedPicture, withoutReplacedCover, withReplacements } from '#server/wordpress/push-asset';
import { type PushedTarget, recordExternal, type TouchedEntry } from '#server/wordpress/recorded-write';
import { readRemote } from '#server/wordpress/remote-document';
import type { EntryDocument, EntryType } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import { plainContext } from '#server/blocks/block-context';

/** Makes the calls of a plan. @returns what WordPress has then; null where there was nothing to do */
async function carryOut(
  { entries }: WordPressClient,
  type: EntryType,
  remoteId: number,
  plan: EntryPlan,
): Promise<RemoteEntry | null> {
  if (plan.create) return entries.create(type, plan.fields ?? {});
  if (plan.trash) return entries.trash(type, remoteId);
  const restored = plan.restore === null ? null : await entries.restore(type, remoteId, plan.restore);
  return plan.fields === null ? restored : entries.update(type, remoteId, plan.fields);
}

/** Notes on values that WordPress changed. */
function deviations(sent: RemoteState, made: RemoteState): string[] {
  const { document } = sent;
  const operations = diffDocuments(document, made.document);
  const others = operations.filter((operation) => !(operation.op === 'set' && operation.field === 'slug'));
  const isRenamed = others.length < operations.length;
  return [
    ...(isRenamed ? [`WordPress gave it the slug "${made.document.slug}": "${document.slug}" is taken there.`] : []),
    ...(others.length > 0 ? [`WordPress changed it: ${summarizeOperations(others, document)}.`] : []),
    ...(sent.status === made.status
      ? []
      : [`In WordPress ${quotedTitle(made.document.title)} is ${made.status} now, not ${sent.status}.`]),
  ];
}

/** State of an entry for which nothing had to be written. */
function knownAs(known: KnownEntry, { sections: _blocks, ...document }: EntryDocument): KnownEntry {
  return { ...known, document };
}

/** Writes what a change made of an entry to WordPress, and reads back what that made of it. */
export async function pushEntry(
  site: SiteAccess,
  { id, type, before, after }: TouchedEntry,
  newer: readonly RemoteAddress[],
  replaced: readonly ReplacedPicture[] = [],
): Promise<PushedTarget> {
  const { mirror, client, siteUrl, now } = site;
  const link = await mirror.link(id);
  const known = withoutReplacedCover(knownEntryOf(link), replaced);
  const book = await readAddressBook(mirror, siteUrl, newer);
  const sent = wantedOf(after);
  const world = await surroundingsOfDocument(book, sent.document, now());
  const plan = planEntry(type, after, known, world, withReplacements(known?.blocks ?? [], replaced));
  if (plan.fields?.parentRemoteId) await freeFromTrash(site, id, sent.document.parent);
  const remote = await carryOut(client, type, link?.remoteId ?? 0, plan);
  const remoteId = remote?.remoteId ?? link?.remoteId;
  const kept = after.deletedAt === null ? keptHere(type, before?.draft ?? null, after.draft, world.cover) : [];
  const slug = plan.fields?.slug ?? known?.slug ?? '';
  const { sections: _sections, ...document } = sent.document;
  const read =
    remote === null
      ? null
      : readRemote(remote, { slug, document, blocks: [...plan.blocks] }, await surroundingsOfRemote(book, remote));
  const wanted = read === null ? after : absorbed(after, sent.document, read.state, now());
  const corrected = JSON.stringify(stateToJson(wanted)) !== JSON.stringify(stateToJson(after));
  const below = remote === null || type === 'post' ? [] : await addressesBelow(site, known?.address ?? '', remote.link);
  const standing = read?.known ?? (known === null ? null : knownAs(known, sent.document));

  return {
    notes: [...keptNote(kept), ...(corrected && read !== null ? deviations(sent, read.state) : [])],
    corrected,
    addresses:
      remote === null ? [] : [{ kind: type, localId: id, remoteId: remote.remoteId, address: remote.link }, ...below],

    async settle(tx) {
      for (const row of below) await keepAddress(tx, row);
      if (standing === null || remoteId === undefined) return;
      const save = (state: KnownEntry) =>
        tx.saveLink({ kind: type, localId: id, remoteId, known: knownToJson(state), seenAt: now() });
      if (read === null || !corrected) return save(standing);
      const free = await withFreeSlug(tx, id, type, read);
      const state = absorbed(after, sent.document, free.state, now());
      await recordExternal(tx, { id, type, before: await tx.entry(id), after: state, now: now() });
      return save(free.known);
    },

    async putBack() {
      if (remote === null || standing === null) return;
      if (plan.create || before === null) return client.entries.remove(type, remote.remoteId);
      const former = await surroundingsOfDocument(book, wantedOf(before).document, now());
      await carryOut(client, type, remote.remoteId, planEntry(type, before, standing, former));
    },
  };
}

/** Keeps the new address of a page below one that moved. */
async function keepAddress(tx: MirrorTransaction, { localId, address }: RemoteAddress): Promise<void> {
  const link = await tx.link(localId);
  const known = knownEntryOf(link);
  if (link === null || known === null || address === null) return;
  await tx.saveLink({ ...link, known: knownToJson({ ...known, address }) });
}

/** A slug that no other live entry has: in WordPress pages below different pages can share one. */
async function freeSlug(reader: ContentReader, id: string, type: EntryType, slug: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? slug : `${slug}-${n}`;
    const owners = [await reader.entryBySlug(type, candidate), await reader.entryByPublishedSlug(type, candidate)];
    if (owners.every((owner) => owner === null || owner.id === id)) return candidate;
  }
}

/** An entry read from WordPress, with a slug that is free in the mirror. */
export async function withFreeSlug<Read extends { readonly state: RemoteState; readonly known: KnownEntry }>(
  reader: ContentReader,
  id: string,
  type: EntryType,
  read: Read,
): Promise<Pick<Read, 'state' | 'known'>> {
  const { state, known } = read;
  if (state.status === 'trashed') return read;
  const slug = await freeSlug(reader, id, type, state.document.slug);
  if (slug === state.document.slug) return read;
  return {
    state: { ...state, document: { ...state.document, slug } },
    known: { ...known, document: { ...known.document, slug } },
  };
}

/** The page in the trash by which, in WordPress, `parent` is still below `pageId`; null: it is not. */
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
async function freeFromTrash(site: SiteAccess, pageId: string, parent: string | undefined): Promise<void> {
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
