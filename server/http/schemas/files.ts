import { z } from 'zod';
import { tryQuery, writeQuery } from '#server/http/schemas/journal';

const id = z.string().regex(/^ast_[0-9a-z]{6}$/, 'is not the id of a picture');
const size = z.enum(['full', 'thumb']).default('full');

export const assetParams = z.object({ id });
export const mediaFileParams = z.object({ id, filename: z.string().max(1_000) });
/** The version stands where the name of the picture stands otherwise. */
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

/** Query of an upload whose body is the bytes. */
export const addAssetQuery = z.object({
  filename: z.string().max(255).default(''),
  alt: z.string().max(2_000).optional(),
  ...tryQuery.shape,
});
/** Body for a picture on the public internet. */
export const fetchAssetBody = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' }).max(2_000),
  filename: z.string().max(255).optional(),
  alt: z.string().max(2_000).optional(),
});
export const replaceAssetQuery = writeQuery.extend({ filename: z.string().max(255).default('') });

/** Shapes only: the backend checks texts, for tools and routes alike. */
export const updateAssetBody = z.strictObject({
  alt: z.string().optional(),
  filename: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

export const attachmentParams = z.object({
  id: z.string().regex(/^blb_[0-9a-z]{26}$/, 'is not the id of an attachment'),
});

export const attachmentQuery = z.object({
  filename: z
    .string()
    .min(1)
    .max(255)
    .default('')
    .describe('What the file is called; only for people and models to read'),
});

export const importParams = z.object({ id: z.string().regex(/^imp_[0-9a-z]{26}$/, 'is not the id of an import') });

const flag = z.literal('1').optional();

const site = z
  .string()
  .regex(/^(?:embedded|wps_[0-9a-z]{26})$/, 'is not the id of a site')
  .optional();
export const listImportsQuery = z.object({ site: site.describe('Only those into this site') });
export const startImportQuery = z.object({
  filename: z.string().max(255).default(''),
  site: site.describe('The site that it goes into, as `GET /api/sites` names it; needed where there are several'),
  approve: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional()
    .describe('The `approval` of a dry run: what visitors of a connected site would see at once was approved of'),
  pictures: flag.describe('`1`: pictures are fetched from where they are, into the media library'),
  settings: flag.describe('`1`: also the name and tagline of the site, and its menu in place of the one there is'),
  dryRun: flag.describe('`1`: tells what would become of everything, and writes nothing'),
});

export const exportSiteQuery = z.object({
  media: flag.describe('`1`: with the bytes of the pictures'),
  trashed: flag.describe('`1`: with what is in the trash, to be read; an import leaves it out'),
});

export const staticSiteQuery = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .max(300)
    .refine(
      (url) => URL.canParse(url) && new URL(url).pathname === '/',
      'must be an origin, like https://kiln.example, without a path',
    )
    .optional()
    .describe('Where the site will be; default: SITE_URL'),
  check: flag.describe('`1`: only tells whether it can be exported'),
});

const segment = z.string().max(1_000);
export const lookPageParams = z.object({ slug: z.array(segment).max(20).default([]) });
export const lookFileParams = z.object({ path: z.array(segment).min(1).max(30) });
