import { quotedTitle } from '#server/content/change-summary';
import { type AssetDetails, checkAssetDetails } from '#server/content/check-asset';
import type { AssetChange, NewAsset } from '#server/content/content-backend';
import {
  type AssetState,
  assetStateOf,
  assetStateToJson,
  type StoredAsset,
  toAsset,
} from '#server/content/embedded/asset-state';
import type { ContentTransaction } from '#server/content/embedded/content-store';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import { freeId, newChange } from '#server/content/embedded/new-change';
import type { ChangeAction } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { type Picture, pictureExtensions } from '#server/core/pictures';

/** One write to an asset, decided but not yet stored. */
interface AssetWrite extends WriteContext {
  readonly id: string;
  /** Null when it is added. */
  readonly before: StoredAsset | null;
  readonly after: AssetState;
  readonly action: ChangeAction;
  readonly summary: string;
}

/** Stores the new state and the journal's record of it. */
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

/** Its ending says what it is, whatever it was called. */
function namedAs(filename: string, mediaType: string): string {
  const ending = pictureExtensions[mediaType] ?? '';
  const isNamedSo = filename.toLowerCase().endsWith(`.${ending}`) || (ending === 'jpg' && /\.jpeg$/i.test(filename));
  if (isNamedSo) return filename;
  const base = filename.replace(/\.[a-z0-9]{1,5}$/i, '').slice(0, 94);
  return `${base.toWellFormed() || 'picture'}.${ending}`;
}

async function presentAsset(tx: ContentTransaction, id: string): Promise<StoredAsset> {
  const asset = await tx.asset(id);
  if (asset === null) throw new NotFoundError('picture', id.slice(0, 80));
  return asset;
}

async function liveAsset(tx: ContentTransaction, id: string): Promise<StoredAsset> {
  const asset = await presentAsset(tx, id);
  if (asset.deletedAt === null) return asset;
  throw new ConflictError(`The picture ${quotedTitle(asset.filename)} is in the trash. Restore it first.`);
}

/** See AssetLibrary.add. */
export async function addAsset(
  tx: ContentTransaction,
  picture: Picture,
  details: Pick<NewAsset, 'alt' | 'tags'>,
  context: WriteContext,
): Promise<AssetChange> {
  const { alt = '', tags = [] } = checkAssetDetails({ alt: details.alt, tags: details.tags });
  await tx.keepAssetFile(picture, context.now);
  const named = namedAs(picture.filename, picture.mediaType);
  return commitAsset(tx, {
    ...context,
    id: await freeId('ast', async (id) => (await tx.asset(id)) !== null),
    before: null,
    after: { ...fileOf(picture), filename: named, alt, tags, deletedAt: null },
    action: 'create',
    summary: `Added the picture ${quotedTitle(named)}`,
  });
}

function summarizeUpdate(before: AssetState, after: AssetState): string {
  const changed = [
    ...(before.alt === after.alt ? [] : ['description']),
    ...(before.filename === after.filename ? [] : ['filename']),
    ...(JSON.stringify(before.tags) === JSON.stringify(after.tags) ? [] : ['tags']),
  ];
  if (changed.length === 0) throw new InvalidInputError('There is nothing to change.');
  return `Changed the ${changed.join(' and ')} of the picture ${quotedTitle(after.filename)}`;
}

/** See AssetLibrary.update. */
export async function updateAsset(
  tx: ContentTransaction,
  id: string,
  patch: { readonly [Field in keyof AssetDetails]: unknown },
  context: WriteContext,
): Promise<AssetChange> {
  const details = checkAssetDetails(patch);
  const before = await liveAsset(tx, id);
  const after = {
    ...before,
    alt: details.alt ?? before.alt,
    filename: namedAs(details.filename ?? before.filename, before.mediaType),
    tags: details.tags ?? before.tags,
  };
  const summary = summarizeUpdate(before, after);
  return commitAsset(tx, { ...context, id, before, after, action: 'update', summary });
}

/** See AssetLibrary.replace. Description and tags stay: they are of what is shown, which is meant to be the same. */
export async function replaceAsset(
  tx: ContentTransaction,
  id: string,
  picture: Picture,
  context: WriteContext,
): Promise<AssetChange> {
  const before = await liveAsset(tx, id);
  if (before.hash === picture.hash) throw new ConflictError('It is the same picture already.');
  await tx.keepAssetFile(picture, context.now);
  const after = { ...before, ...fileOf(picture), filename: namedAs(before.filename, picture.mediaType) };
  const summary = `Replaced the picture ${quotedTitle(before.filename)}`;
  return commitAsset(tx, { ...context, id, before, after, action: 'update', summary });
}

/** See AssetLibrary.trash. */
export async function trashAsset(tx: ContentTransaction, id: string, context: WriteContext): Promise<AssetChange> {
  const before = await liveAsset(tx, id);
  const summary = `Deleted the picture ${quotedTitle(before.filename)}`;
  const after = { ...before, deletedAt: context.now };
  return commitAsset(tx, { ...context, id, before, after, action: 'delete', summary });
}

/** See AssetLibrary.restore. */
export async function restoreAsset(tx: ContentTransaction, id: string, context: WriteContext): Promise<AssetChange> {
  const before = await presentAsset(tx, id);
  if (before.deletedAt === null) throw new ConflictError(`${quotedTitle(before.filename)} is not in the trash.`);
  const summary = `Restored the picture ${quotedTitle(before.filename)}`;
  const after = { ...before, deletedAt: null };
  return commitAsset(tx, { ...context, id, before, after, action: 'restore', summary });
}
