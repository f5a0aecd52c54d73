import { createHash } from 'node:crypto';
import { quotedTitle } from '#server/content/change-summary';
import { commitAsset } from '#server/content/embedded/assets';
import { type AssetState, assetStateOf, type StoredAsset } from '#server/content/embedded/content-store';
import type { RemoteMedia } from '#server/wordpress/client/remote-site-parts';
import {
  knownAssetOf,
  knownSettingsOf,
  knownToJson,
  type MirrorTransaction,
  type RemoteLink,
  type SiteAccess,
} from '#server/wordpress/mirror';
import { knownOfMedia } from '#server/wordpress/push-asset';
import { takeOverMenu } from '#server/wordpress/site-menu';
import { knownOfSettings, recordSettings } from '#server/wordpress/push-settings';
import { EXTERNAL } from '#server/wordpress/recorded-write';
import { ForbiddenError, NotFoundError } from '#server/core/errors';
import { pictureExtensions } from '#server/core/limits';
import { createShortId } from '#server/core/ids';

/** Key of bytes that have not been downloaded: it changes with the address. */
function placeholderHash({ sourceUrl }: RemoteMedia): string {
  return createHash('sha256').update(sourceUrl).digest('hex');
}

function stateOfMedia(remote: RemoteMedia, before: AssetState | null): AssetState {
  return {
    hash: placeholderHash(remote),
    filename: remote.filename.slice(-100) || `picture.${pictureExtensions[remote.mediaType]}`,
    mediaType: remote.mediaType,
    // Old versions of WordPress do not tell: nothing is that small.
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
  const [action, done] =
    before === null
      ? (['create', 'Added'] as const)
      : isGone
        ? (['delete', 'Deleted'] as const)
        : (['update', 'Changed'] as const);
  const summary = `${done} the picture ${quotedTitle(after.filename)} in WordPress`;
  await commitAsset(tx, { id, before, after, action, summary, origin: EXTERNAL, now });
  return true;
}

/**
 * Takes over pictures of WordPress's library, each by one change of the journal; their bytes are fetched when they are
 * first asked for.
 * @returns how many of them the mirror had otherwise
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

/** The current state of a picture that was listed before we wrote it, within the same second; null: it is gone. */
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

/** As `takeOverMedia`, of pictures that were listed while others here may have written to the site. */
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
  // The link of a picture that was replaced is no picture of its own; and we may have written after it was listed.
  if (link !== null && before === null) return false;
  const seenAt = known?.modified ?? 0;
  if (seenAt > modifiedGmt && seenAt <= now) return false;
  const isSameFile = known !== null && known.address === sourceUrl;
  const read = stateOfMedia(remote, before);
  const alt = known?.alt === remote.alt ? (before?.alt ?? read.alt) : read.alt;
  const after = isSameFile && before !== null ? { ...assetStateOf(before), alt } : read;
  const seen = knownToJson(knownOfMedia(remote, isSameFile ? known.hash : read.hash));
  await tx.saveLink({ kind: 'asset', localId: id, remoteId, known: seen, seenAt: now });
  const time = before === null ? Math.min(dateGmt ?? now, now) : now;
  return recordMedia(tx, { id, before, after, now: time });
}

/** Takes over that a file is gone for good. */
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
 * Takes over settings and menu, as far as the user whom we act as may see them.
 * @param isFound see takeOverMenu
 */
export async function takeOverSite(site: SiteAccess, signal?: AbortSignal, isFound = false): Promise<void> {
  await unlessForbidden(() => takeOverSettings(site, signal));
  await unlessForbidden(() => takeOverMenu(site, signal, isFound));
}

/** Takes over the settings of WordPress that we have too. Gives whether the mirror has changed. */
export async function takeOverSettings({ mirror, client, now }: SiteAccess, signal?: AbortSignal): Promise<boolean> {
  const present = knownOfSettings(await client.settings.get(signal));
  const known = knownSettingsOf(await mirror.link('settings'));
  const isKnown =
    known?.title === present.title &&
    known.description === present.description &&
    known.frontPage === present.frontPage;
  if (isKnown) return false;
  return mirror.write((tx) => recordSettings(tx, present, now()));
}
