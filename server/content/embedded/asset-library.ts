import type { AssetLibrary } from '#server/content/content-backend';
import { assetStateFromJson, servedName, toAsset } from '#server/content/embedded/asset-state';
import { addAsset, replaceAsset, restoreAsset, trashAsset, updateAsset } from '#server/content/embedded/asset-writes';
import type { ContentStore } from '#server/content/embedded/content-store';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import { createPublishedPictures } from '#server/content/embedded/published-pictures';
import type { ChangeOrigin } from '#server/core/content';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import type { FetchPicture, PreparePicture } from '#server/core/pictures';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** What the library needs for bytes. */
export interface PictureSources {
  /** Without it there is no media library. */
  readonly preparePicture?: PreparePicture;
  /** Without it none is fetched from elsewhere. */
  readonly fetchPicture?: FetchPicture;
  /** Index of the site's published pictures, shared by all libraries over one store. Default: one of its own. */
  readonly isPublished?: (id: string) => Promise<boolean>;
}

const noPictures: PreparePicture = () => {
  throw new InvalidInputError('This site has no media library.');
};
const noFetching: FetchPicture = () => {
  throw new InvalidInputError('This site fetches no pictures from elsewhere.');
};

/**
 * The media library in our own database. Pictures are looked at before the transaction: nothing waits for a decoder
 * while it holds the one connection that writes.
 */
export function createAssetLibrary(
  store: ContentStore,
  {
    preparePicture = noPictures,
    fetchPicture = noFetching,
    isPublished = createPublishedPictures(store),
  }: PictureSources,
  by: (origin: ChangeOrigin) => WriteContext,
): AssetLibrary {
  const stored = async (id: string) => {
    const asset = await store.asset(id);
    if (asset === null) throw new NotFoundError('picture', id.slice(0, 80));
    return asset;
  };
  return {
    async list({ limit = DEFAULT_LIMIT, ...query }) {
      const page = await store.listAssets({ ...query, limit: Math.max(1, Math.min(limit, MAX_LIMIT)) });
      return { ...page, items: page.items.map(toAsset) };
    },
    get: async (id) => toAsset(await stored(id)),
    async isServedAs(id, name) {
      if (servedName(await stored(id)) === name) return true;
      const states = (await store.journalOf(id)).map(({ after }) => assetStateFromJson(after));
      return states.some((state) => state !== null && servedName(state) === name);
    },
    isPublished,
    async read(id, size) {
      const asset = await stored(id);
      const data = await store.assetFile(asset.hash, size);
      if (data === null) throw new NotFoundError('picture', id);
      return { asset: toAsset(asset), mediaType: size === 'thumb' ? 'image/webp' : asset.mediaType, data };
    },
    download: async (address, signal) => fetchPicture(address, signal),
    async add({ data, ...details }, origin) {
      const picture = await preparePicture(data, details.filename);
      return store.write((tx) => addAsset(tx, picture, details, by(origin)));
    },
    update: (id, patch, origin) => store.write((tx) => updateAsset(tx, id, patch, by(origin))),
    async replace(id, { data, filename }, origin) {
      const picture = await preparePicture(data, filename);
      return store.write((tx) => replaceAsset(tx, id, picture, by(origin)));
    },
    trash: (id, origin) => store.write((tx) => trashAsset(tx, id, by(origin))),
    restore: (id, origin) => store.write((tx) => restoreAsset(tx, id, by(origin))),
  };
}
