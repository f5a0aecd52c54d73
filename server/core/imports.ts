import { z } from 'zod';
import { siteChoiceSchema } from '#server/core/remote-site';
import { components, count, idOf, listOf, type Shape, time } from '#server/core/shapes';

/** `wxr`: WordPress's export file (RSS with extensions); `json`: our own. */
export const importFormats = ['wxr', 'json'] as const;
export type ImportFormat = (typeof importFormats)[number];

export const importStatuses = ['running', 'complete', 'failed', 'cancelled'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** Kinds of things that a report counts. */
export const importedKinds = ['page', 'post', 'picture', 'menu', 'settings'] as const;
export type ImportedKind = (typeof importedKinds)[number];

const countsSchema = z.object({
  created: z.number(),
  /** Taken before, and changed in the source since. */
  updated: z.number(),
  /** Taken before, and the same as then; or changed here since, which is left alone. */
  unchanged: z.number(),
  notTaken: z.number(),
});
export type ImportCounts = Shape<typeof countsSchema>;

/** Something that was not taken, or not as it was. */
const remarkSchema = z.object({
  /** Name in the source: `comment`, `page`, `nav_menu_item`, `shortcode`, ... */
  kind: z.string(),
  /** Its title or name there. */
  name: z.string(),
  /** A plain sentence. */
  reason: z.string(),
  /** Number of things with the same remark; the name is that of the first. */
  count: z.number(),
});
export type ImportRemark = Shape<typeof remarkSchema>;

const NOTHING_APPEARS = { page: 0, post: 0, picture: 0, menu: 0, settings: 0 };

/** Result of an import for everything in the file: nothing is left out in silence. */
export const importReportSchema = z.object({
  counts: z.record(z.enum(importedKinds), countsSchema),
  /** Sections of imported entries by type. */
  sections: z.record(z.string(), z.number()),
  appears: z
    .record(z.enum(importedKinds), z.number())
    .default(NOTHING_APPEARS)
    .describe('How many of them visitors of a connected site see at once'),
  /** Not taken at all. */
  notTaken: z.array(remarkSchema),
  /** Taken otherwise than it was. */
  altered: z.array(remarkSchema),
});
components.add(importReportSchema, { id: 'ImportReport' });
export type ImportReport = Shape<typeof importReportSchema>;

/** A comment of a visitor, as an import found it. Without address and IP number of its author. */
export const keptCommentSchema = z.object({
  id: z.string(),
  author: z.string(),
  /** HTML. */
  content: z.string(),
  /** Epoch milliseconds; null: not known. */
  date: z.number().int().nullable(),
  /** Visitors saw it. */
  isApproved: z.boolean(),
  /** Id of the comment that it answers; null: none. */
  parent: z.string().nullable(),
});
export type KeptComment = Shape<typeof keptCommentSchema>;

/** An import, running or past. */
export const importRunSchema = z
  .strictObject({
    id: idOf('imp').describe('Its changes have it as their `sessionId`'),
    filename: z.string(),
    format: z.enum(importFormats),
    status: z.enum(importStatuses),
    done: count.describe('Of `total` things of the file'),
    total: count,
    target: siteChoiceSchema,
    approval: z
      .string()
      .nullable()
      .describe('Of a dry run into a connected site: sent as `approve`, it approves of what `report.appears` counts'),
    report: importReportSchema,
    /** Why it failed, and what to do. */
    error: z.string().nullable(),
    createdAt: time,
    finishedAt: time.nullable(),
  })
  .register(components, { id: 'ImportRun' });
export type ImportRun = Shape<typeof importRunSchema>;
export const importListSchema = listOf(importRunSchema);
