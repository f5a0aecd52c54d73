import type { FaultLog } from '#server/core/process';
import { InvalidInputError, textOfError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { Submission } from '#server/core/site/submissions';
import { createRepeatingTimer, type RepeatingTimer } from '#server/core/repeating-timer';
import { type LanguageCode, languageOfTag } from '#server/core/languages';
import { emailTexts } from '#server/platform/mail/email-texts';
import type { Mailer } from '#server/platform/mail/mailer';
import type { Leases } from '#server/platform/database/leases';
import type { ContentBackend } from '#server/site/content-backend';
import type { SubmissionRepository, WaitingSubmission } from '#server/site/store/submission-repository';

/** Largest number of attempts to mail a submission; the last is about a day after the first. */
const MAX_ATTEMPTS = 8;
/** Wait before the second attempt, milliseconds; it doubles with each attempt. */
const FIRST_RETRY_MS = 10 * 60_000;
/** Interval of the search for waiting or expired submissions; milliseconds. */
const CHECK_INTERVAL_MS = 5 * 60_000;

interface DeliveryOptions extends FaultLog {
  readonly submissions: SubmissionRepository;
  /** Its settings name the address to which submissions are mailed. */
  readonly content: ContentBackend;
  /** Null: no mail server is set. */
  readonly mailer: Mailer | null;
  /** Page on which the submission can be read; null: unknown. */
  readonly readAt: string | null;
  readonly leases: Leases;
}

/**
 * Mails submissions, in one process at a time. If the mail server does not accept a mail, it is tried again after
 * growing intervals, for a day. Deletes submissions after their retention time.
 */
export class SubmissionDelivery implements RepeatingTimer {
  readonly #options: DeliveryOptions;
  readonly #timer: RepeatingTimer;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#timer = createRepeatingTimer(async (closing) => {
      await this.#deliverDue(closing).catch((error: unknown) =>
        options.onFault('Messages of visitors could not be looked after', error),
      );
      return CHECK_INTERVAL_MS;
    });
  }

  /** Address to which new submissions are mailed; null if they are only stored. */
  async recipient(): Promise<string | null> {
    return this.#options.mailer === null ? null : (await this.#options.content.settings()).contactEmail || null;
  }

  start(): void {
    this.#timer.start();
  }

  wake(): void {
    this.#timer.wake();
  }

  close(): Promise<void> {
    return this.#timer.close();
  }

  async #mailOne(submission: WaitingSubmission): Promise<void> {
    const { submissions, content, mailer, readAt, onFault } = this.#options;
    const { id, mailTries } = submission;
    const { contactEmail: to, language } = await content.settings();
    try {
      if (!mailer) throw new InvalidInputError(serverText('mail-no-server'));
      if (to === '') throw new InvalidInputError(serverText('mail-no-recipient'));
      await mailer.send({ to, ...(await mailOf(submission, readAt, languageOfTag(language))) });
      await submissions.mailed(id, null, true);
    } catch (error) {
      onFault('A message of a visitor could not be mailed', error);
      const reason = textOfError(error);
      await submissions.mailed(id, { ...reason, text: reason.text.slice(0, 500) }, mailTries + 1 >= MAX_ATTEMPTS);
    }
  }

  async #deliverDue(closing: AbortSignal): Promise<void> {
    const { submissions, leases } = this.#options;
    await submissions.removeOld();
    if ((await submissions.waiting(FIRST_RETRY_MS)).length === 0) return;
    await leases.ifFree('mail-submissions', async (lost) => {
      for (const submission of await submissions.waiting(FIRST_RETRY_MS))
        if (!closing.aborted && !lost.aborted) await this.#mailOne(submission);
    });
  }
}

/**
 * A submission as mail, in the language of the site. Replies go to the visitor if the form has a field for an email
 * address.
 */
async function mailOf(
  { id, createdAt, pageTitle, formTitle, answers }: Submission,
  readAt: string | null,
  language: LanguageCode,
) {
  const { submission } = await emailTexts(language);
  const { subject, from } = submission({ form: formTitle, page: pageTitle });
  const replyTo = answers.find(({ kind }) => kind === 'email')?.value;
  const lines = answers.map(({ label, value }) =>
    value.includes('\n') ? `${label}:\n${value}\n` : `${label}: ${value}`,
  );
  return {
    source: { id, createdAt },
    subject,
    text: [...lines, '', from, ...(readAt === null ? [] : [readAt])].join('\n'),
    language,
    ...(readAt !== null && { link: readAt }),
    ...(replyTo !== undefined && { replyTo }),
  };
}
