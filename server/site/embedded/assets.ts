import { createFreeShortId } from '#server/core/ids';
import { createPublishedPictures, type IsPublished } from '#server/site/embedded/published-pictures';
import type { ContentSetup } from '#server/site/embedded/content-setup';
import type { AssetChange, AssetLibrary, NewAsset } from '#server/site/asset-library';
import {
  type ContentStore,
  type ContentTransaction,
  type WriteContext,
  newChange,
} from '#server/site/embedded/content-store';
import {
  type AssetState,
  assetStateFromJson,
  assetStateOf,
  assetStateToJson,
  servedName,
  type StoredAsset,
  toAsset,
  versionOf,
} from '#server/site/embedded/asset-state';
import type { ChangeAction, WriteOptions } from '#server/core/site/changes';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { FetchPicture, Picture, PreparePicture } from '#server/core/site/prepared-picture';
import { pictureExtensions } from '#server/core/limits';
import { stretch, shortTitle } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import { type AssetDetails, checkAssetDetails } from '#server/site/asset-details';
import type { SiteWriter } from '#server/site/embedded/site-writer';
import type { ServerText } from '#server/core/coded-message';
import { fieldText } from '#server/core/site/field-names';
import { sameJson } from '#server/core/json';
import { requireRevision } from '#server/site/concurrent-changes';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Limit for one site: at the maximum of 10 MB each, these pictures take half a terabyte of the database's disk. */
const MAX_PICTURES = 50_000;

/** What a media library needs in addition to the store. */
export interface LibraryOptions extends ContentSetup {
  /** Index of the site's published pictures, shared by all libraries over one store. Default: a separate index. */
  readonly isPublished?: IsPublished;
  /** Largest number of pictures in the library, including those in the trash. Default 50,000. */
  readonly maxPictures?: number;
}

const noPictures: PreparePicture = () => {
  throw new InvalidInputError(serverText('no-media-library'));
};
const noFetching: FetchPicture = () => {
  throw new InvalidInputError(serverText('no-pictures-by-address'));
};

/**
 * The media library of the built-in site. Pictures are decoded before the transaction, because a transaction occupies the
 * only connection that writes.
 */
export function createAssetLibrary(
  store: ContentStore,
  {
    preparePicture = noPictures,
    fetchPicture = noFetching,
    checkAddress = () => undefined,
    isPublished = createPublishedPictures(store),
    maxPictures = MAX_PICTURES,
  }: LibraryOptions,
  writer: SiteWriter,
): AssetLibrary {
  const stored = async (id: string) => {
    const asset = await store.asset(id);
    if (asset === null) throw new NotFoundError('picture', id.slice(0, 80));
    return asset;
  };
  const statesOf = async (id: string) => (await store.journalOf(id)).map(({ after }) => assetStateFromJson(after));
  const storedAs = async (id: string, version: string | undefined): Promise<StoredAsset> => {
    const asset = await stored(id);
    if (version === undefined || versionOf(asset) === version) return asset;
    const former = (await statesOf(id)).findLast((state) => state !== null && versionOf(state) === version);
    if (!former) throw new NotFoundError('picture', id);
    return { ...asset, ...former };
  };
  return {
    async list({ limit = DEFAULT_LIMIT, ...query }) {
      const page = await store.listAssets({ ...query, limit: Math.max(1, Math.min(limit, MAX_LIMIT)) });
      return { ...page, items: page.items.map(toAsset) };
    },
    get: async (id, version) => toAsset(await storedAs(id, version)),
    async isServedAs(id, name) {
      if (servedName(await stored(id)) === name) return true;
      return (await statesOf(id)).some((state) => state !== null && servedName(state) === name);
    },
    isPublished,
    async read(id, size, version) {
      const asset = await storedAs(id, version);
      const data = await store.assetFile(asset.hash, size);
      if (data === null) throw new NotFoundError('picture', id);
      return { asset: toAsset(asset), mediaType: size === 'thumb' ? 'image/webp' : asset.mediaType, data };
    },
    checkAddress,
    download: async (address, signal) => fetchPicture(address, signal),
    async add({ data, ...details }, origin, options) {
      await requireCapacity(store, maxPictures);
      const picture = await preparePicture(data, details.filename);
      return writer.write((tx, context) => addAsset(tx, picture, details, context), origin, options);
    },
    update: (id, patch, origin, options) =>
      writer.write((tx, context) => updateAsset(tx, id, patch, context, options), origin, options),
    async replace(id, { data, filename }, origin, options) {
      const picture = await preparePicture(data, filename);
      return writer.write((tx, context) => replaceAsset(tx, id, picture, context, options), origin, options);
    },
    trash: (id, origin, options) =>
      writer.write((tx, context) => trashAsset(tx, id, context, options), origin, options),
    restore: (id, origin, options) =>
      writer.write((tx, context) => restoreAsset(tx, id, context, options), origin, options),
  };
}

