import { z } from 'zod';
import { changeActors, changeTargets } from '#server/core/site/changes';
import { trashKinds } from '#server/core/site/trash';
import { entryParams, versionNumber } from '#server/http/schemas/content';
import { components } from '#server/core/shapes';

const flag = z.enum(['0', '1', 'false', 'true']).transform((text) => text === '1' || text === 'true');
const name = z.string().min(1).max(80);

/* Requests for the journal (changes, undo, restore, trash), and the options of all writes to a site. */

/** Options of every write: check everything without writing, and refuse if the target has changed since. */
export const writeQuery = z.object({
  dryRun: flag.optional().describe('Check everything and say what the result would be, but write nothing'),
  ifRevision: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Refuse with 409 unless the revision is still this one'),
});

/**
 * Options of a write to a document of the site (menu, settings, standing instructions), whose revision is 0 before its
 * first write.
 */
export const documentWriteQuery = writeQuery.extend({
  ifRevision: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Refuse with 409 unless the revision is still this one; 0: nothing was stored yet'),
});

/** Options of a write that creates or undoes something: no single revision applies to it. */
export const tryQuery = writeQuery.pick({ dryRun: true });

const changeId = z
  .string()
  .max(80)
  .regex(/^chg_[0-9a-z]+$/, 'is not the id of a change');

export const changesQuery = z
  .object({
    targetId: name.optional(),
    targetType: z.enum(changeTargets).optional(),
    sessionId: name.optional(),
    turnId: name.optional(),
    actor: z.enum(changeActors).optional(),
    cursor: changeId.optional().describe('`nextCursor` of the page before'),
    before: changeId.optional().describe('Id of a change: those before it. The same as `cursor`'),
    after: changeId
      .optional()
      .describe('Id of a change: those after it, the oldest first; `nextCursor` is the next `after`'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .refine(
    (query) => [query.cursor, query.before, query.after].filter((id) => id !== undefined).length < 2,
    'cursor, before and after each say where to go on from: send one',
  )
  .transform(({ cursor, before = cursor, ...query }) => ({ ...query, before }));

export const changeParams = z.object({ id: name });

export const versionParams = entryParams.extend({ revision: versionNumber(z.coerce.number()) });

const comparedVersion = z
  .string()
  .regex(/^(?:published|draft|[1-9][0-9]{0,9})$/)
  .transform((text) => (text === 'published' || text === 'draft' ? text : Number(text)))
  .describe('`published`, `draft`, or the number of a revision');

/** Which versions of an entry to compare. */
export const differencesQuery = z.object({
  from: comparedVersion.default('published'),
  to: comparedVersion.default('draft'),
});

// The three shapes of an undo list each other's fields, so that an invalid value is reported as such and not as an unknown
// field.
const notAll = z.literal(false, 'must be true or false').optional().describe('Absent or false');
const notThese = z.never().optional();
const dryRun = z.boolean().optional().describe('True: says what would be undone, and writes nothing. Default false');

/**
 * Which changes to undo: one by its id, the newest of a session, several by their ids, or (`all`) those of a whole session
 * or of some of its turns.
 */
export const undoBody = z
  .union([
    z
      .strictObject({
        changeId: name.optional().describe('Id of the change to undo; absent: the newest of the session'),
        sessionId: name
          .optional()
          .describe(
            'Id of a session of the caller, in which the undo is recorded; without `changeId`, its newest change is undone',
          ),
        all: notAll,
        changeIds: notThese,
        dryRun,
      })
      .register(components, { id: 'UndoChangeBody' }),
    z
      .strictObject({
        changeIds: z.array(name).min(1).max(1_000).describe('Ids of the changes to undo, in any order'),
        all: notAll,
        along: z.boolean().default(false).describe('With all later changes in the same places'),
        sessionId: name
          .optional()
          .describe('Id of a session of the caller, in which the undo is recorded; absent: in none'),
        dryRun,
      })
      .register(components, { id: 'UndoChangesBody' }),
    z
      .strictObject({
        sessionId: name.describe('Id of the session of the caller whose changes are undone'),
        all: z.literal(true).describe('All changes of the session, or of `turnIds`'),
        changeIds: notThese,
        turnIds: z
          .array(name)
          .min(1)
          .max(1_000)
          .optional()
          .describe('Only changes of these turns of the session; absent: of all'),
        partial: z.boolean().optional().describe('Take back what can be taken back, and tell the rest as conflicts'),
        dryRun,
      })
      .register(components, { id: 'UndoAllBody' }),
  ])
  .register(components, { id: 'UndoBody' });

/**
 * Point in time to restore, and what to restore: `targetId` or `path` only, or everything that the session has changed
 * since.
 */
export const restoreToBody = z
  .strictObject({
    changeId: name.describe('Things become what they were right after this change'),
    sessionId: name.describe('Id of the session whose changes are restored'),
    targetId: name
      .optional()
      .describe(
        'Id of the entry, picture or document to restore; absent: everything that the session has changed since',
      ),
    path: z
      .string()
      .startsWith('/')
      .max(500)
      .optional()
      .describe('In place of `targetId`: the page there then, or now'),
    overOthers: z.boolean().optional().describe('Also where later steps of others are lost'),
    dryRun: z.boolean().optional().describe('True: says what would be restored, and writes nothing. Default false'),
  })
  .register(components, { id: 'RestoreSiteBody' });

export const trashQuery = z.object({
  kind: z.enum(trashKinds).default('entries'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().min(1).max(1_000).optional(),
});
