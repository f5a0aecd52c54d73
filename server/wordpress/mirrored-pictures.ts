import { knownAssetOf, type Mirror, type SiteAccess } from '#server/wordpress/mirror/mirror';
import type { PreparePicture } from '#server/core/site/prepared-picture';
import { MAX_PICTURE_BYTES } from '#server/core/limits';

/**
 * Reads the bytes of pictures in the mirror. Those that are not stored yet are downloaded from WordPress and stored on
 * the first request.
 */
export function createFileReader(
  { mirror, client, now }: SiteAccess,
  preparePicture: PreparePicture | undefined,
): Mirror['assetFile'] {
  const fetching = new Map<string, Promise<void>>();

  async function fetchFile(hash: string): Promise<void> {
    const link = await mirror.linkByHash(hash);
    const known = knownAssetOf(link);
    if (known === null || preparePicture === undefined) return;
    const bytes = await client.media.download({ sourceUrl: known.address }, MAX_PICTURE_BYTES);
    const { data, thumbnail } = await preparePicture(bytes, known.address.split('/').at(-1) ?? 'picture');
    await mirror.write((tx) => tx.keepAssetFile({ hash, data, thumbnail }, now()));
  }

  return async (hash, size) => {
    const kept = await mirror.assetFile(hash, size);
    if (kept !== null) return kept;
    const fetched = fetching.get(hash) ?? fetchFile(hash).finally(() => fetching.delete(hash));
    fetching.set(hash, fetched);
    await fetched;
    return mirror.assetFile(hash, size);
  };
}
