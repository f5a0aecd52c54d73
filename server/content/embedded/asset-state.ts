import { z } from 'zod';
import type { Asset } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { pictureExtensions } from '#server/core/pictures';
import { latinWords } from '#server/content/slugs';

/** What of an asset a change can alter: the `before` and `after` of its journal. */
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
export type AssetState = z.infer<typeof assetStateSchema>;

/** An asset as it is stored: its bytes are named by their hash. */
export interface StoredAsset extends AssetState {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The state of an asset as the journal keeps it, always in one order. */
export function assetStateOf(asset: AssetState): AssetState {
  const { hash, filename, mediaType, size, width, height, alt, tags, deletedAt } = asset;
  return { hash, filename, mediaType, size, width, height, alt, tags, deletedAt };
}

/** The state as plain JSON. */
export function assetStateToJson(state: AssetState): JsonValue {
  return JSON.parse(JSON.stringify(assetStateOf(state))) as JsonValue;
}

/** A state from the journal; null where the asset did not exist yet. */
export function assetStateFromJson(value: JsonValue): AssetState | null {
  return value === null ? null : assetStateSchema.parse(value);
}

/** The last part of a picture's address: it tells people (and search engines) what it is. */
export function servedName({ filename, mediaType }: Pick<AssetState, 'filename' | 'mediaType'>): string {
  const words = latinWords(filename.replace(/\.[^.]{1,10}$/, '')) || 'picture';
  return `${words}.${pictureExtensions[mediaType] ?? 'bin'}`;
}

/** An asset as it is shown. The thumbnail of what is in the trash is for the owner alone. */
export function toAsset({ hash, ...asset }: StoredAsset): Asset {
  const url = `/media/${asset.id}/${servedName(asset)}`;
  const base = asset.deletedAt === null ? url : `/api/content/media/${asset.id}/file`;
  return { ...asset, url, thumbnailUrl: `${base}?size=thumb`, version: hash.slice(0, 16) };
}
