import { and, asc, count, desc, eq, inArray, lt, lte, not, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { ServerText } from '#server/core/coded-message';
import { messageOfText } from '#server/core/message-data';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import {
  answersSchema,
  type Submission,
  type SubmissionOverview,
  type SubmissionPage,
  type SubmissionQuery,
} from '#server/core/site/submissions';
import { serverText } from '#server/core/messages/server-text';
import { decodeCursor, pageSize, toPage } from '#server/platform/database/cursor';
import type { Database } from '#server/platform/database/database';
import { storableText } from '#server/platform/database/json-column';
import { submissions, submissionSettings } from '#server/platform/database/schema/content';

/** Largest number of submissions that are kept, so that flooding the forms does not fill the disk. */
const MAX_SUBMISSIONS = 20_000;
/** A year: long enough for recurring questions, and visitors' data is not kept forever by oversight. */
const KEEP_DAYS = 365;
const DAY_MS = 86_400_000;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** A visitor's submission that is not yet stored. */
export type NewSubmission = Pick<Submission, 'entryId' | 'sectionId' | 'pageTitle' | 'formTitle' | 'answers' | 'mail'>;

/** A submission that waits to be mailed. */
export interface WaitingSubmission extends Submission {
  /** Number of attempts to mail it. */
  readonly mailTries: number;
}

/** Submissions to change or delete: some, or all that a filter finds. */
export type Selection = { readonly ids: readonly string[] } | { readonly all: SubmissionQuery };

/** Visitors' form submissions. */
export interface SubmissionRepository {
  /** Stores a submission. @throws ConflictError if the limit is reached */
  add(submission: NewSubmission): Promise<Submission>;
  /** A page of submissions, newest first. @throws InvalidInputError for an invalid cursor */
  list(query: SubmissionQuery): Promise<SubmissionPage>;
  /** @throws NotFoundError */
  get(id: string): Promise<Submission>;
  /** All submissions that match a filter, a page at a time, newest first. */
  each(query: SubmissionQuery): AsyncGenerator<readonly Submission[]>;
  /** Marks submissions as read or unread. @returns number of changed submissions */
  mark(selection: Selection, isRead: boolean): Promise<number>;
  /** Deletes permanently. @returns number of deleted submissions */
  remove(selection: Selection): Promise<number>;
  /** Counts of all and of unread submissions, the retention time, and the forms with their numbers. */
  overview(): Promise<Omit<SubmissionOverview, 'mailsTo'>>;
  /** Sets the retention time in days. */
  setKeepDays(days: number): Promise<void>;
  /** Deletes submissions that are older than the retention time. */
  removeOld(): Promise<number>;
  /**
   * Submissions that wait to be mailed, the earliest first.
   * @param firstRetryMs wait before the second attempt at one, milliseconds; it doubles with each attempt
   */
  waiting(firstRetryMs: number): Promise<readonly WaitingSubmission[]>;
  /**
   * Records an attempt to mail a submission.
   * @param error why it failed; null: it was sent
   * @param isOver true: it is not tried again
   */
  mailed(id: string, error: ServerText | null, isOver: boolean): Promise<void>;
}

const cursorSchema = z.tuple([z.number(), z.string()]);
/**
 * Storage of form submissions.
 * @param now epoch milliseconds
 * @param most largest number of submissions that are kept
 */
export function createSubmissionRepository(
  db: Database,
  { now = Date.now, most = MAX_SUBMISSIONS } = {},
): SubmissionRepository {
  const keepDays = async () => (await db.read.select().from(submissionSettings).get())?.keepDays ?? KEEP_DAYS;

  async function list(query: SubmissionQuery): Promise<SubmissionPage> {
    const size = pageSize(query.limit, DEFAULT_LIMIT, MAX_LIMIT);
    const { createdAt, id } = submissions;
    const after = query.cursor === undefined ? undefined : decodeCursor(cursorSchema, query.cursor);
    const matching = matches(query);
    const [rows, counted] = await Promise.all([
      db.read
        .select()
        .from(submissions)
        .where(and(matching, after && sql`(${createdAt}, ${id}) < (${after[0]}, ${after[1]})`))
        .orderBy(desc(createdAt), desc(id))
        .limit(size + 1),
      db.read.select({ total: count() }).from(submissions).where(matching).get(),
    ]);
    return { ...toPage(rows.map(fromRow), size, (last) => [last.createdAt, last.id]), total: counted?.total ?? 0 };
  }

  return {
    async add(submission) {
      const row = {
        ...submission,
        id: createId('sub'),
        answers: submission.answers.map(({ label, kind, value }) => ({ label, kind, value: storableText(value) })),
        words: storableText(submission.answers.map(({ label, value }) => `${label} ${value}`).join('\n')).toLowerCase(),
        createdAt: now(),
      };
      await db.write(async (tx) => {
        const kept = await tx.select({ total: count() }).from(submissions).get();
        if ((kept?.total ?? 0) >= most) throw new ConflictError(serverText('too-many-submissions'));
        await tx.insert(submissions).values(row);
      });
      const { words: _, ...stored } = row;
      return { ...stored, isRead: false, mailError: null, mailErrorMessage: null };
    },

    list,

    async get(id) {
      const row = await db.read.select().from(submissions).where(eq(submissions.id, id)).get();
      if (!row) throw new NotFoundError('message', id);
      return fromRow(row);
    },

    async *each(query) {
      let cursor: string | null | undefined;
      do {
        const page: SubmissionPage = await list({ ...query, limit: MAX_LIMIT, cursor: cursor ?? undefined });
        yield page.items;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },

    mark: (selection, isRead) =>
      db.write(async (tx) => {
        const changed = and(selected(selection), isRead ? not(submissions.isRead) : submissions.isRead);
        return (await tx.update(submissions).set({ isRead }).where(changed).run()).rowsAffected;
      }),

    remove: (selection) =>
      db.write(async (tx) => (await tx.delete(submissions).where(selected(selection)).run()).rowsAffected),

    async overview() {
      const { sectionId, formTitle, pageTitle, createdAt } = submissions;
      const [days, counted, forms] = await Promise.all([
        keepDays(),
        db.read
          .select({ total: count(), unread: sql<number>`coalesce(sum(not ${submissions.isRead}), 0)` })
          .from(submissions)
          .get(),
        // For a bare column next to max(), SQLite takes the value of that row: the newest title.
        db.read
          .select({ sectionId, formTitle, pageTitle, total: count(), last: sql<number>`max(${createdAt})` })
          .from(submissions)
          .groupBy(sectionId)
          .orderBy(desc(sql`max(${createdAt})`))
          .limit(MAX_LIMIT),
      ]);
      return {
        total: counted?.total ?? 0,
        unread: counted?.unread ?? 0,
        most,
        keepDays: days,
        forms: forms.map(({ last: _, ...form }) => form),
      };
    },

    async setKeepDays(days) {
      await db.write((tx) =>
        tx
          .insert(submissionSettings)
          .values({ id: 1, keepDays: days })
          .onConflictDoUpdate({ target: submissionSettings.id, set: { keepDays: days } }),
      );
    },

    async removeOld() {
      const before = now() - (await keepDays()) * DAY_MS;
      return db.write(
        async (tx) => (await tx.delete(submissions).where(lt(submissions.createdAt, before)).run()).rowsAffected,
      );
    },

    async waiting(firstRetryMs) {
      // The sum of all waits so far, which double: the first attempt is immediate.
      const isDue = sql`${submissions.createdAt} + ${firstRetryMs} * ((1 << ${submissions.mailTries}) - 1) <= ${now()}`;
      const rows = await db.read
        .select()
        .from(submissions)
        .where(and(sql`${submissions.mail} = 'waiting'`, isDue))
        .orderBy(asc(submissions.createdAt))
        .limit(MAX_LIMIT);
      return rows.map((row) => ({ ...fromRow(row), mailTries: row.mailTries }));
    },

    async mailed(id, error, isOver) {
      const mail = error === null ? 'sent' : isOver ? 'failed' : 'waiting';
      await db.write((tx) =>
        tx
          .update(submissions)
          .set({
            mail,
            mailError: error && error.text,
            mailErrorMessage: error && messageOfText(error),
            mailTries: sql`${submissions.mailTries} + 1`,
          })
          .where(eq(submissions.id, id)),
      );
    },
  };
}

function selected(selection: Selection): SQL | undefined {
  return 'ids' in selection ? inArray(submissions.id, [...selection.ids]) : matches(selection.all);
}

function matches({ text = '', sectionId, unread, until }: SubmissionQuery): SQL | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return and(
    ...words.map((word) => sql`instr(${submissions.words}, ${word}) > 0`),
    sectionId === undefined ? undefined : eq(submissions.sectionId, sectionId),
    unread === true ? not(submissions.isRead) : undefined,
    until === undefined ? undefined : lte(submissions.createdAt, until),
  );
}

function fromRow({ words: _, mailTries: __, answers, ...row }: typeof submissions.$inferSelect): Submission {
  return { ...row, answers: answersSchema.parse(answers) };
}
