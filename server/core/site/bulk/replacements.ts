import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { components, count, type Shape } from '#server/core/shapes';
import { changeSchema } from '#server/core/site/changes';
import { entrySchema, sectionTypes } from '#server/core/site/content';

/* Find and replace in several pages and posts. */

/** Largest number of entries in one replacement: each is written separately, on a connected site over the network. */
export const MAX_REPLACED_ENTRIES = 100;

const placeSchema = z
  .strictObject({
    where: z.string().describe('The field: `title`, `seo.description`, `body`, `items 2 › answer`'),
    sectionId: z.string().optional().describe('Id of the section; absent: a field of the entry itself'),
    section: z.enum(sectionTypes).optional().describe('Kind of the section'),
    count: z.number().int().min(1).describe('Number of occurrences in this field'),
    occurrences: z
      .array(
        z.strictObject({
          before: z.string().describe('The text around the occurrence'),
          after: z.string().describe('The same text after the replacement'),
        }),
      )
      .describe('Each occurrence, at most 50 of a field'),
  })
  .register(components, { id: 'ReplacementPlace' });

const replacedEntrySchema = z
  .strictObject({
    id: entrySchema.shape.id,
    title: z.string().describe('Title of its draft; its id if there is no such entry'),
    revision: count.describe(
      'Revision of the entry before the replacement; send it with the replacement. 0: there is no such entry',
    ),
    places: z.array(placeSchema).describe('Where the text is replaced'),
    unsafe: z
      .array(
        placeSchema
          .pick({ where: true, sectionId: true, section: true })
          .extend({ before: z.string().describe('The text around the place') }),
      )
      .describe('Where readers see the text, but tags or marks run through the words that would change: not replaced'),
    refusal: z
      .strictObject({
        message: z.string().describe('A plain sentence'),
        reason: codedMessageSchema.nullable().describe('`message` as data; null if it has no code'),
      })
      .nullable()
      .describe('Why this entry is not changed; null: it is'),
  })
  .describe('A page or post that contains the text')
  .register(components, { id: 'ReplacedEntry' });
export type ReplacedEntry = Shape<typeof replacedEntrySchema>;

/** Result of a replacement, or of its dry run. */
export const replacementSchema = z
  .strictObject({
    entries: z.array(replacedEntrySchema).describe('Entries that contain the text'),
    total: count.describe('Number of entries that contain it; `entries` has at most 100 of them'),
    changes: z
      .array(changeSchema)
      .describe('One for each changed entry; an undo of one undoes all. Empty for a dry run'),
  })
  .register(components, { id: 'Replacement' });
export type Replacement = Shape<typeof replacementSchema>;

/** A replacement to make. */
export interface ReplacementRequest {
  readonly find: string;
  readonly replace: string;
  /** Leaves out occurrences within a longer word or number. Default false. */
  readonly wholeWords?: boolean | undefined;
  /** Ignores case. Default false. */
  readonly anyCase?: boolean | undefined;
  /**
   * The entries to change; one at another revision is refused. Undefined: all drafts that contain the text, only for a dry
   * run.
   */
  readonly entries?: readonly { readonly id: string; readonly revision?: number | undefined }[] | undefined;
}
