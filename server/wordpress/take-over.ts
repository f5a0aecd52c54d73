import { NO_PLAN } from '#server/content/embedded/entry-state';
import { absorbed } from '#server/wordpress/absorb';
import { type AddressBook, readAddressBook } from '#server/wordpress/address-book';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import { keepPast } from '#server/wordpress/entry-past';
import { surroundingsOfRemote } from '#server/wordpress/entry-plan';
import {
  type KnownEntry,
  knownEntryOf,
  knownToJson,
  type MirrorTransaction,
  type RemoteLink,
  remoteTypeOf,
  type SiteAccess,
} from '#server/wordpress/mirror';
import { withFreeSlug } from '#server/wordpress/push-entry';
import { recordExternal } from '#server/wordpress/recorded-write';
import { documentOf, hashOf, readRemote } from '#server/wordpress/remote-document';
import type { EntryType } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';

/** Keeps in the mirror what was read of WordPress. Gives whether the mirror has changed. */
type Keep = (tx: MirrorTransaction) => Promise<boolean>;

const nothing: Keep = async () => false;

/** Reads an entry of WordPress; null where it was deleted for good. */
export async function remoteEntry(
  { client }: SiteAccess,
  type: string,
  remoteId: number,
  signal?: AbortSignal,
): Promise<RemoteEntry | null> {
  try {
    return await client.entries.get(type, remoteId, signal);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Tells whether the site shows nothing of an entry's kind at present: its plugin is off. Such an entry stays as it was. */
export async function isOfMissingKind({ client }: SiteAccess, link: RemoteLink): Promise<boolean> {
  const type = remoteTypeOf(link);
  return type !== link.kind && !(await client.entries.kinds(false)).some(({ slug }) => slug === type);
}

/** Tells whether an entry of WordPress is unchanged since it was last read. */
export function isAsKnown(link: RemoteLink, remote: RemoteEntry | null): boolean {
  return remote !== null && knownEntryOf(link)?.hash === hashOf(remote);
}

/** Prepares taking over what WordPress has of an entry; the transaction then waits for nothing but the database. */
async function prepareEntry(site: SiteAccess, listed: RemoteEntry, book: AddressBook): Promise<Keep> {
  const { mirror, now, secrets } = site;
  const { type, remoteId } = listed;
  const link = await mirror.linkByRemote(type, remoteId);
  const known = knownEntryOf(link);
  const isNews = known !== null && known.hash !== hashOf(listed);
  // It may have been listed before we ourselves wrote it: now nobody else here does.
  const remote = isNews ? await remoteEntry(site, listed.kind?.slug ?? type, remoteId) : listed;
  if (remote === null) return nothing;
  const keepMark = (at: RemoteLink, state: KnownEntry) => (tx: MirrorTransaction) =>
    tx.saveLink({ ...at, known: knownToJson(state), seenAt: now() });
  if (link !== null && known !== null && known.hash === hashOf(remote)) {
    const same = { ...known, modified: remote.modifiedGmt, address: remote.link };
    return async (tx) => {
      await keepMark(link, same)(tx);
      return false;
    };
  }
  const read = readRemote(remote, known, await surroundingsOfRemote(book, remote, secrets));
  const localId = link?.localId ?? newEntryId(type);
  return async (tx) => {
    const before = await tx.entry(localId);
    const free = await withFreeSlug(tx, localId, type, read);
    const base = known === null ? null : documentOf(known);
    const after = absorbed(before, base, free.state, now());
    const at = { kind: type, localId, remoteId, known: null, seenAt: now() };
    // What we made of it is past now: an undo must not take this change for ours.
    if (known !== null && (await tx.past(localId)).length > 0) await keepPast(tx, localId, known);
    await keepMark(at, free.known)(tx);
    const time = Math.min(remote.modifiedGmt || now(), now());
    const createdAt = remote.dateGmt === null ? time : Math.min(remote.dateGmt, time);
    const recorded = await recordExternal(tx, { id: localId, type, before, after, now: time, createdAt });
    return recorded !== null;
  };
}

export function newEntryId(type: EntryType): string {
  return createShortId(type === 'page' ? 'pag' : 'pos');
}

/**
 * Takes over what WordPress has of these entries, each by one change of the journal. Nobody else here may write to the
 * site meanwhile.
 * @returns how many of them the mirror had otherwise
 */
export async function takeOverEntries(site: SiteAccess, remotes: readonly RemoteEntry[]): Promise<number> {
  if (remotes.length === 0) return 0;
  const book = await readAddressBook(site.mirror, site.siteUrl);
  const keeps: Keep[] = [];
  for (const remote of remotes) keeps.push(await prepareEntry(site, remote, book));
  return site.mirror.write(async (tx) => {
    let changed = 0;
    for (const keep of keeps) if (await keep(tx)) changed += 1;
    return changed;
  });
}

/** Takes over that an entry is gone for good: here it is in the trash, and comes back as a new one there. */
async function takeOverLoss({ mirror, now }: SiteAccess, localId: string): Promise<boolean> {
  return mirror.write(async (tx) => {
    const before = await tx.entry(localId);
    await tx.removeLink(localId);
    if (before === null || before.deletedAt !== null) return false;
    const after = { ...before, ...NO_PLAN, deletedAt: now() };
    await recordExternal(tx, { id: localId, type: before.type, before, after, now: now() });
    return true;
  });
}

/** Reads one entry of WordPress and stores its differences. @returns whether the mirror has changed */
export async function takeOverEntry(site: SiteAccess, localId: string): Promise<boolean> {
  const link = await site.mirror.link(localId);
  if (link === null || (link.kind !== 'page' && link.kind !== 'post')) return false;
  if (await isOfMissingKind(site, link)) return false;
  const remote = await remoteEntry(site, remoteTypeOf(link), link.remoteId);
  if (remote === null) return takeOverLoss(site, localId);
  return isAsKnown(link, remote) ? false : (await takeOverEntries(site, [remote])) > 0;
}

/** Makes the next pull look at an entry, whatever its time says. */
export async function forgetMark({ mirror }: SiteAccess, localId: string): Promise<void> {
  await mirror.write(async (tx) => {
    const link = await tx.link(localId);
    const known = knownEntryOf(link);
    if (link !== null && known !== null) await tx.saveLink({ ...link, known: knownToJson({ ...known, modified: 0 }) });
  });
}
