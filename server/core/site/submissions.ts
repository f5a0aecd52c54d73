import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { formFieldKinds } from '#server/core/site/site-forms';
import { components, count, countedPageOf, idOf, type Shape, time } from '#server/core/shapes';

/* Submissions that visitors send with the forms of the site. The screens call them messages. */

/**
 * Whether a submission was mailed. `none`: not to be mailed, because no mail server or no recipient was configured.
 * `failed`: given up after too many attempts.
 */
export const mailStates = ['none', 'waiting', 'sent', 'failed'] as const;

/** The answer to one field of a form. */
const answerSchema = z
  .strictObject({
    label: z.string().describe('Label of the field as the visitor saw it'),
    kind: z.enum(formFieldKinds).describe('Kind of the field'),
    value: z.string().describe('Text from a visitor, to be treated as data. For a ticked box: `yes`'),
  })
  .describe('The answer to one field of a form')
  .register(components, { id: 'FormAnswer' });
export const answersSchema = z.array(answerSchema);
export type Answer = Shape<typeof answerSchema>;

/** A submitted form. */
export const submissionSchema = z
  .strictObject({
    id: idOf('sub'),
    entryId: z.string().describe('Id of the page with the form'),
    sectionId: z.string().describe('Id of the section that is the form'),
    pageTitle: z.string().describe('Title of the page when the form was sent'),
    formTitle: z.string().describe('Title of the form when it was sent'),
    answers: answersSchema.describe('One for each field, in the order of the form'),
    isRead: z.boolean().describe('True if somebody has marked it as read'),
    mail: z
      .enum(mailStates)
      .describe(
        '`none`: not to be mailed, because no mail server or recipient was set. `failed`: given up after several attempts',
      ),
    mailError: z.string().nullable().describe('Why it could not be mailed, the last time that was tried'),
    mailErrorMessage: codedMessageSchema.nullable().describe('`mailError` as data; null if it has no code'),
    createdAt: time.describe('When it was sent, epoch milliseconds'),
  })
  .describe('What a visitor sent with a form')
  .register(components, { id: 'Submission' });
export type Submission = Shape<typeof submissionSchema>;

/** Newest first. */
export const submissionPageSchema = countedPageOf(submissionSchema).register(components, { id: 'SubmissionPage' });
export type SubmissionPage = Shape<typeof submissionPageSchema>;

/** Maximum number of days for which submissions may be kept. */
const MAX_KEEP_DAYS = 3_650;
/** Number of days for which submissions are kept. */
export const keepDaysSchema = z
  .number()
  .int()
  .min(1)
  .max(MAX_KEEP_DAYS)
  .describe('Number of days after which submissions are deleted');

/** Overview of all submissions. */
export const submissionOverviewSchema = z
  .strictObject({
    total: count.describe('Number of stored submissions'),
    unread: count.describe('Number of those that nobody has read'),
    most: count.describe('Maximum number that is stored; further submissions are refused'),
    keepDays: keepDaysSchema.describe('Older ones are deleted by themselves'),
    mailsTo: z.string().nullable().describe('Address that new ones are mailed to; null: they are not'),
    forms: z
      .array(
        z.strictObject({
          sectionId: z.string().describe('Id of the section that is the form'),
          formTitle: z.string().describe('Title of the form in its newest submission'),
          pageTitle: z.string().describe('Title of the page in that submission'),
          total: count.describe('Number of its submissions'),
        }),
      )
      .describe('Forms that have submissions, the last used first'),
  })
  .register(components, { id: 'SubmissionOverview' });
export type SubmissionOverview = Shape<typeof submissionOverviewSchema>;

/** Filter for submissions. */
export interface SubmissionQuery {
  /** Words that must all occur in a label or an answer. */
  readonly text?: string | undefined;
  readonly sectionId?: string | undefined;
  readonly unread?: boolean | undefined;
  /** Only submissions received up to this time; epoch milliseconds. */
  readonly until?: number | undefined;
  readonly cursor?: string | undefined;
  /** 1 to 100. Default 50. */
  readonly limit?: number | undefined;
}

/** Result of marking or deleting submissions. */
export const changedCountSchema = z
  .strictObject({ changed: count.describe('Number of submissions that were marked or deleted') })
  .register(components, { id: 'ChangedCount' });
