import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';

/* Requests for imports and exports of whole sites. */

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
    .url({ protocol: /^https?$/, error: valueRules.webUrl })
    .max(300)
    .refine((url) => URL.canParse(url) && new URL(url).pathname === '/', valueRules.origin)
    .optional()
    .describe('Where the site will be; default: SITE_URL'),
  check: flag.describe('`1`: only tells whether it can be exported'),
});
