import { z } from 'zod';
import { noteFields } from '#server/core/coded-message';
import { components, count, type Shape } from '#server/core/shapes';
import { changeSchema } from '#server/core/site/changes';

/* The first pages of an empty site. */

/** Result of one step, or of all of them. */
export const startResultSchema = z
  .strictObject({
    changes: z
      .array(changeSchema)
      .max(20)
      .describe('Changes in the journal, oldest first; `POST /api/content/undo` with their ids takes all of them back'),
    pages: z.array(z.string()).max(20).describe('Titles of the pages that were made, which are drafts'),
    total: count.describe('Number of steps; each makes one page'),
    next: count.nullable().describe('The next step; null: everything is made'),
    ...noteFields,
  })
  .register(components, { id: 'StartResult' });
export type StartResult = Shape<typeof startResultSchema>;
