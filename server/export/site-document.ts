import { z } from 'zod';
import {
  entryDocumentSchema,
  entryTypes,
  navigationItemSchema,
  siteSettingsSchema,
  standingInstructionsSchema,
} from '#server/core/content';
import { keptCommentSchema } from '#server/core/imports';
import type { Shape } from '#server/core/shapes';

/** The name of our JSON export of a site, and its version: an import reads this one alone. */
export const SITE_FORMAT = 'throughline-site/1';

const time = z.number().int();

const exportedEntrySchema = z.object({
  id: z.string().min(1),
  type: z.enum(entryTypes),
  /** Path of the draft, and the published path. */
  paths: z.array(z.string()),
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: time.nullable(),
  publishAt: time.nullable(),
  /** Version that the plan publishes; missing in old files, where it is the draft. */
  planned: entryDocumentSchema.nullable().default(null),
  createdAt: time,
  updatedAt: time,
  /** Comments that came with it when it was imported. */
  comments: z.array(keptCommentSchema).optional(),
});
export type ExportedEntry = Shape<typeof exportedEntrySchema>;

const exportedAssetSchema = z.object({
  id: z.string().min(1),
  url: z.string().min(1),
  /** Stands for its bytes. */
  version: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  size: z.number(),
  width: z.number(),
  height: z.number(),
  alt: z.string(),
  tags: z.array(z.string()),
  createdAt: time,
  /** Base64; left out where they were not asked for. */
  data: z.string().optional(),
});
export type ExportedAsset = z.infer<typeof exportedAssetSchema>;

/** In the order of the file. */
export const siteDocumentSchema = z.object({
  format: z.literal(SITE_FORMAT, { error: `must be "${SITE_FORMAT}": another version cannot be read` }),
  exportedAt: time,
  /** Files of before have fewer. */
  settings: siteSettingsSchema.partial(),
  navigation: z.array(navigationItemSchema),
  standingInstructions: standingInstructionsSchema,
  redirects: z.array(z.object({ from: z.string(), target: z.string(), createdAt: time })),
  media: z.array(exportedAssetSchema),
  entries: z.array(exportedEntrySchema),
  /** Entries in the trash, for the reader: an import leaves them out. */
  trashed: z
    .array(z.object({ id: z.string(), type: z.enum(entryTypes), title: z.string(), draft: entryDocumentSchema }))
    .optional(),
});
export type ExportedSite = z.infer<typeof siteDocumentSchema>;
