import { z } from 'zod';

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
