import { messageOf } from '#server/core/errors';
import type { Submission } from '#server/core/submissions';
import { createUpkeep, type Upkeep } from '#server/core/upkeep';
import type { Mailer } from '#server/mail/mailer';
import type { Leases } from '#server/store/leases';
import type { SubmissionRepository } from '#server/store/submission-repository';

/** Attempts to mail one; the last is about a day after the first. */
const MOST_TRIES = 8;
/** Wait before the second attempt, milliseconds; it doubles with each. */
const FIRST_RETRY_MS = 10 * 60_000;
/** Time between looks for submissions that wait or have expired; milliseconds. */
const LOOK_MS = 5 * 60_000;

interface MailDeps {
  readonly submissions: Pick<SubmissionRepository, 'waiting' | 'mailed' | 'removeOld'>;
  /** Null: no mail server is set. */
  readonly mailer: Mailer | null;
  /** Address that forms are mailed to; empty: none. */
  readonly recipient: () => Promise<string>;
  /** Page to read it on; null: unknown. */
  readonly readAt: string | null;
  readonly leases: Pick<Leases, 'ifFree'>;
  readonly onFault: (message: string, error: unknown) => void;
}

/**
 * Mails submissions, one process at a time: what a mail server does not take is tried again later and later, for a day.
 * Deletes those that are older than they are kept.
 */
export function createSubmissionUpkeep(deps: MailDeps): Upkeep {
  const { submissions, leases, onFault } = deps;

  async function mailOne(submission: Awaited<ReturnType<typeof submissions.waiting>>[number]): Promise<void> {
    const { id, mailTries } = submission;
    const to = await deps.recipient();
    try {
      if (!deps.mailer) throw new Error('No mail server is set.');
      if (to === '') throw new Error('The site has no e-mail address.');
      await deps.mailer.send({ to, ...mailOf(submission, deps.readAt) });
      await submissions.mailed(id, null, true);
    } catch (error) {
      onFault('A message of a visitor could not be mailed', error);
      await submissions.mailed(id, messageOf(error).slice(0, 500), mailTries + 1 >= MOST_TRIES);
    }
  }

  async function look(closing: AbortSignal): Promise<void> {
    await submissions.removeOld();
    if ((await submissions.waiting(FIRST_RETRY_MS)).length === 0) return;
    await leases.ifFree('mail-submissions', async (lost) => {
      for (const submission of await submissions.waiting(FIRST_RETRY_MS))
        if (!closing.aborted && !lost.aborted) await mailOne(submission);
    });
  }

  return createUpkeep(async (closing) => {
    await look(closing).catch((error: unknown) => onFault('Messages of visitors could not be looked after', error));
    return LOOK_MS;
  });
}

/** A submission as mail. Answers go to who wrote, where a field asked for an address. */
function mailOf({ pageTitle, formTitle, answers }: Submission, readAt: string | null) {
  const replyTo = answers.find(({ kind }) => kind === 'email')?.value;
  const lines = answers.map(({ label, value }) =>
    value.includes('\n') ? `${label}:\n${value}\n` : `${label}: ${value}`,
  );
  return {
    subject: `${formTitle} (${pageTitle})`,
    text: [
      ...lines,
      '',
      `Sent by the form “${formTitle}” on the page “${pageTitle}”.`,
      ...(readAt === null ? [] : [readAt]),
    ].join('\n'),
    ...(replyTo !== undefined && { replyTo }),
  };
}
