import { z } from 'zod';
import { siteChoiceSchema } from '#server/core/site/remote-site';
import { components, count, idOf, listOf, type Shape, time } from '#server/core/shapes';
import { codedMessageSchema } from '#server/core/coded-message';

/* Imports of whole sites from files. */

/** Formats of files. `wxr`: WordPress's export file (RSS with extensions); `json`: our own. */
export const importFormats = ['wxr', 'json'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** States of an import; all but `running` are final. */
export const importStatuses = ['running', 'complete', 'failed', 'cancelled'] as const;
export type ImportStatus = (typeof importStatuses)[number];

/** What a report counts. */
export const importedKinds = ['page', 'post', 'picture', 'menu', 'settings'] as const;
export type ImportedKind = (typeof importedKinds)[number];

/** Numbers of imported entries, pictures or documents, by what became of them. */
const countsSchema = z
  .object({
    created: z.number().describe('New'),
    updated: z.number().describe('Imported before, and changed in the source since then'),
    unchanged: z
      .number()
      .describe('Imported before and the same as then, or changed here since then and therefore left alone'),
    notTaken: z.number().describe('Not imported; `report.notTaken` has the reasons'),
  })
  .describe('Numbers of items of a file, by what became of them')
  .register(components, { id: 'ImportCounts' });
export type ImportCounts = Shape<typeof countsSchema>;

/** A remark about an item of the file that was not imported, or was changed. */
const remarkSchema = z
  .object({
    kind: z.string().describe('Name in the source: `comment`, `page`, `nav_menu_item`, `shortcode`, '),
    name: z.string().describe('Title or name of the item in the source'),
    reason: z.string().describe('A plain sentence'),
    message: codedMessageSchema.optional().describe('`reason` as data, if it has a code'),
    count: z.number().describe('Number of items with the same remark; `name` is that of the first'),
  })
  .register(components, { id: 'ImportRemark' });
export type ImportRemark = Shape<typeof remarkSchema>;

/** Default for reports of older versions. */
const NOTHING_APPEARS = { page: 0, post: 0, picture: 0, menu: 0, settings: 0 };

/** Result of an import: everything in the file is counted or has a remark. */
export const importReportSchema = z
  .object({
    counts: z.record(z.enum(importedKinds), countsSchema).describe('Numbers by kind of item'),
    sections: z.record(z.string(), z.number()).describe('Sections of imported entries by type'),
    appears: z
      .record(z.enum(importedKinds), z.number().describe('Number of items of this kind'))
      .default(NOTHING_APPEARS)
      .describe('How many of them visitors of a connected site see at once'),
    notTaken: z.array(remarkSchema).describe('Not imported'),
    altered: z.array(remarkSchema).describe('Imported in a different form'),
  })
  .describe('What became of the things in the file');
components.add(importReportSchema, { id: 'ImportReport' });
export type ImportReport = Shape<typeof importReportSchema>;

/** A comment of a visitor, stored by an import for exports. Without the email and IP address of its author. */
export const keptCommentSchema = z
  .object({
    id: z.string(),
    author: z.string(),
    content: z.string().describe('HTML'),
    date: z.number().int().nullable().describe('Epoch milliseconds; null if unknown'),
    isApproved: z.boolean().describe('True if visitors saw it'),
    parent: z.string().nullable().describe('Id of the comment that it replies to; null if it is not a reply'),
  })
  .register(components, { id: 'KeptComment' });
export type KeptComment = Shape<typeof keptCommentSchema>;

/** An import, running or finished. */
export const importRunSchema = z
  .strictObject({
    id: idOf('imp').describe('Its changes have it as their `sessionId`'),
    filename: z.string().describe('Name of the file as it was sent; empty: it had none'),
    format: z.enum(importFormats).describe('`wxr`: an export file of WordPress. `json`: an export of ours'),
    status: z.enum(importStatuses).describe('All but `running` are final'),
    done: count.describe('Of `total` things of the file'),
    total: count.describe('Number of things in the file'),
    target: siteChoiceSchema,
    approval: z
      .string()
      .nullable()
      .describe('Of a dry run into a connected site: sent as `approve`, it approves of what `report.appears` counts'),
    report: importReportSchema,
    error: z.string().nullable().describe('Why it failed, and what to do'),
    errorMessage: codedMessageSchema.nullable().describe('`error` as data; null if it has no code'),
    createdAt: time,
    finishedAt: time.nullable().describe('When it ended, epoch milliseconds; null: it still runs'),
  })
  .describe('An import of a site from a file')
  .register(components, { id: 'ImportRun' });
export type ImportRun = Shape<typeof importRunSchema>;
export const importListSchema = listOf(importRunSchema).register(components, { id: 'ImportList' });
