import { z } from 'zod';
import { codedMessageSchema, noteFields } from '#server/core/coded-message';
import { components, type Shape } from '#server/core/shapes';
import { changeSchema } from '#server/core/site/changes';

/* Actions on several pages and posts at once. */

/** Actions that a batch can perform. */
export const batchActions = ['publish', 'unpublish', 'trash', 'tag', 'author', 'move'] as const;
export type BatchAction = (typeof batchActions)[number];

/** Largest number of entries of one request: a connected site needs about a second for each. */
export const MAX_BATCH_ENTRIES = 50;

const batchItemSchema = z
  .strictObject({
    id: z.string().min(1).describe('Id of the page or post, as it was sent'),
    title: z.string().nullable().describe('Title of its draft; null: it was not found or not reached'),
    outcome: z
      .enum(['done', 'unchanged', 'refused', 'unknown', 'skipped'])
      .describe(
        '`unchanged`: it was in that state already. `refused`: see `error`. `unknown`: the write failed in a way that leaves open whether it was made. `skipped`: not tried, because the time of the request was used up or, with an `error`, because the site cannot be reached; send it again',
      ),
    change: changeSchema.nullable().describe('The change in the journal, which an undo reverses; null: none was made'),
    error: z
      .strictObject({
        code: z.string().describe('As in the error of a request about this entry alone'),
        message: z.string().describe('A plain sentence'),
        reason: codedMessageSchema.nullable().describe('`message` as data; null if it has no code'),
      })
      .nullable()
      .describe('Why it was not changed; null: it was, or needed no change'),
    ...noteFields,
  })
  .describe('What a batch did with one page or post')
  .register(components, { id: 'BatchItem' });
export type BatchItem = Shape<typeof batchItemSchema>;

/** Result of a batch, in the order of its ids. */
export const batchResultSchema = z
  .strictObject({ items: z.array(batchItemSchema).describe('One for each id, in the order of the request') })
  .register(components, { id: 'BatchResult' });