/**
 * Limits the number of pictures, including those in the trash, whose bytes are kept. Called before a picture is
 * decoded, so a few that are added at the same time may exceed the limit.
 * @throws ConflictError
 */
async function requireCapacity(store: ContentStore, limit: number): Promise<void> {
  if (limit === Infinity || (await store.countAssets()) < limit) return;
  throw new ConflictError(serverText('media-library-full', { limit }), { details: { limit } });
}

/** One write to an asset, decided but not yet stored. */
interface AssetWrite extends WriteContext {
  readonly id: string;
  /** Null if the asset is new. */
  readonly before: StoredAsset | null;
  readonly after: AssetState;
  readonly action: ChangeAction;
  readonly summary: ServerText;
}

/** Stores the new state and its journal entry. */
export async function commitAsset(tx: ContentTransaction, write: AssetWrite): Promise<AssetChange> {
  const { id, before, after, now } = write;
  const revision = (before?.revision ?? 0) + 1;
  const asset: StoredAsset = {
    ...assetStateOf(after),
    id,
    revision,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  const change = await newChange(tx, {
    targetType: 'asset',
    targetId: id,
    slug: null,
    title: asset.filename,
    revision,
    action: write.action,
    operations: [],
    inverse: [],
    summary: write.summary,
    origin: write.origin,
    createdAt: now,
  });
  await tx.saveAsset(asset);
  await tx.addJournalEntry({
    change,
    before: before === null ? null : assetStateToJson(before),
    after: assetStateToJson(after),
  });
  return { asset: toAsset(asset), change };
}

function fileOf({ hash, mediaType, width, height, data }: Picture) {
  return { hash, mediaType, size: data.length, width, height };
}

/** The filename with the extension of its media type, regardless of its original extension. */
function withExtension(filename: string, mediaType: string): string {
  const ending = pictureExtensions[mediaType] ?? '';
  const isNamedSo = filename.toLowerCase().endsWith(`.${ending}`) || (ending === 'jpg' && /\.jpeg$/i.test(filename));
  if (isNamedSo) return filename;
  const base = stretch(filename.replace(/\.[a-z0-9]{1,5}$/i, ''), 0, 94);
  return `${base || 'picture'}.${ending}`;
}

/** @throws NotFoundError; ConflictError if it is no longer at revision `ifRevision` */
async function presentAsset(tx: ContentTransaction, id: string, options: WriteOptions = {}): Promise<StoredAsset> {
  const asset = await tx.asset(id);
  if (asset === null) throw new NotFoundError('picture', id.slice(0, 80));
  const title = shortTitle(asset.filename);
  const message = (revision: number, expected: number) => serverText('picture-changed', { title, revision, expected });
  requireRevision({ id, revision: asset.revision, message }, options);
  return asset;
}

async function liveAsset(tx: ContentTransaction, id: string, options?: WriteOptions): Promise<StoredAsset> {
  const asset = await presentAsset(tx, id, options);
  if (asset.deletedAt === null) return asset;
  throw new ConflictError(serverText('picture-in-trash', { title: shortTitle(asset.filename) }));
}

/** See AssetLibrary.add. */
async function addAsset(
  tx: ContentTransaction,
  picture: Picture,
  details: Pick<NewAsset, 'alt' | 'tags'>,
  context: WriteContext,
): Promise<AssetChange> {
  const { alt = '', tags = [] } = checkAssetDetails({ alt: details.alt, tags: details.tags });
  await tx.keepAssetFile(picture, context.now);
  const named = withExtension(picture.filename, picture.mediaType);
  return commitAsset(tx, {
    ...context,
    id: await createFreeShortId('ast', async (id) => (await tx.asset(id)) !== null),
    before: null,
    after: { ...fileOf(picture), filename: named, alt, tags, deletedAt: null },
    action: 'create',
    summary: serverText('journal-picture-added', { filename: shortTitle(named) }),
  });
}

function summarizeUpdate(before: AssetState, after: AssetState): ServerText {
  const changed = (['alt', 'filename', 'tags'] as const).filter((name) => !sameJson(before[name], after[name]));
  if (changed.length === 0) throw new InvalidInputError(serverText('nothing-to-change'));
  const fields = changed.map(fieldText);
  return serverText('journal-picture-fields', { filename: shortTitle(after.filename), fields });
}

/** See AssetLibrary.update. */
async function updateAsset(
  tx: ContentTransaction,
  id: string,
  patch: { readonly [Field in keyof AssetDetails]: unknown },
  context: WriteContext,
  options?: WriteOptions,
): Promise<AssetChange> {
  const details = checkAssetDetails(patch);
  const before = await liveAsset(tx, id, options);
  const after = {
    ...before,
    alt: details.alt ?? before.alt,
    filename: withExtension(details.filename ?? before.filename, before.mediaType),
    tags: details.tags ?? before.tags,
  };
  const summary = summarizeUpdate(before, after);
  return commitAsset(tx, { ...context, id, before, after, action: 'update', summary });
}

/**
 * See AssetLibrary.replace. Description and tags are kept: they describe what the picture shows, which should not
 * change.
 */
async function replaceAsset(
  tx: ContentTransaction,
  id: string,
  picture: Picture,
  context: WriteContext,
  options?: WriteOptions,
): Promise<AssetChange> {
  const before = await liveAsset(tx, id, options);
  if (before.hash === picture.hash) throw new ConflictError(serverText('same-picture'));
  await tx.keepAssetFile(picture, context.now);
  const after = { ...before, ...fileOf(picture), filename: withExtension(before.filename, picture.mediaType) };
  const summary = serverText('journal-picture-replaced', { filename: shortTitle(before.filename) });
  return commitAsset(tx, { ...context, id, before, after, action: 'update', summary });
}

/** See AssetLibrary.trash. */
async function trashAsset(
  tx: ContentTransaction,
  id: string,
  context: WriteContext,
  options?: WriteOptions,
): Promise<AssetChange> {
  const before = await liveAsset(tx, id, options);
  const summary = serverText('journal-picture-deleted', { filename: shortTitle(before.filename) });
  const after = { ...before, deletedAt: context.now };
  return commitAsset(tx, { ...context, id, before, after, action: 'delete', summary });
}

/** See AssetLibrary.restore. */
async function restoreAsset(
  tx: ContentTransaction,
  id: string,
  context: WriteContext,
  options?: WriteOptions,
): Promise<AssetChange> {
  const before = await presentAsset(tx, id, options);
  if (before.deletedAt === null)
    throw new ConflictError(serverText('not-in-trash', { title: shortTitle(before.filename) }));
  const summary = serverText('journal-picture-restored', { filename: shortTitle(before.filename) });
  const after = { ...before, deletedAt: null };
  return commitAsset(tx, { ...context, id, before, after, action: 'restore', summary });
}
