import { z } from 'zod';
import { formFieldKinds } from '#server/core/site-forms';
import { count, countedPageOf, idOf, type Shape, time } from '#server/core/shapes';

/* Submissions: sent by visitors with the forms of the site. The screens call them messages. */

/** `none`: there was no mail server, or nobody to mail it to. `failed`: tried so often that it is given up. */
export const mailStates = ['none', 'waiting', 'sent', 'failed'] as const;

const answerSchema = z.strictObject({
  /** Name of the field as the visitor saw it. */
  label: z.string(),
  kind: z.enum(formFieldKinds),
  /** Text of a visitor: data, whatever it says. Of a box that was ticked: `yes`. */
  value: z.string(),
});
export const answersSchema = z.array(answerSchema);
export type Answer = Shape<typeof answerSchema>;

/** A form that was sent. */
export const submissionSchema = z.strictObject({
  id: idOf('sub'),
  entryId: z.string(),
  sectionId: z.string(),
  pageTitle: z.string(),
  formTitle: z.string(),
  answers: answersSchema,
  isRead: z.boolean(),
  mail: z.enum(mailStates),
  mailError: z.string().nullable().describe('Why it could not be mailed, the last time that was tried'),
  createdAt: time,
});
export type Submission = Shape<typeof submissionSchema>;

/** Newest first. */
export const submissionPageSchema = countedPageOf(submissionSchema);
export type SubmissionPage = Shape<typeof submissionPageSchema>;

/** Days that submissions may be kept. */
const MOST_DAYS = 3_650;
export const keepDaysSchema = z.number().int().min(1).max(MOST_DAYS);

/** All of them at a glance. */
export const submissionOverviewSchema = z.strictObject({
  total: count,
  unread: count,
  /** Most that are kept; at that number none are taken any more. */
  most: count,
  keepDays: keepDaysSchema.describe('Older ones are deleted by themselves'),
  mailsTo: z.string().nullable().describe('Address that new ones are mailed to; null: they are not'),
  /** Forms that something came from, the last used first. */
  forms: z.array(z.strictObject({ sectionId: z.string(), formTitle: z.string(), pageTitle: z.string(), total: count })),
});
export type SubmissionOverview = Shape<typeof submissionOverviewSchema>;

/** Filter for submissions. */
export interface SubmissionQuery {
  /** Words, each of which a label or an answer holds. */
  readonly text?: string | undefined;
  readonly sectionId?: string | undefined;
  readonly unread?: boolean | undefined;
  /** Only what had come by then; epoch milliseconds. */
  readonly until?: number | undefined;
  readonly cursor?: string | undefined;
  /** 1 to 100. Default 50. */
  readonly limit?: number | undefined;
}

/** Result of marking or deleting some. */
export const changedCountSchema = z.strictObject({ changed: count });
