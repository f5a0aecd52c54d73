import type { AssetChange, ContentBackend } from '#server/content/content-backend';
import type { Asset } from '#server/core/content';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { EffectTarget, ToolEffect } from '#server/core/tool-effect';
import { effect } from '#server/tools/effects';
import { ALT_IS_MISSING } from '#server/tools/missing-alt';
import { notesResult } from '#server/tools/results';

const ASSET_ID = /^(?:.*\/media\/)?(ast_[a-z0-9]{6})(?:\/.*)?$/;

/** The id of a picture that a text names, by its id or its address; null for anything else. */
export function assetIdIn(ref: string): string | null {
  return ASSET_ID.exec(ref.trim())?.[1] ?? null;
}

/** A picture by its id, its address or its filename. @throws NotFoundError, InvalidInputError (several of that name) */
export async function resolveAsset({ assets }: ContentBackend, ref: string): Promise<Asset> {
  const id = assetIdIn(ref);
  if (id !== null) return assets.get(id);
  const { items } = await assets.list({ text: ref, limit: 100 });
  const named = items.filter(({ filename }) => filename.toLowerCase() === ref.trim().toLowerCase());
  const [first, second] = named;
  if (first === undefined) throw new NotFoundError('picture', ref.slice(0, 80), 'list_media finds them.');
  if (second === undefined) return first;
  const ids = named.slice(0, 10).map(({ id: each, width, height }) => `${each} (${width} x ${height})`);
  throw new InvalidInputError(
    `Several pictures are called "${ref.slice(0, 80)}": ${ids.join(', ')}. Name one by its id.`,
  );
}

/** One picture as the model reads it. */
export function assetLine({ id, url, filename, alt, tags, width, height }: Asset): Record<string, JsonValue> {
  return {
    id,
    url,
    filename,
    alt: alt || null,
    size: `${width} x ${height}`,
    ...(tags.length > 0 && { tags: [...tags] }),
  };
}

/** The result of a write to a picture. */
export function assetResult(written: AssetChange): JsonValue {
  const { asset, change } = written;
  return {
    ...assetLine(asset),
    ...(asset.alt === '' && asset.deletedAt === null && { note: ALT_IS_MISSING }),
    changeId: change.id,
    ...notesResult(written),
  };
}

export function assetTarget({ id, filename, revision }: Asset): EffectTarget {
  return { type: 'asset', id, title: filename, revision };
}

/** What deleting a picture would do, with all that shows it. @throws NotFoundError */
export async function assetTrashEffect(content: ContentBackend, id: string): Promise<ToolEffect> {
  const asset = await content.assets.get(id);
  const references = await content.referencesTo({ type: 'asset', id });
  return effect({
    summary: `Moves the picture ${asset.filename} to the trash.`,
    targets: [assetTarget(asset)],
    references,
    warnings: references.length === 0 ? [] : ['It is in use: published pages keep showing it, drafts miss it.'],
  });
}
