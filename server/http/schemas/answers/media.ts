import { z } from 'zod';
import { changeSchema } from '#server/http/schemas/answers/changes';
import { anyTime, count, notes, time } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

/** A picture of the media library, as every route gives it. */
export const assetSchema = z
  .strictObject({
    id: z.string().regex(/^ast_[0-9a-z]{6}$/),
    url: z.string().regex(/^\/media\/ast_[0-9a-z]{6}\/[a-z0-9-]+\.(png|jpg|webp|gif|avif)$/),
    thumbnailUrl: z.string().regex(/^\/(media|api\/content\/media)\/.*\?size=thumb$/),
    version: z.string().regex(/^[0-9a-f]{16}$/),
    filename: z.string().min(1).max(100),
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']),
    size: z.number().int().min(1).describe('Bytes'),
    width: z.number().int().min(1).describe('Pixels'),
    height: z.number().int().min(1).describe('Pixels'),
    alt: z.string().describe('What it shows; empty: nobody has said so yet'),
    tags: z.array(z.string().min(1)),
    revision: z.number().int().min(1),
    deletedAt: time.nullable(),
    createdAt: anyTime,
    updatedAt: anyTime,
  })
  .register(components, { id: 'Asset' });

export const assetListSchema = z.strictObject({
  items: z.array(assetSchema),
  total: count,
  nextCursor: z.string().min(1).nullable(),
});

/** What each write to a picture gives back. */
export const assetChangeSchema = z.strictObject({ asset: assetSchema, change: changeSchema, notes });
