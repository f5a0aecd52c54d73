import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { mailStates } from '#server/core/submissions';

/* What visitors sent by the forms of the built-in site. */

/** Forms that were sent. Page and section are no foreign keys: what was sent outlives them. */
export const submissions = sqliteTable(
  'submissions',
  {
    id: text('id').primaryKey(),
    entryId: text('entry_id').notNull(),
    sectionId: text('section_id').notNull(),
    /** Title of the page and heading of the form, as they were then. */
    pageTitle: text('page_title').notNull(),
    formTitle: text('form_title').notNull(),
    /** JSON (core/submissions Answer[]). */
    answers: text('answers', { mode: 'json' }).notNull(),
    /** Labels and answers in lower case, to search in. */
    words: text('words').notNull(),
    isRead: integer('is_read', { mode: 'boolean' }).notNull().default(false),
    mail: text('mail', { enum: mailStates }).notNull(),
    /** Why the last attempt to mail it failed. */
    mailError: text('mail_error'),
    mailTries: integer('mail_tries').notNull().default(0),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('submissions_created').on(t.createdAt, t.id),
    index('submissions_form').on(t.sectionId, t.createdAt),
    index('submissions_unread')
      .on(t.createdAt)
      .where(sql`not is_read`),
    index('submissions_waiting')
      .on(t.createdAt)
      .where(sql`mail = 'waiting'`),
  ],
);

/** One row: how long submissions are kept. */
export const submissionSettings = sqliteTable('submission_settings', {
  id: integer('id').primaryKey(),
  /** Days. */
  keepDays: integer('keep_days').notNull(),
});
