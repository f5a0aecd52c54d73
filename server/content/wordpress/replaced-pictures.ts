import type { KnownSegment } from '#server/content/blocks/block-context';
import { linkedAsset } from '#server/content/site-links';
import { type KnownEntry, knownAssetOf } from '#server/content/wordpress/known-state';
import type { Mirror, RemoteAddress } from '#server/content/wordpress/mirror';
import type { TouchedTarget } from '#server/content/wordpress/recorded-write';

/** A picture that is another file in WordPress now. */
export interface ReplacedPicture {
  readonly assetId: string;
  readonly former: Pick<RemoteAddress, 'remoteId' | 'address'>;
  readonly latter: Pick<RemoteAddress, 'remoteId' | 'address'>;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** An address of a picture and those of its sizes. */
function addressesOf(address: string): RegExp {
  const [, stem = address, ending = ''] = /^(.*?)(?:-scaled)?(\.\w+)$/.exec(address) ?? [];
  return new RegExp(String.raw`${escaped(stem)}(?:-\d+x\d+|-scaled)?${escaped(ending)}`, 'g');
}

function replaceIn(raw: string, { former, latter }: ReplacedPicture): string {
  if (former.address === null || latter.address === null) return raw;
  const replaced = raw.replaceAll(addressesOf(former.address), latter.address);
  if (replaced === raw) return raw;
  return replaced
    .replaceAll(new RegExp(String.raw`\bwp-image-${former.remoteId}\b`, 'g'), `wp-image-${latter.remoteId}`)
    .replaceAll(new RegExp(String.raw`"id":${former.remoteId}\b`, 'g'), `"id":${latter.remoteId}`);
}

/** Blocks with the new file in the place of the old one; all else in them stays as it is. */
export function withReplacements(
  blocks: readonly KnownSegment[],
  replaced: readonly ReplacedPicture[],
): readonly KnownSegment[] {
  if (replaced.length === 0) return blocks;
  return blocks.map((block) => ({ ...block, raw: replaced.reduce(replaceIn, block.raw) }));
}

/** So that a cover that was replaced is written again. */
export function withoutReplacedCover(
  known: KnownEntry | null,
  replaced: readonly ReplacedPicture[],
): KnownEntry | null {
  const cover = known?.document.image === undefined ? null : linkedAsset(known.document.image);
  if (known === null || !replaced.some(({ assetId }) => assetId === cover)) return known;
  const { image: _image, ...document } = known.document;
  return { ...known, document };
}

/** The entries that show a picture whose bytes a write changes, and that it does not touch otherwise. */
export async function entriesShowing(mirror: Mirror, targets: readonly TouchedTarget[]): Promise<TouchedTarget[]> {
  const replaced = targets.filter(
    (target) => target.kind === 'asset' && target.before !== null && target.before.hash !== target.after.hash,
  );
  if (replaced.length === 0) return [];
  const marks = replaced.map(({ id }) => `/media/${id}/`);
  for (const { id } of replaced) {
    const address = knownAssetOf(await mirror.link(id))?.address;
    // Where it stands in markup that we do not know; its sizes are called after it.
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
