import { ApprovalNotices, type ApprovalNoticesDeps, type NoticePace } from '#server/services/approval-notices';
import type { LanguageCode } from '#server/core/languages';
import { emailTexts } from '#server/platform/mail/email-texts';
import { type Mailer, MailNotSentError } from '#server/platform/mail/mailer';
import type { Accounts } from '#server/platform/auth/accounts';
import type { PasswordToken } from '#server/platform/auth/password-links';
import type { ServerText } from '#server/core/coded-message';
import { messageOf, textOfError } from '#server/core/errors';
import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { PasswordLink, Person } from '#server/core/admin/people';
import type { MailTest } from '#server/core/admin/settings-report';

/** Emails to people about their accounts and about pending approvals. */
export interface Notifications {
  /**
   * Mails a person the link to choose a password. If it cannot be mailed, the outcome contains the reason and the link,
   * for the administrator to pass on.
   * @param by name of the administrator who sends it
   */
  sendPasswordLink(person: Person, token: PasswordToken, by: string): Promise<PasswordLink>;
  /**
   * Mails a link that the person asked for. After a temporary failure of the mail server it is tried again until the link
   * expires or a newer link replaces it.
   */
  sendRequestedLink(person: Person, token: PasswordToken): Promise<RequestedLink>;
  /** True while a requested link waits for the next attempt to mail it: another link would not arrive earlier. */
  isRetrying(personId: string): boolean;
  /**
   * Call this when an approval may have been requested: the people who may decide it are mailed if it is still pending
   * after `firstMs`.
   */
  checkApprovals(): void;
  close(): void;
}

/** Outcome of the first attempt to mail a requested link. */
export interface RequestedLink {
  /** Why the link was not mailed; null: it was mailed. */
  readonly problem: string | null;
  /** The failure is temporary, and the mail is tried again. */
  readonly isRetried: boolean;
}

/** What the notifications are made from. */
export interface NotificationsDeps extends Omit<ApprovalNoticesDeps, 'people' | 'pace'> {
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
  readonly accounts: Pick<Accounts, 'origin' | 'people'>;
  /** Language of emails to people who have chosen none. */
  readonly defaultLanguage: () => Promise<LanguageCode>;
  readonly pace?: Pace;
}

/** Delays in milliseconds. */
interface Pace extends NoticePace {
  /** Before the second attempt at a link; doubled for each further attempt. */
  readonly retryMs: number;
}

/** The usual delays. People at their screens notice an approval within two minutes; a long turn does not cause a mail for each page. */
const PACE: Pace = { firstMs: 2 * 60_000, nextMs: 10 * 60_000, retryMs: 60_000 };

/** Page where a person chooses a password. */
const LINK_PATH = '/login/new-password';
/** Page that lists the waiting calls. */
const WAITING_PATH = '/account';

/** Creates the notifications of a process. */
export function createNotifications({
  mailer,
  accounts,
  defaultLanguage,
  onFault,
  pace = PACE,
  ...stores
}: NotificationsDeps): Notifications {
  const { origin, people } = accounts;
  const notices = new ApprovalNotices({ ...stores, people, pace, onFault }, async (person, calls) => {
    const { approval } = await textsFor(person);
    const text = approval({ name: person.name, origin, page: `${origin}${WAITING_PATH}`, calls });
    await mailer?.send({ to: person.email, ...text });
  });
  const retries = new Map<string, NodeJS.Timeout>();

  /** In English if the language of the site cannot be read: without this, nobody would get the mail or its link. */
  const textsFor = async ({ language }: Person) => emailTexts(language ?? (await siteLanguage()));
  const siteLanguage = () =>
    defaultLanguage().catch((error: unknown): LanguageCode => {
      onFault('The language of emails could not be read', error);
      return 'en';
    });

  /** The link and its mail. A pending retry of an older link is dropped: the new one replaces it. */
  async function linkMail(person: Person, { token, purpose, expiresAt }: PasswordToken, sender: string | null) {
    clearTimeout(retries.get(person.id));
    retries.delete(person.id);
    // Servers, proxies and logs on the way do not see the part after the #.
    const link = `${origin}${LINK_PATH}#${new URLSearchParams({ token, email: person.email, purpose })}`;
    const { invitation, reset } = await textsFor(person);
    const write = purpose === 'invitation' ? invitation : reset;
    const text = write({ name: person.name, origin, link, expiresAt, sender });
    return { link, mail: { to: person.email, ...text } };
  }

  /** Tries the mail again after `wait` milliseconds, until it is sent, refused for good, replaced by a newer link, or its link has expired. */
  function retry(person: Person, send: () => Promise<void>, expiresAt: number, wait: number): void {
    clearTimeout(retries.get(person.id));
    retries.delete(person.id);
    if (Date.now() + wait >= expiresAt) return;
    const timer = setTimeout(() => {
      const end = () => retries.get(person.id) === timer && retries.delete(person.id);
      send().then(end, (error: unknown) => {
        onFault(`A password link for ${person.id} could not be mailed`, error);
        if (end() && isTemporary(error)) retry(person, send, expiresAt, 2 * wait);
      });
    }, wait);
    retries.set(person.id, timer.unref());
  }

  // Mails that the previous process did not send.
  if (mailer) notices.scheduleCheck();
  return {
    async sendPasswordLink(person, token, by) {
      const { link, mail } = await linkMail(person, token, by);
      const { expiresAt } = token;
      const sent = { problem: null, problemMessage: null, expiresAt };
      if (!mailer) return { ...sent, link, mailedTo: null };
      try {
        await mailer.send(mail);
        return { ...sent, link: null, mailedTo: person.email };
      } catch (error) {
        const text = textOfError(error);
        return { link, mailedTo: null, problem: text.text, problemMessage: messageOfText(text), expiresAt };
      }
    },
    async sendRequestedLink(person, token) {
      if (!mailer) return { problem: 'No mail server is set.', isRetried: false };
      const { mail } = await linkMail(person, token, null);
      try {
        await mailer.send(mail);
        return { problem: null, isRetried: false };
      } catch (error) {
        const isRetried = isTemporary(error);
        if (isRetried) retry(person, () => mailer.send(mail), token.expiresAt, pace.retryMs);
        return { problem: messageOf(error), isRetried };
      }
    },
    isRetrying: (personId) => retries.has(personId),
    checkApprovals: () => {
      if (mailer) notices.scheduleCheck();
    },
    close() {
      notices.close();
      for (const timer of retries.values()) clearTimeout(timer);
    },
  };
}

const outcome = (text: ServerText) => ({ message: text.text, reason: messageOfText(text) });

const isTemporary = (error: unknown) => error instanceof MailNotSentError && error.isTemporary;

/** A test mail, its recipient and the language of its reader. */
interface TestMail {
  readonly origin: string;
  readonly to: string;
  readonly language: LanguageCode;
}

/** Sends a test mail. The answer of the mail server is reported unchanged, for the administrator who has to fix it. */
export async function sendTestMail(mailer: Mailer | null, { origin, to, language }: TestMail): Promise<MailTest> {
  if (!mailer) return { ok: false, ...outcome(serverText('mail-no-server')) };
  try {
    const { test } = await emailTexts(language);
    await mailer.send({ to, ...test(origin) });
    return { ok: true, ...outcome(serverText('mail-taken', { address: to })) };
  } catch (error) {
    return { ok: false, ...outcome(textOfError(error)) };
  }
}
