import { toJson } from '#server/core/json';
import { NO_SCHEDULE } from '#server/site/embedded/entry-state';
import { absorbed, documentOf, isAsKnown, readRemote } from '#server/wordpress/mirror/remote-document';
import { type AddressBook, readAddressBook } from '#server/wordpress/mirror/address-book';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import { keepPast } from '#server/wordpress/mirror/entry-history';
import { surroundingsOfRemote } from '#server/wordpress/mirror/entry-plan';
import {
  knownAssetOf,
  type KnownEntry,
  knownEntryOf,
  knownSettingsOf,
  type MirrorTransaction,
  type RemoteLink,
  remoteTypeOf,
  type SiteAccess,
} from '#server/wordpress/mirror/mirror';
import { withFreeSlug } from '#server/wordpress/push-entry';
import { EXTERNAL, recordExternal } from '#server/wordpress/record-external-change';
import type { EntryType } from '#server/core/site/content';
import { ForbiddenError, NotFoundError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { createHash } from 'node:crypto';
import { commitAsset } from '#server/site/embedded/assets';
import { type AssetState, assetStateOf, type StoredAsset } from '#server/site/embedded/asset-state';
import type { RemoteMedia } from '#server/wordpress/client/wordpress-client';
import { knownOfMedia } from '#server/wordpress/push-asset';
import { takeOverMenu } from '#server/wordpress/site-menu';
import { knownOfSettings, recordSettings } from '#server/wordpress/push-settings';
import { pictureExtensions } from '#server/core/limits';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/** Stores what was read from WordPress in the mirror. Returns whether the mirror has changed. */
type Keep = (tx: MirrorTransaction) => Promise<boolean>;

const nothing: Keep = async () => false;

/** Reads an entry of WordPress; null if it was permanently deleted. */
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

/**
 * True if the site currently shows nothing of an entry's kind, because its plugin is off. Such an entry is not changed.
 */
export async function isOfMissingKind({ client }: SiteAccess, link: RemoteLink): Promise<boolean> {
  const type = remoteTypeOf(link);
  return type !== link.kind && !(await client.entries.kinds(false)).some(({ slug }) => slug === type);
}

/** Prepares taking over WordPress's version of an entry; the transaction then waits for nothing but the database. */
async function prepareEntry(site: SiteAccess, listed: RemoteEntry, book: AddressBook): Promise<Keep> {
  const { mirror, now, secrets } = site;
  const { type, remoteId } = listed;
  const link = await mirror.linkByRemote(type, remoteId);
  const known = knownEntryOf(link);
  const isNews = known !== null && !isAsKnown(known, listed, secrets);
  // It may have been listed before our own last write; now no other process here is writing.
  const remote = isNews ? await remoteEntry(site, listed.kind?.slug ?? type, remoteId) : listed;
  if (remote === null) return nothing;
  const keepMark = (at: RemoteLink, state: KnownEntry) => (tx: MirrorTransaction) =>
    tx.saveLink({ ...at, known: toJson(state), seenAt: now() });
  if (link !== null && known !== null && isAsKnown(known, remote, secrets)) {
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
    // The state after our write is in the past now: an undo must not treat this change as ours.
    if (known !== null && (await tx.past(localId)).length > 0) await keepPast(tx, localId, known);
    await keepMark(at, free.known)(tx);
    const time = Math.min(remote.modifiedGmt || now(), now());
    const createdAt = remote.dateGmt === null ? time : Math.min(remote.dateGmt, time);
    const recorded = await recordExternal(tx, { id: localId, type, before, after, now: time, createdAt });
    return recorded !== null;
  };
}

/** Creates an id for an entry that was created in WordPress. */
export function newEntryId(type: EntryType): string {
  return createShortId(type === 'page' ? 'pag' : 'pos');
}

/**
 * Takes over WordPress's version of these entries, each with one change in the journal. No other process here may write
 * to the site during this time.
 * @returns number of entries that differed in the mirror
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

/**
 * Takes over that an entry was permanently deleted: here it is in the trash, and restoring it creates a new one in
 * WordPress.
 */
async function takeOverLoss({ mirror, now }: SiteAccess, localId: string): Promise<boolean> {
  return mirror.write(async (tx) => {
    const before = await tx.entry(localId);
    await tx.removeLink(localId);
    if (before === null || before.deletedAt !== null) return false;
    const after = { ...before, ...NO_SCHEDULE, deletedAt: now() };
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
  return isAsKnown(knownEntryOf(link), remote, site.secrets) ? false : (await takeOverEntries(site, [remote])) > 0;
}

/** Makes the next pull read an entry, regardless of its modification time. */
export async function forgetMark({ mirror }: SiteAccess, localId: string): Promise<void> {
  await mirror.write(async (tx) => {
    const link = await tx.link(localId);
    const known = knownEntryOf(link);
    if (link !== null && known !== null) await tx.saveLink({ ...link, known: toJson({ ...known, modified: 0 }) });
  });
}

/** Key for bytes that have not been downloaded: it changes with the address. */
function placeholderHash({ sourceUrl }: RemoteMedia): string {
  return createHash('sha256').update(sourceUrl).digest('hex');
}

function stateOfMedia(remote: RemoteMedia, before: AssetState | null): AssetState {
  return {
    hash: placeholderHash(remote),
    filename: remote.filename.slice(-100) || `picture.${pictureExtensions[remote.mediaType]}`,
    mediaType: remote.mediaType,
    // Old versions of WordPress do not report the size; no picture is this small.
    size: remote.size ?? 1,
    width: remote.width ?? 1,
    height: remote.height ?? 1,
    alt: remote.alt.replaceAll(/\s+/g, ' ').slice(0, 300),
    tags: before?.tags ?? [],
    deletedAt: before?.deletedAt ?? null,
  };
}

interface MediaChange {
  readonly id: string;
  readonly before: StoredAsset | null;
  readonly after: AssetState;
  readonly now: number;
}

async function recordMedia(tx: MirrorTransaction, { id, before, after, now }: MediaChange): Promise<boolean> {
  const isSame = before !== null && JSON.stringify(assetStateOf(before)) === JSON.stringify(assetStateOf(after));
  if (isSame) return false;
  const isGone = before !== null && before.deletedAt === null && after.deletedAt !== null;
  const action = before === null ? 'create' : isGone ? 'delete' : 'update';
  const summary = serverText('journal-wordpress-picture', { action, filename: shortTitle(after.filename) });
  await commitAsset(tx, { id, before, after, action, summary, origin: EXTERNAL, now });
  return true;
}

/**
 * Takes over pictures of WordPress's library, each with one change in the journal; their bytes are fetched on the first
 * request for them.
 * @returns number of pictures that differed in the mirror
 */
async function takeOverMedia({ mirror, now }: SiteAccess, remotes: readonly RemoteMedia[]): Promise<number> {
  const pictures = remotes.filter(({ mediaType }) => Object.hasOwn(pictureExtensions, mediaType));
  if (pictures.length === 0) return 0;
  return mirror.write(async (tx) => {
    let changed = 0;
    for (const remote of pictures) if (await keepPicture(tx, remote, now())) changed += 1;
    return changed;
  });
}

/**
 * The current state of a picture that was listed before our write, within the same second; null: it no longer exists.
 */
async function asItIs({ mirror, client }: SiteAccess, listed: RemoteMedia): Promise<RemoteMedia | null> {
  const known = knownAssetOf(await mirror.linkByRemote('asset', listed.remoteId));
  if (known?.modified !== listed.modifiedGmt) return listed;
  if (known.alt === listed.alt && known.address === listed.sourceUrl) return listed;
  try {
    return await client.media.get(listed.remoteId);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Takes over pictures that were listed while other processes here may have written to the site. */
export async function takeOverListedMedia(site: SiteAccess, listed: readonly RemoteMedia[]): Promise<number> {
  const remotes: RemoteMedia[] = [];
  for (const each of listed) {
    const remote = await asItIs(site, each);
    if (remote !== null) remotes.push(remote);
  }
  return takeOverMedia(site, remotes);
}

async function keepPicture(tx: MirrorTransaction, remote: RemoteMedia, now: number): Promise<boolean> {
  const { remoteId, sourceUrl, modifiedGmt, dateGmt } = remote;
  const link = await tx.linkByRemote('asset', remoteId);
  const known = knownAssetOf(link);
  const id = link?.localId ?? createShortId('ast');
  const before = await tx.asset(id);
  // The link of a replaced picture does not count as a separate picture, and we may have written after it was listed.
  if (link !== null && before === null) return false;
  const seenAt = known?.modified ?? 0;
  if (seenAt > modifiedGmt && seenAt <= now) return false;
  const isSameFile = known !== null && known.address === sourceUrl;
  const read = stateOfMedia(remote, before);
  const alt = known?.alt === remote.alt ? (before?.alt ?? read.alt) : read.alt;
  const after = isSameFile && before !== null ? { ...assetStateOf(before), alt } : read;
  const seen = toJson(knownOfMedia(remote, isSameFile ? known.hash : read.hash));
  await tx.saveLink({ kind: 'asset', localId: id, remoteId, known: seen, seenAt: now });
  const time = before === null ? Math.min(dateGmt ?? now, now) : now;
  return recordMedia(tx, { id, before, after, now: time });
}

/** Takes over that a file was permanently deleted. */
async function takeOverLostMedia({ mirror, now }: SiteAccess, localId: string): Promise<boolean> {
  return mirror.write(async (tx) => {
    const before = await tx.asset(localId);
    await tx.removeLink(localId);
    if (before === null || before.deletedAt !== null) return false;
    return recordMedia(tx, { id: localId, before, after: { ...before, deletedAt: now() }, now: now() });
  });
}

/** Reads one picture of WordPress and stores its differences. @returns whether the mirror has changed */
export async function takeOverPicture(site: SiteAccess, link: RemoteLink): Promise<boolean> {
  try {
    return (await takeOverMedia(site, [await site.client.media.get(link.remoteId)])) > 0;
  } catch (error) {
    if (error instanceof NotFoundError) return takeOverLostMedia(site, link.localId);
    throw error;
  }
}

/** Skips parts that the connected user is not allowed to see. */
async function unlessForbidden(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

/**
 * Takes over settings and menu, as far as the connected user may see them.
 * @param isFound see takeOverMenu
 */
export async function takeOverSite(site: SiteAccess, signal?: AbortSignal, isFound = false): Promise<void> {
  await unlessForbidden(() => takeOverSettings(site, signal));
  await unlessForbidden(() => takeOverMenu(site, signal, isFound));
}

/** Takes over the WordPress settings that we have, too. Returns whether the mirror has changed. */
export async function takeOverSettings({ mirror, client, now }: SiteAccess, signal?: AbortSignal): Promise<boolean> {
  const present = knownOfSettings(await client.settings.get(signal));
  const known = knownSettingsOf(await mirror.link('settings'));
  const isKnown =
    known?.title === present.title &&
    known.description === present.description &&
    known.frontPage === present.frontPage &&
    known.language === present.language;
  if (isKnown) return false;
  return mirror.write((tx) => recordSettings(tx, present, now()));
}
