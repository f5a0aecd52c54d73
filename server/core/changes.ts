import { z } from 'zod';
import { anyTime, components, count, json, notes, type Shape } from '#server/core/shapes';
import {
  assetSchema,
  entrySchema,
  entryTypes,
  navigationListSchema,
  patchOpSchema,
  siteSettingsSchema,
  standingReportSchema,
} from '#server/core/content';

/**
 * `import`: an import of files; `schedule`: a publication that somebody set a time for; `external`: whoever works on
 * the site past us, in its own CMS.
 */
export const changeActors = ['assistant', 'user', 'api', 'seed', 'import', 'schedule', 'external'] as const;
export type ChangeActor = (typeof changeActors)[number];

/** Author of a change and what it answers. All of it is stored with the change. */
const originSchema = z.strictObject({
  actor: z.enum(changeActors),
  /** User who made it, or whose assistant or program did; absent in what is from before there were accounts. */
  userId: z.string().optional(),
  /** Current name of that user; of stored changes only. Nobody writes it. */
  userName: z.string().optional().describe('Where there are accounts'),
  sessionId: z.string().optional(),
  turnId: z.string().optional(),
  toolCallId: z.string().optional(),
  /** The tool-call part that the user approved, where the call had to ask. */
  approvalId: z.string().optional(),
});
export type ChangeOrigin = Shape<typeof originSchema>;

/**
 * `delete` puts into the trash, `restore` takes out of it; `discard` makes the draft what is published again; `schedule`
 * sets, or takes away, the time of publication.
 */
export const changeActions = [
  'create',
  'update',
  'publish',
  'unpublish',
  'discard',
  'schedule',
  'delete',
  'restore',
  'undo',
] as const;
export type ChangeAction = (typeof changeActions)[number];

/** Documents of the site that there is one of each. */
export const siteDocumentKeys = ['navigation', 'settings', 'standing-instructions'] as const;
export type SiteDocumentKey = (typeof siteDocumentKeys)[number];

export const changeTargets = [...entryTypes, 'asset', ...siteDocumentKeys] as const;
export type ChangeTarget = (typeof changeTargets)[number];

/** One write, as the journal keeps it (a row of `revisions`). */
export const changeSchema = z
  .strictObject({
    id: z.string().regex(/^chg_/),
    targetType: z.enum(changeTargets),
    /** Id of the entry or asset, or the key of the site document. */
    targetId: z.string().min(1),
    slug: z.string().nullable(),
    title: z.string(),
    /** The target's revision after this change; its base is the one before. */
    revision: count,
    action: z.enum(changeActions),
    operations: z.array(patchOpSchema),
    inverse: z.array(patchOpSchema),
    /** A short plain sentence: `Added a faq section to "Pricing"`. */
    summary: z.string().min(1),
    origin: originSchema,
    undoneBy: z.string().nullable().describe('The change that undid this one'),
    createdAt: anyTime,
  })
  .register(components, { id: 'Change' });
export type ChangeSet = Shape<typeof changeSchema>;

/** Conditions of a write. */
export interface WriteOptions {
  /** Throws a ConflictError unless what is written still has this revision. */
  readonly ifRevision?: number | undefined;
  /** Checks everything and returns the result without writing. */
  readonly dryRun?: boolean | undefined;
}

/** Remarks on a write, beside its result. */
export interface WriteNotes {
  /** Plain sentences about values that the site changed or cannot keep (another slug, for example). */
  readonly notes?: readonly string[] | undefined;
}

/** A state of an entry that can be shown and brought back. */
export const versionSchema = z.strictObject({
  revision: z.number().int().describe('Negative: of the CMS’s own, from before it was connected'),
  action: z.enum(changeActions),
  summary: z.string().min(1),
  actor: z.enum(changeActors),
  userName: z.string().optional().describe('Where there are accounts'),
  createdAt: anyTime,
  /** The title it had. */
  title: z.string(),
  /** Visitors saw (or see) this state. */
  isPublished: z.boolean(),
});
export type Version = Shape<typeof versionSchema>;

/** One field that a change altered, as people read it. */
export const fieldChangeSchema = z
  .object({
    /** `title`, `seo.description`, `faq section › items`, `navigation`, ... */
    field: z.string().min(1),
    sectionId: z.string().optional(),
    kind: z.enum(['added', 'removed', 'changed', 'moved']),
    /** Null where there was or is nothing; long texts are whole. */
    before: json,
    after: json,
  })
  .register(components, { id: 'FieldChange' });
export type FieldChange = Shape<typeof fieldChangeSchema>;

/** Reason why a change cannot be taken back: later changes would be lost. */
const conflictSchema = z.strictObject({
  /** The change that remains. */
  change: changeSchema,
  /** Later changes that the undo would take along; none where the reason is another one. */
  blockedBy: z.array(changeSchema),
  /** A plain sentence. */
  message: z.string().min(1),
});
export type Conflict = Shape<typeof conflictSchema>;

/** Result of an undo: all or, where that was asked for, what could be. */
export const undoOutcomeSchema = z.strictObject({
  /** The changes that did it, in their order. */
  undone: z.array(changeSchema),
  conflicts: z.array(conflictSchema),
});
export type UndoOutcome = Shape<typeof undoOutcomeSchema>;

/** Result of bringing things back to how they were after a change. */
export const broughtBackSchema = z.strictObject({
  changes: z.array(changeSchema).describe('The changes that did it; undone as one step'),
  along: z.array(changeSchema).describe('Later steps that it takes along, newest first'),
  others: z.array(changeSchema).describe('Later steps of others that it loses, newest first'),
  notes,
});
export type BroughtBack = Shape<typeof broughtBackSchema>;

/** Result of a publication. */
export const publicationSchema = z.strictObject({
  entry: entrySchema,
  change: changeSchema.nullable().describe('Null: visitors saw that already, so nothing was written'),
  notes,
});
export type Publication = Shape<typeof publicationSchema>;

/** Result of every other write to an entry: its new state, and the change in the journal. */
export const entryChangeSchema = z
  .strictObject({ entry: entrySchema, change: changeSchema, notes })
  .register(components, { id: 'EntryChange' });
export type EntryChange = Shape<typeof entryChangeSchema>;
export const assetChangeSchema = z.strictObject({ asset: assetSchema, change: changeSchema, notes });
export const navigationChangeSchema = navigationListSchema.extend({ change: changeSchema, notes });
export const siteSettingsChangeSchema = z.strictObject({ settings: siteSettingsSchema, change: changeSchema, notes });
export const standingChangeSchema = z.strictObject({
  standingInstructions: standingReportSchema,
  change: changeSchema,
});
