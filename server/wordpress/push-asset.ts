import { toJson } from '#server/core/json';
import type { AssetState } from '#server/site/embedded/asset-state';
import { linkedAsset } from '#server/site/entry-links';
import { replacedLinkId } from '#server/wordpress/mirror/address-book';
import type { RemoteMedia } from '#server/wordpress/client/wordpress-client';
import {
  type KnownAsset,
  knownAssetOf,
  type KnownEntry,
  type Mirror,
  type SiteAccess,
  type RemotePlace,
} from '#server/wordpress/mirror/mirror';
import type { KeptFiles, PushedTarget, TouchedTarget } from '#server/wordpress/mirror/recorded-write';
import { NotFoundError } from '#server/core/errors';
import type { KnownSegment } from '#server/wordpress/blocks/read-segments';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

type TouchedAsset = Extract<TouchedTarget, { kind: 'asset' }>;

/** Notes on values that WordPress cannot store. */
function notesOf(before: AssetState | null, after: AssetState): ServerText[] {
  const isTrashed = after.deletedAt !== null && before?.deletedAt === null;
  const isTagged = JSON.stringify(after.tags) !== JSON.stringify(before?.tags ?? []);
  const isRenamed = before !== null && before.filename !== after.filename && before.hash === after.hash;
  return [
    ...(isTrashed ? [serverText('wordpress-no-trash-for-pictures')] : []),
    ...(isTagged ? [serverText('wordpress-no-picture-tags')] : []),
    ...(isRenamed ? [serverText('wordpress-no-renamed-files')] : []),
  ];
}

/** What the mirror remembers of a picture in WordPress, to recognize later changes. `hash`: of its bytes. */
export function knownOfMedia({ modifiedGmt, sourceUrl, alt }: RemoteMedia, hash: string): KnownAsset {
  return { modified: modifiedGmt, hash, address: sourceUrl, alt };
}

async function bytesOf({ mirror }: SiteAccess, hash: string, files: KeptFiles): Promise<Uint8Array> {
  const data = files.get(hash) ?? (await mirror.assetFile(hash, 'full'));
  if (data === null) throw new NotFoundError('file', hash.slice(0, 16));
  return data;
}

/** Writes a change of a picture to WordPress: new bytes become a new file there. */
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
        known: toJson(knownOfMedia(remote, after.hash)),
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

/** A picture that is a different file in WordPress now. */
export interface ReplacedPicture {
  readonly assetId: string;
  readonly former: RemotePlace;
  readonly latter: RemotePlace;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** Matches an address of a picture and those of its sizes. */
function addressesOf(address: string): RegExp {
  const [, stem = address, ending = ''] = /^(.*?)(?:-scaled)?(\.\w+)$/.exec(address) ?? [];
  return new RegExp(String.raw`${escaped(stem)}(?:-\d+x\d+|-scaled)?${escaped(ending)}`, 'g');
}

/** A list of ids (`12, 13`) in which the new one replaces the old one. */
function inIds(ids: string, { former, latter }: ReplacedPicture): string {
  return ids.replaceAll(/\d+/g, (id) => (Number(id) === former.remoteId ? String(latter.remoteId) : id));
}

/** `[gallery ids="12,13"]` refers to its pictures by their ids only. */
function inGalleries(raw: string, picture: ReplacedPicture): string {
  return raw.replaceAll(/\[gallery\b[^\]]{0,5000}\]/g, (shortcode) =>
    shortcode.replaceAll(
      /\b(ids|include|exclude)=(["']?)([\d,\s]*\d)/g,
      (_, name: string, quote: string, ids: string) => `${name}=${quote}${inIds(ids, picture)}`,
    ),
  );
}

function replaceIn(source: string, picture: ReplacedPicture): string {
  const { former, latter } = picture;
  if (former.address === null || latter.address === null) return source;
  const raw = inGalleries(source, picture);
  const replaced = raw.replaceAll(addressesOf(former.address), latter.address);
  if (replaced === raw) return raw;
  return replaced
    .replaceAll(new RegExp(String.raw`\bwp-image-${former.remoteId}\b`, 'g'), `wp-image-${latter.remoteId}`)
    .replaceAll(new RegExp(String.raw`"(id|mediaId)":${former.remoteId}\b`, 'g'), `"$1":${latter.remoteId}`)
    .replaceAll(new RegExp(String.raw`\bdata-id="${former.remoteId}"`, 'g'), `data-id="${latter.remoteId}"`)
    .replaceAll(/"ids":\[([\d,\s]*)\]/g, (_, ids: string) => `"ids":[${inIds(ids, picture)}]`);
}

/** Blocks in which the new file replaces the old one, otherwise unchanged. */
export function withReplacements(
  blocks: readonly KnownSegment[],
  replaced: readonly ReplacedPicture[],
): readonly KnownSegment[] {
  if (replaced.length === 0) return blocks;
  return blocks.map((block) => ({ ...block, raw: replaced.reduce(replaceIn, block.raw) }));
}

/** Removes a replaced cover from the known state, so that it is written again. */
export function withoutReplacedCover(
  known: KnownEntry | null,
  replaced: readonly ReplacedPicture[],
): KnownEntry | null {
  const cover = known?.document.image === undefined ? null : linkedAsset(known.document.image);
  if (known === null || !replaced.some(({ assetId }) => assetId === cover)) return known;
  const { image: _image, ...document } = known.document;
  return { ...known, document };
}

/** The entries that show a picture whose bytes a write changes, and that the write does not change itself. */
export async function entriesShowing(mirror: Mirror, targets: readonly TouchedTarget[]): Promise<TouchedTarget[]> {
  const replaced = targets.filter(
    (target) => target.kind === 'asset' && target.before !== null && target.before.hash !== target.after.hash,
  );
  if (replaced.length === 0) return [];
  const marks = replaced.map(({ id }) => `/media/${id}/`);
  for (const { id } of replaced) {
    const address = knownAssetOf(await mirror.link(id))?.address;
    // Finds it in markup that we do not understand; the names of its sizes begin with its own.
    if (address !== undefined) marks.push(address.replace(/(?:-scaled)?\.\w+$/, ''));
  }
  const links = [...(await mirror.links('page')), ...(await mirror.links('post'))];
  const showing = links.filter(({ known }) => marks.some((mark) => JSON.stringify(known).includes(mark)));
  const shown: TouchedTarget[] = [];
  for (const { localId } of showing) {
    const entry = targets.some(({ id }) => id === localId) ? null : await mirror.entry(localId);
    if (entry !== null) shown.push({ kind: 'entry', id: localId, type: entry.type, before: entry, after: entry });
  }
  return shown;
}
