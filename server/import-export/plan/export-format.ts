import { z } from 'zod';
import { entryDocumentSchema, entryTypes, navigationItemSchema, siteSettingsSchema } from '#server/core/site/content';
import { storedDesignSchema } from '#server/core/site/design/design';
import { standingInstructionsSchema } from '#server/core/site/standing-instructions';
import { keptCommentSchema } from '#server/core/site/imports';
import type { Shape } from '#server/core/shapes';

/* The JSON file of a whole site: written by `export-site`, read by `plan/plan-json`. Times are epoch milliseconds. */

/** Name and version of the JSON export format; an import accepts this version only. */
export const SITE_FORMAT = 'throughline-site/1';

/** Maximum number of entries, pictures or redirects in a file: more than the largest sites have. */
const MAX_ITEMS = 100_000;

const time = z.number().int();

const exportedEntrySchema = z.object({
  id: z.string().min(1),
  type: z.enum(entryTypes),
  /** Path of the draft, then the published path. */
  paths: z.array(z.string()).max(100),
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: time.nullable(),
  publishAt: time.nullable(),
  /** Version that the schedule publishes; missing in old files, in which it is the draft. */
  planned: entryDocumentSchema.nullable().default(null),
  createdAt: time,
  updatedAt: time,
  /** Comments that were imported with the entry. */
  comments: z.array(keptCommentSchema).max(MAX_ITEMS).optional(),
});
/** An entry in the file. */
export type ExportedEntry = Shape<typeof exportedEntrySchema>;

const exportedAssetSchema = z.object({
  id: z.string().min(1),
  url: z.string().min(1),
  /** Identifies the bytes. */
  version: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  size: z.number(),
  width: z.number(),
  height: z.number(),
  alt: z.string(),
  tags: z.array(z.string()).max(1_000),
  createdAt: time,
  /** Base64; omitted if not requested. */
  data: z.string().optional(),
});
/** A picture in the file. */
export type ExportedAsset = z.infer<typeof exportedAssetSchema>;

/** The whole file, with its fields in the order in which they are written. */
export const siteDocumentSchema = z.object({
  format: z.literal(SITE_FORMAT, { error: `must be "${SITE_FORMAT}": another version cannot be read` }),
  exportedAt: time,
  /** Older files have fewer settings. */
  settings: siteSettingsSchema.partial(),
  navigation: z.array(navigationItemSchema).max(1_000),
  standingInstructions: standingInstructionsSchema,
  /** The draft of the design; absent: none was stored. */
  design: storedDesignSchema.optional(),
  /** The design that visitors see; null: none was published. Missing in older files. */
  publishedDesign: storedDesignSchema.nullable().default(null),
  redirects: z.array(z.object({ from: z.string(), target: z.string(), createdAt: time })).max(MAX_ITEMS),
  media: z.array(exportedAssetSchema).max(MAX_ITEMS),
  entries: z.array(exportedEntrySchema).max(MAX_ITEMS),
  /** Entries in the trash, for human readers: an import ignores them. */
  trashed: z
    .array(z.object({ id: z.string(), type: z.enum(entryTypes), title: z.string(), draft: entryDocumentSchema }))
    .max(MAX_ITEMS)
    .optional(),
});
/** The whole file, after validation. */
export type ExportedSite = z.infer<typeof siteDocumentSchema>;
