import { z } from 'zod';
import { components } from '#server/http/schemas/components';
import { anyTime, count, notes, time } from '#server/http/schemas/fields';
import { changeSchema } from '#server/http/schemas/journal';

const id = z.string().regex(/^ast_[0-9a-z]{6}$/, 'is not the id of a picture');
const size = z.enum(['full', 'thumb']).default('full');

export const assetParams = z.object({ id });
export const mediaFileParams = z.object({ id, filename: z.string().max(1_000) });
export const mediaFileQuery = z.object({ size });

export const listAssetsQuery = z.object({
  q: z.string().min(1).max(500).optional().describe('Words that filename, description or tags hold'),
  tag: z.string().min(1).max(40).optional(),
  missingAlt: z.literal('1').optional(),
  state: z.enum(['live', 'trashed']).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().min(1).max(500).optional(),
});

/** Of bytes that are sent as they are. */
export const addAssetQuery = z.object({
  filename: z.string().max(255).default(''),
  alt: z.string().max(2_000).optional(),
});
/** Of a picture on the public internet. */
export const fetchAssetBody = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' }).max(2_000),
  filename: z.string().max(255).optional(),
  alt: z.string().max(2_000).optional(),
});
export const replaceAssetQuery = z.object({ filename: z.string().max(255).default('') });

/** Shapes only: the backend checks texts, for tools and routes alike. */
export const updateAssetBody = z.strictObject({
  alt: z.string().optional(),
  filename: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

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
