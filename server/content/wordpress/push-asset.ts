import type { AssetState } from '#server/content/embedded/asset-state';
import { replacedLinkId } from '#server/content/wordpress/address-book';
import type { RemoteMedia } from '#server/content/wordpress/client/remote-media';
import { type KnownAsset, knownAssetOf, knownToJson } from '#server/content/wordpress/known-state';
import type { PushedTarget } from '#server/content/wordpress/pushed-target';
import type { KeptFiles, TouchedTarget } from '#server/content/wordpress/recorded-write';
import type { SiteAccess } from '#server/content/wordpress/site-access';
import { NotFoundError } from '#server/core/errors';

type TouchedAsset = Extract<TouchedTarget, { kind: 'asset' }>;

/** What WordPress has no place for. */
function notesOf(before: AssetState | null, after: AssetState): string[] {
  const isTrashed = after.deletedAt !== null && before?.deletedAt === null;
  const isTagged = JSON.stringify(after.tags) !== JSON.stringify(before?.tags ?? []);
  const isRenamed = before !== null && before.filename !== after.filename && before.hash === after.hash;
  return [
    ...(isTrashed ? ['WordPress has no trash for pictures: the file stays in its library.'] : []),
    ...(isTagged ? ['WordPress has no tags for pictures: they are only kept here.'] : []),
    ...(isRenamed ? ['WordPress cannot rename files: the new name is only kept here.'] : []),
  ];
}

export function knownOfMedia({ modifiedGmt, sourceUrl, alt }: RemoteMedia, hash: string): KnownAsset {
  return { modified: modifiedGmt, hash, address: sourceUrl, alt };
}

async function bytesOf({ mirror }: SiteAccess, hash: string, files: KeptFiles): Promise<Uint8Array> {
  const data = files.get(hash) ?? (await mirror.assetFile(hash, 'full'));
  if (data === null) throw new NotFoundError('file', hash.slice(0, 16));
  return data;
}

/** Writes what a change made of a picture to WordPress: new bytes are a new file there. */
export async function pushAsset(
  site: SiteAccess,
  { id, before, after }: TouchedAsset,
  files: KeptFiles,
): Promise<PushedTarget> {
  const { mirror, client, now } = site;
  const link = await mirror.link(id);
  const known = knownAssetOf(link);
  const isLive = after.deletedAt === null;
  const isNew = isLive && known?.hash !== after.hash;
  const isDescribed = isLive && !isNew && known?.alt !== after.alt;
  const remote = isNew
    ? await client.media.upload(await bytesOf(site, after.hash, files), after.filename, after.mediaType, {
        alt: after.alt,
      })
    : isDescribed && link !== null
      ? await client.media.update(link.remoteId, { alt: after.alt })
      : null;

  return {
    notes: notesOf(before, after),
    corrected: false,
    addresses:
      remote === null ? [] : [{ kind: 'asset', localId: id, remoteId: remote.remoteId, address: remote.sourceUrl }],

    async settle(tx) {
      if (remote === null) return;
      const seenAt = now();
      const { remoteId } = remote;
      await tx.saveLink({
        kind: 'asset',
        localId: id,
        remoteId,
        known: knownToJson(knownOfMedia(remote, after.hash)),
        seenAt,
      });
      if (link === null || link.remoteId === remoteId) return;
      await tx.saveLink({ ...link, localId: replacedLinkId(id, link.remoteId) });
    },

    async putBack() {
      if (remote === null) return;
      if (isNew) return client.media.remove(remote.remoteId);
      await client.media.update(remote.remoteId, { alt: known?.alt ?? '' });
    },
  };
}
