import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { keepDaysSchema } from '#server/core/site/submissions';
import { components, idOf, time } from '#server/core/shapes';

/* Requests for the submissions of forms. */

/** The form that a visitor submits. */
export const formParams = z.object({
  entry: z.string().regex(/^(pag|pos)_[0-9a-z]{6}$/, 'is not the id of a page'),
  section: z.string().regex(/^sec_[0-9a-z]{4,32}$/, 'is not the id of a section'),
});

const text = z.string().min(1).max(500).optional().describe('Words, each of which a label or an answer holds');
const sectionId = z.string().min(1).max(40).optional().describe('Only from this form');

const filterQuery = z.object({ text, sectionId, unread: z.literal('1').optional() });

export const submissionsQuery = filterQuery.extend({
  cursor: z.string().min(1).max(500).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional(),
});
export const exportSubmissionsQuery = filterQuery;

/** Some submissions by their ids, or all that a filter finds. */
const selected = {
  ids: z.array(idOf('sub')).min(1, valueRules.atLeastOne).max(100).describe('Ids of the submissions'),
};
const until = time.optional().describe('Only what had come by then: nobody has seen what came later');
const all = {
  all: z
    .strictObject({
      text,
      sectionId,
      unread: z.boolean().optional().describe('True: only unread ones. Default false'),
      until,
    })
    .describe('Which submissions are meant')
    .register(components, { id: 'SubmissionFilter' }),
};

export const deleteSubmissionsBody = z
  .union([
    z.strictObject(selected).register(components, { id: 'SelectedSubmissions' }),
    z.strictObject(all).register(components, { id: 'FilteredSubmissions' }),
  ])
  .register(components, { id: 'DeleteSubmissionsBody' });
export const markSubmissionsBody = z
  .union([
    z
      .strictObject({ ...selected, isRead: z.boolean().describe('True: marks them as read; false: as unread') })
      .register(components, { id: 'MarkSelectedSubmissions' }),
    z
      .strictObject({ ...all, isRead: z.boolean().describe('True: marks them as read; false: as unread') })
      .register(components, { id: 'MarkFilteredSubmissions' }),
  ])
  .register(components, { id: 'MarkSubmissionsBody' });
/** Sets the number of days for which submissions are kept. */
export const keepSubmissionsBody = z
  .strictObject({ keepDays: keepDaysSchema })
  .register(components, { id: 'KeepSubmissionsBody' });
