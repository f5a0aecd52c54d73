import { z } from 'zod';
import type { NotesOfWrite } from '#server/core/message-data';
import { codedMessageSchema, noteFields } from '#server/core/coded-message';
import { describedJson } from '#server/core/json';
import { anyTime, components, count, type Shape } from '#server/core/shapes';
import { designSchema } from '#server/core/site/design/design';
import {
  assetSchema,
  entrySchema,
  entryTypes,
  navigationListSchema,
  patchOpSchema,
  siteSettingsSchema,
} from '#server/core/site/content';
import { standingReportSchema } from '#server/core/site/standing-instructions';

/**
 * Who or what made a change. `api`: another program. `import`: an import of files; `schedule`: a publication at a scheduled time; `external`: a person who edits the site
 * in its CMS, without this server.
 */
export const changeActors = ['assistant', 'user', 'api', 'seed', 'import', 'schedule', 'external'] as const;
export type ChangeActor = (typeof changeActors)[number];

/** The author of a change, and the conversation, turn and call that it came from. Stored with the change. */
const originSchema = z
  .strictObject({
    actor: z
      .enum(changeActors)
      .describe(
        'Who or what made the change. `api`: another program. `seed`: the example content. `schedule`: a publication at a scheduled time. `external`: a person in the CMS of a connected site',
      ),
    userId: z
      .string()
      .optional()
      .describe(
        'User who made the change, or whose assistant or program made it; absent in changes from before accounts existed',
      ),
    /** Current name of that user; on stored changes only. It is never written. */
    userName: z.string().optional().describe('Where there are accounts'),
    sessionId: z.string().optional().describe('Id of the session in which it was made, or of the import; absent: none'),
    turnId: z.string().optional().describe('Id of the turn in which the assistant made it; absent: not in a turn'),
    toolCallId: z
      .string()
      .optional()
      .describe(
        'Id of the tool call, or of another step whose changes are undone together; absent: the change is a step of its own',
      ),
    approvalId: z
      .string()
      .optional()
      .describe('The tool-call part that the user approved, if the call required approval'),
  })
  .describe('Who made a change, and where')
  .register(components, { id: 'ChangeOrigin' });
export type ChangeOrigin = Shape<typeof originSchema>;

/**
 * Kinds of changes. `delete` moves to the trash, `restore` takes out of it; `discard` resets the draft to the published state; `schedule`
 * sets or removes the time of publication.
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

/** Documents that each site has exactly once. */
export const siteDocumentKeys = ['navigation', 'settings', 'standing-instructions', 'design'] as const;
export type SiteDocumentKey = (typeof siteDocumentKeys)[number];

/** What a change can be about. */
export const changeTargets = [...entryTypes, 'asset', ...siteDocumentKeys] as const;
export type ChangeTarget = (typeof changeTargets)[number];

const summaryMessage = codedMessageSchema
  .nullable()
  .describe('`summary` as data; null: a change that an earlier version recorded');

/** One write, as the journal keeps it (a row of `revisions`). */
export const changeSchema = z
  .strictObject({
    id: z.string().regex(/^chg_/).describe('Id of a change, as in `/api/content/changes/{id}`'),
    targetType: z.enum(changeTargets).describe('Kind of the changed thing'),
    targetId: z.string().min(1).describe('Id of the entry or asset, or the key of the site document'),
    slug: z.string().nullable().describe('Slug of a page or post after the change; null: it has none'),
    title: z.string().describe('Title of the changed thing after the change'),
    revision: count.describe("The target's revision after this change; the change is based on the previous one"),
    action: z
      .enum(changeActions)
      .describe(
        'Kind of the change. `delete` moves to the trash, `restore` takes out of it. `discard` resets the draft to the published state. `schedule` sets or removes the time of publication',
      ),
    operations: z
      .array(patchOpSchema)
      .describe('What the change did, as operations; empty if it is not about fields or sections'),
    inverse: z.array(patchOpSchema).describe('Operations that reverse it'),
    summary: z.string().min(1).describe('A short plain sentence: `Added a faq section to "Pricing"`'),
    summaryMessage,
    origin: originSchema,
    undoneBy: z.string().nullable().describe('The change that undid this one'),
    createdAt: anyTime,
  })
  .describe('One write to the site, as the journal keeps it')
  .register(components, { id: 'Change' });
export type ChangeSet = Shape<typeof changeSchema>;

/** Option of every write. */
export interface DryRunOption {
  /** Checks everything and returns the result without writing. */
  readonly dryRun?: boolean | undefined;
}

/** Options of a write of something that exists. */
export interface WriteOptions extends DryRunOption {
  /** Throws a ConflictError unless the target still has this revision. */
  readonly ifRevision?: number | undefined;
}

/** Notes on a write, in addition to its result: about values that the site changed or cannot keep (another slug, for example). */
export type WriteNotes = NotesOfWrite;

/** A former or present state of an entry, which can be shown and restored. */
export const versionSchema = z
  .strictObject({
    revision: z.number().int().describe('Negative: of the CMS’s own, from before it was connected'),
    action: z.enum(changeActions).describe('Kind of the change that made this state'),
    summary: z.string().min(1).describe('The change as a short sentence'),
    summaryMessage,
    actor: z.enum(changeActors).describe('Who or what made the change'),
    userName: z.string().optional().describe('Where there are accounts'),
    createdAt: anyTime,
    title: z.string().describe('Title of the entry in this state'),
    isPublished: z.boolean().describe('Visitors saw (or see) this state'),
  })
  .describe('A former or present state of an entry')
  .register(components, { id: 'EntryVersion' });
