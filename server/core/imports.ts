import { z } from 'zod';
import type { CompactionRecord } from '#server/core/compactions';
import type { Message, Session } from '#server/core/messages';

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
export type ImportCounts = z.infer<typeof countsSchema>;

/** Something that was not taken, or not as it was. */
const remarkSchema = z.object({
  /** What the source calls it: `comment`, `page`, `nav_menu_item`, `shortcode`, ... */
  kind: z.string(),
  /** Its title or name there. */
  name: z.string(),
  /** A plain sentence. */
  reason: z.string(),
  /** Of how many the same is true; names are of the first. */
  count: z.number(),
});
export type ImportRemark = z.infer<typeof remarkSchema>;

/** What became of everything in the file: nothing is left out in silence. */
export const importReportSchema = z.object({
  counts: z.record(z.enum(importedKinds), countsSchema),
  /** Sections of imported entries by type. */
  sections: z.record(z.string(), z.number()),
  /** Not taken at all. */
  notTaken: z.array(remarkSchema),
  /** Taken otherwise than it was. */
  altered: z.array(remarkSchema),
});
export type ImportReport = z.infer<typeof importReportSchema>;

/** An import, running or past. */
export interface ImportRun {
  /** `imp_...` */
  readonly id: string;
  readonly filename: string;
  readonly format: ImportFormat;
  readonly status: ImportStatus;
  readonly done: number;
  readonly total: number;
  readonly report: ImportReport;
  /** Why it failed, and what to do. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** The name of our JSON export and its version. */
export const EXPORT_FORMAT = 'throughline/1';

export const exportFormats = ['markdown', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A conversation on its way into a file. */
export interface ExportedConversation {
  readonly session: Session;
  /** The newest first. */
  readonly compactions: readonly CompactionRecord[];
  /** In order, summaries included; read while it is written, so that a long one never lies in memory whole. */
  readonly messages: AsyncIterable<Message>;
}
