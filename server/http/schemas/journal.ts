import { z } from 'zod';
import { changeActions, changeActors, changeTargets, patchOpSchema } from '#server/core/content';
import { trashKinds } from '#server/core/site-lists';
import { components } from '#server/http/schemas/components';
import { entryParams, versionNumber } from '#server/http/schemas/content';
import { anyTime, count, json, notes } from '#server/http/schemas/fields';

const flag = z.enum(['0', '1', 'false', 'true']).transform((text) => text === '1' || text === 'true');
const name = z.string().min(1).max(80);

/** What every write takes: check everything but write nothing, and refuse what has changed since. */
export const writeQuery = z.object({
  dryRun: flag.optional().describe('Check everything and say what the result would be, but write nothing'),
  ifRevision: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Refuse with 409 unless the revision is still this one'),
});

export const changesQuery = z.object({
  targetId: name.optional(),
  targetType: z.enum(changeTargets).optional(),
  sessionId: name.optional(),
  turnId: name.optional(),
  actor: z.enum(changeActors).optional(),
  before: name.optional().describe('Id of a change: those before it'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const changeParams = z.object({ id: name });

export const versionParams = entryParams.extend({ revision: versionNumber(z.coerce.number()) });

/** One change by its id, the newest of a session, or (`all`) a whole session or some of its turns. */
export const undoBody = z.union([
  z.strictObject({
    changeId: name.optional(),
    sessionId: name.optional(),
    dryRun: z.boolean().optional(),
  }),
  z.strictObject({
    sessionId: name,
    all: z.literal(true),
    turnIds: z.array(name).min(1).max(1_000).optional(),
    partial: z.boolean().optional().describe('Take back what can be taken back, and tell the rest as conflicts'),
    dryRun: z.boolean().optional(),
  }),
]);

components.add(patchOpSchema, { id: 'Operation' });

/** One write, as the journal keeps it. */
export const changeSchema = z
  .strictObject({
    id: z.string().regex(/^chg_/),
    targetType: z.enum(changeTargets),
    targetId: z.string().min(1),
    slug: z.string().nullable(),
    title: z.string(),
    revision: count,
    action: z.enum(changeActions),
    operations: z.array(patchOpSchema),
    inverse: z.array(patchOpSchema),
    summary: z.string().min(1),
    origin: z.strictObject({
      actor: z.enum(changeActors),
      userId: z.string().optional(),
      userName: z.string().optional().describe('Where there are accounts'),
      sessionId: z.string().optional(),
      turnId: z.string().optional(),
      toolCallId: z.string().optional(),
      approvalId: z.string().optional(),
    }),
    undoneBy: z.string().nullable().describe('The change that undid this one'),
    createdAt: anyTime,
  })
  .register(components, { id: 'Change' });

/** One field that a change altered. */
const fieldChangeSchema = z
  .strictObject({
    field: z.string().min(1),
    sectionId: z.string().optional(),
    kind: z.enum(['added', 'removed', 'changed', 'moved']),
    before: json,
    after: json,
  })
  .register(components, { id: 'FieldChange' });

/** What links to an entry or shows a picture. */
export const referenceSchema = z
  .strictObject({
    kind: z.enum(['link', 'image', 'child', 'navigation', 'home']),
    from: z.strictObject({
      type: z.enum(['page', 'post', 'navigation', 'settings']),
      id: z.string().min(1),
      title: z.string(),
      sectionId: z.string().optional(),
    }),
    text: z.string(),
    isPublished: z.boolean(),
    isPlanned: z.literal(true).optional().describe('In what is published by itself at a time to come'),
  })
  .register(components, { id: 'Reference' });

/** What a call would do that waits for a decision. */
export const effectSchema = z.strictObject({
  summary: z.string().min(1),
  targets: z.array(
    z.strictObject({ type: z.string().min(1), id: z.string().min(1), title: z.string(), revision: count }),
  ),
  changes: z.array(fieldChangeSchema),
  references: z.array(referenceSchema),
  warnings: z.array(z.string()),
});

export const changePageSchema = z.strictObject({
  items: z.array(changeSchema),
  nextCursor: z.string().nullable().describe('The `before` of the next page'),
});

export const changeDetailSchema = z.strictObject({
  change: changeSchema,
  fields: z.array(fieldChangeSchema),
  blockedBy: z.array(changeSchema).nullable().describe('What an undo would lose; null: it can be taken back'),
});

export const conflictSchema = z.strictObject({
  change: changeSchema,
  blockedBy: z.array(changeSchema),
  message: z.string().min(1),
});

/** One change, or (`all`) what an undo of many did. */
export const undoneSchema = z.union([
  z.strictObject({ change: changeSchema, notes }),
  z.strictObject({ undone: z.array(changeSchema), conflicts: z.array(conflictSchema), notes }),
]);

export const trashQuery = z.object({
  kind: z.enum(trashKinds).default('entries'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().min(1).max(1_000).optional(),
});
