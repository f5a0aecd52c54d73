import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { tryQuery, writeQuery } from '#server/http/schemas/journal';
import { components } from '#server/core/shapes';

/* Requests for pictures of the media library (assets). */

const id = z.string().regex(/^ast_[0-9a-z]{6}$/, 'is not the id of a picture');
const size = z.enum(['full', 'thumb']).default('full');

export const assetParams = z.object({ id });
export const mediaFileParams = z.object({ id, filename: z.string().max(1_000) });
/** Address of a picture in a size that pages use: `filename` is the version of its bytes, `variant` the size and format. */
export const pictureVariantParams = z.object({
  id,
  filename: z.string().regex(/^[0-9a-f]{16}$/),
  variant: z.string().max(60),
});
const version = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .optional();
export const mediaFileQuery = z.object({
  size,
  version: version.describe('Former bytes of a picture that was replaced since, for who may see drafts'),
});

export const listAssetsQuery = z.object({
  q: z.string().min(1).max(500).optional().describe('Words that filename, description or tags hold'),
  tag: z.string().min(1).max(40).optional(),
  missingAlt: z.literal('1').optional(),
  unused: z.literal('1').optional().describe('Only those that no page or post shows'),
  state: z.enum(['live', 'trashed']).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().min(1).max(500).optional(),
});

/** Query of an upload; the body consists of the raw bytes of the file. */
export const addAssetQuery = z.object({
  filename: z.string().max(255).default(''),
  alt: z.string().max(2_000).optional(),
  ...tryQuery.shape,
});
/** Body of a request that fetches a picture from the public internet. */
export const fetchAssetBody = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, error: valueRules.webUrl })
      .max(2_000)
      .describe('Address of the picture on the public internet'),
    filename: z.string().max(255).optional().describe('Name of the file; absent: the last part of its address'),
    alt: z
      .string()
      .max(2_000)
      .optional()
      .describe('What the picture shows, for people who cannot see it; absent: empty'),
  })
  .register(components, { id: 'FetchAssetBody' });
export const replaceAssetQuery = writeQuery.extend({ filename: z.string().max(255).default('') });

/** Checks the shape only: the CMS adapter checks the texts, for tools and routes alike. */
export const updateAssetBody = z
  .strictObject({
    alt: z.string().optional().describe('What the picture shows, for people who cannot see it; absent: unchanged'),
    filename: z.string().optional().describe('New name of the file; the address stays valid. Absent: unchanged'),
    tags: z.array(z.string()).max(500).optional().describe('All tags of the picture; absent: unchanged'),
  })
  .register(components, { id: 'UpdateAssetBody' });
