import { z } from 'zod';
import { latinWords } from '#server/site/text/slug-from-title';
import type { Asset } from '#server/core/site/content';
import { pictureExtensions } from '#server/core/limits';
import { type JsonValue, toJson } from '#server/core/json';

/* A picture of the media library as it is stored, in the journal and in its table, and as the API returns it. */

/** The `before` and `after` of an asset's journal entries. */
const assetStateSchema = z.object({
  hash: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  size: z.number(),
  width: z.number(),
  height: z.number(),
  alt: z.string(),
  tags: z.array(z.string()),
  deletedAt: z.number().nullable(),
});
/** Parts of an asset that a change can alter. */
export type AssetState = z.infer<typeof assetStateSchema>;

/** The stored form of an asset; its bytes are stored under their hash. */
export interface StoredAsset extends AssetState {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The state of an asset as the journal stores it; in a fixed order, because states are compared as JSON. */
export function assetStateOf(asset: AssetState): AssetState {
  const { hash, filename, mediaType, size, width, height, alt, tags, deletedAt } = asset;
  return { hash, filename, mediaType, size, width, height, alt, tags, deletedAt };
}

/** The state as plain JSON. */
export function assetStateToJson(state: AssetState): JsonValue {
  return toJson(assetStateOf(state));
}

/** A state from the journal; null if the asset did not exist yet. */
export function assetStateFromJson(value: JsonValue): AssetState | null {
  return value === null ? null : assetStateSchema.parse(value);
}

/** The last part of a picture's address, which is readable for people and search engines. */
export function servedName({ filename, mediaType }: Pick<AssetState, 'filename' | 'mediaType'>): string {
  const words = latinWords(filename.replace(/\.[^.]{1,10}$/, '')) || 'picture';
  return `${words}.${pictureExtensions[mediaType] ?? 'bin'}`;
}

/** Version of a picture: the same for the same bytes. */
export function versionOf({ hash }: { readonly hash: string }): string {
  return hash.slice(0, 16);
}

/** The asset as the API returns it. The thumbnail of a trashed asset has no public address, only one of the API. */
export function toAsset({ hash, ...asset }: StoredAsset): Asset {
  const url = `/media/${asset.id}/${servedName(asset)}`;
  const base = asset.deletedAt === null ? url : `/api/content/media/${asset.id}/file`;
  // Every picture went through `preparePicture`, which produces only these media types.
  const mediaType = asset.mediaType as Asset['mediaType'];
  return { ...asset, mediaType, url, thumbnailUrl: `${base}?size=thumb`, version: versionOf({ hash }) };
}
