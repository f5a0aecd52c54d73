import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { components } from '#server/core/shapes';
import { MAX_BATCH_ENTRIES } from '#server/core/site/bulk/batches';
import { MAX_REPLACED_ENTRIES } from '#server/core/site/bulk/replacements';

/* Requests about several pages and posts. */

/** Largest number of tags that one batch adds or removes. */
const MAX_TAGS = 20;

const ids = z
  .array(z.string().min(1).max(80))
  .min(1)
  .max(MAX_BATCH_ENTRIES)
  .refine((each) => new Set(each).size === each.length, valueRules.entryTwice)
  .describe('Ids of pages and posts, in the order in which they are changed');
const tags = z.array(z.string().trim().min(1).max(80)).max(MAX_TAGS).default([]);

/** What to do with several pages and posts. */
export const batchBody = z
  .discriminatedUnion('action', [
    z
      .strictObject({
        action: z.enum(['publish', 'unpublish', 'trash']).describe('`trash`: moves them to the trash'),
        ids,
      })
      .register(components, { id: 'BatchStateBody' }),
    z
      .strictObject({
        action: z.literal('tag').describe('Changes the tags of the drafts'),
        ids,
        add: tags.describe('Tags to add; those that an entry has already keep their spelling'),
        remove: tags.describe('Tags to remove, in any case'),
      })
      .refine(({ add, remove }) => add.length + remove.length > 0, valueRules.noTag)
      .register(components, { id: 'BatchTagBody' }),
    z
      .strictObject({
        action: z.literal('author').describe('Changes the author that the drafts name'),
        ids,
        author: z.string().trim().max(120).describe('Name of the author; empty: none'),
      })
      .register(components, { id: 'BatchAuthorBody' }),
    z
      .strictObject({
        action: z.literal('move').describe('Moves pages below another page; posts are refused'),
        ids,
        parent: z.string().min(1).max(80).nullable().describe('Id of the page above; null: none'),
      })
      .register(components, { id: 'BatchMoveBody' }),
  ])
  .transform((batch) => ({ add: [], remove: [], author: '', parent: null, ...batch }))
  .register(components, { id: 'BatchBody' });

/** A text to replace in drafts. */
export const replaceBody = z
  .strictObject({
    find: z.string().min(1).max(5_000).describe('The exact text, with its punctuation'),
    replace: z.string().max(50_000).describe('The text in its place; empty removes it'),
    wholeWords: z.boolean().default(false).describe('Leaves out parts of longer words or numbers'),
    anyCase: z.boolean().default(false).describe('Also finds it in other upper and lower case'),
    entries: z
      .array(
        z.strictObject({
          id: z.string().min(1).max(80).describe('Id of a page or post'),
          revision: z
            .number()
            .int()
            .min(1)
            .optional()
            .describe('Refuse this entry unless the revision is still this one'),
        }),
      )
      .min(1)
      .max(MAX_REPLACED_ENTRIES)
      .refine((each) => new Set(each.map(({ id }) => id)).size === each.length, valueRules.entryTwice)
      .optional()
      .describe('The drafts to change. Absent, for a dry run only: all that contain the text'),
  })
  .register(components, { id: 'ReplaceBody' });
