import { z } from 'zod';

export const importParams = z.object({ id: z.string().regex(/^imp_[0-9a-z]{26}$/, 'is not the id of an import') });

const flag = z.literal('1').optional();

export const startImportQuery = z.object({
  filename: z.string().max(255).default(''),
  pictures: flag.describe('`1`: pictures are fetched from where they are, into the media library'),
  settings: flag.describe('`1`: also the name and tagline of the site, and its menu in place of the one there is'),
  dryRun: flag.describe('`1`: tells what would become of everything, and writes nothing'),
});

export const exportSiteQuery = z.object({
  media: flag.describe('`1`: with the bytes of the pictures'),
  trashed: flag.describe('`1`: with what is in the trash, to be read; an import leaves it out'),
});