export type Version = Shape<typeof versionSchema>;

const textExcerptSchema = z
  .object({
    at: count.describe('Characters of the text before the change that come before this excerpt'),
    before: z.string().describe('The text before the change; empty: nothing was there'),
    after: z.string().describe('The text after the change; empty: it was removed'),
  })
  .describe('One difference of a long text, with the text around it')
  .register(components, { id: 'TextExcerpt' });
/** One difference of a long text, with the text around it. */
export type TextExcerpt = Shape<typeof textExcerptSchema>;

/** One field that a change altered, in readable form. */
export const fieldChangeSchema = z
  .object({
    field: z.string().min(1).describe('`title`, `seo.description`, `faq section › items`, `navigation`, '),
    sectionId: z.string().optional().describe('Id of the section of the field; absent: a field of the entry itself'),
    kind: z.enum(['added', 'removed', 'changed', 'moved']).describe('What happened to the field or section'),
    before: describedJson(
      'Null if the field was or is empty; long texts are complete, except in effects of calls, which contain excerpts',
    ),
    after: describedJson('Value after the change; null if the field is empty now'),
    position: count.optional().describe('Place in its list, from 1: after the change, or where it was removed'),
    excerpts: z.array(textExcerptSchema).optional().describe('The differences of a long text, in order'),
    omitted: z
      .object({
        differences: count.describe('Number of omitted differences'),
        characters: count.describe('Number of omitted characters'),
      })
      .optional()
      .describe('What is not in this answer: whole differences, and characters'),
  })
  .describe('One field that a change altered, in readable form')
  .register(components, { id: 'FieldChange' });
export type FieldChange = Shape<typeof fieldChangeSchema>;

/** Reason why a change cannot be undone: later changes would be lost. */
const conflictSchema = z
  .strictObject({
    change: changeSchema.describe('The change that stays in effect'),
    blockedBy: z
      .array(changeSchema)
      .describe('Later changes that the undo would also reverse; empty if the reason is another one'),
    message: z.string().min(1).describe('A plain sentence'),
    reason: codedMessageSchema.nullable().describe('`message` as data; null if it has no code'),
  })
  .describe('Why a change cannot be undone: later changes would be lost')
  .register(components, { id: 'UndoConflict' });
export type Conflict = Shape<typeof conflictSchema>;

/** Result of an undo: everything or, if requested, what was possible. */
export const undoOutcomeSchema = z
  .strictObject({
    undone: z.array(changeSchema).describe('The changes that performed the undo, in order'),
    conflicts: z
      .array(conflictSchema)
      .describe('Changes that could not be undone, with the reason; empty: all were undone'),
  })
  .register(components, { id: 'UndoOutcome' });
export type UndoOutcome = Shape<typeof undoOutcomeSchema>;

/** Result of restoring entries and documents to their state right after a change. */
export const restoreOutcomeSchema = z
  .strictObject({
    changes: z.array(changeSchema).describe('The changes that did it; undone as one step'),
    along: z.array(changeSchema).describe('Later steps that it takes along, newest first'),
    others: z.array(changeSchema).describe('Later steps of others that it loses, newest first'),
    ...noteFields,
  })
  .register(components, { id: 'RestoreOutcome' });
export type RestoreOutcome = Shape<typeof restoreOutcomeSchema>;

/** Result of a publication. */
export const publicationSchema = z
  .strictObject({
    entry: entrySchema,
    change: changeSchema.nullable().describe('Null: visitors saw that already, so nothing was written'),
    ...noteFields,
  })
  .register(components, { id: 'Publication' });
export type Publication = Shape<typeof publicationSchema>;

/** Result of every other write to an entry: its new state, and the change in the journal. */
export const entryChangeSchema = z
  .strictObject({ entry: entrySchema, change: changeSchema, ...noteFields })
  .register(components, { id: 'EntryChange' });
export type EntryChange = Shape<typeof entryChangeSchema>;
export const assetChangeSchema = z
  .strictObject({ asset: assetSchema, change: changeSchema, ...noteFields })
  .register(components, { id: 'AssetChange' });
export const navigationChangeSchema = navigationListSchema
  .extend({ change: changeSchema, ...noteFields })
  .register(components, { id: 'NavigationChange' });
export const siteSettingsChangeSchema = z
  .strictObject({ settings: siteSettingsSchema, change: changeSchema, ...noteFields })
  .register(components, { id: 'SiteSettingsChange' });
/** Result of a write to the design: the draft after it, and the change in the journal. */
export const designChangeSchema = z
  .strictObject({ design: designSchema, change: changeSchema, ...noteFields })
  .register(components, { id: 'DesignChange' });
export const standingChangeSchema = z
  .strictObject({
    standingInstructions: standingReportSchema,
    change: changeSchema,
  })
  .register(components, { id: 'StandingChange' });

/** A version of an entry: what visitors see, the draft, or the state after a revision. */
export type ComparedVersion = 'published' | 'draft' | number;

/** The two versions of a comparison. */
export interface ComparedVersions {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
}
