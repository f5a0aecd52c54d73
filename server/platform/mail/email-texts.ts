import { createTranslator } from 'use-intl/core';
import type { ServerText } from '#server/core/coded-message';
import { type LanguageCode, localeOf } from '#server/core/languages';
import { loadMessages } from '#server/core/messages/load-messages';
import { messageRenderer } from '#server/core/messages/render-message';
import { collapseSpaces, shorten } from '#server/core/text/short-text';
import type { EmailText } from '#server/platform/mail/mailer';

/** What an email with a link for choosing a password names. */
interface LinkEmail {
  /** Name of the recipient. */
  readonly name: string;
  /** Origin of the pages of this server. */
  readonly origin: string;
  readonly link: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Name of the administrator who sends the email; null: for an invitation an unnamed one, else the recipient. */
  readonly sender: string | null;
}

/** A call that waits for an approval, as an email lists it. */
export interface EmailedCall {
  /** Name of the person or program that requests the call; null: an assistant without a name. */
  readonly asks: string | null;
  /** Effect of the call in one sentence. */
  readonly summary: ServerText;
}

/** What an email about pending approvals names. */
interface ApprovalEmail {
  /** Name of the recipient. */
  readonly name: string;
  /** Origin of the pages of this server. */
  readonly origin: string;
  /** Address of the page on which the recipient decides. */
  readonly page: string;
  readonly calls: readonly EmailedCall[];
}

/** Where a submission was made. */
interface SubmissionEmail {
  /** Title of the form. */
  readonly form: string;
  /** Title of its page. */
  readonly page: string;
}

/** Texts of all emails in one language. */
export interface EmailTexts {
  /** Invites a person to choose their first password. */
  invitation(this: void, contents: LinkEmail): EmailText;
  /** Sends a link for a new password. */
  reset(this: void, contents: LinkEmail): EmailText;
  /** Informs a person about calls that wait for their approval. */
  approval(this: void, contents: ApprovalEmail): EmailText;
  /** The email that an administrator sends from the settings to test the mail server. @param origin of our pages */
  test(this: void, origin: string): EmailText;
  /** Subject of the email with a submission of a form, and the line that says where it was sent from. */
  submission(this: void, contents: SubmissionEmail): { readonly subject: string; readonly from: string };
}

/** Largest number of calls that an email lists; the page lists all of them. */
const MAX_LISTED_CALLS = 10;
/** Maximum characters of a summary in the subject: mail programs cut longer ones. */
const MAX_SUBJECT_CHARS = 100;

/** Loads the texts of the emails in a language. */
export async function emailTexts(language: LanguageCode): Promise<EmailTexts> {
  const messages = await loadMessages(language);
  const locale = localeOf(language);
  const t = createTranslator({ locale, messages, namespace: 'emails' });
  const render = messageRenderer(locale, messages.server);
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
  const linkValues = ({ name, origin, link, expiresAt }: LinkEmail) => ({
    name: collapseSpaces(name),
    host: hostOf(origin),
    link,
    until: `${when.format(expiresAt)} UTC`,
  });
  const shown = ({ asks, summary }: EmailedCall) => ({
    asks: withoutLinks(asks ?? t('otherAssistant')),
    summary: withoutLinks(render(summary) ?? summary.text),
  });
  return {
    invitation(contents) {
      const values = {
        ...linkValues(contents),
        inviter: contents.sender === null ? t('administrator') : collapseSpaces(contents.sender),
      };
      return {
        subject: t('invitation.subject', values),
        text: t('invitation.text', values),
        link: values.link,
        language,
      };
    },
    reset(contents) {
      const { sender } = contents;
      const by = { hasSender: String(sender !== null), sender: collapseSpaces(sender ?? '') };
      const values = { ...linkValues(contents), ...by };
      return { subject: t('reset.subject', values), text: t('reset.text', values), link: values.link, language };
    },
    approval({ name, origin, page, calls }) {
      const count = calls.length;
      const left = count - MAX_LISTED_CALLS;
      const listed = calls.slice(0, MAX_LISTED_CALLS).map(shown);
      const lines = [
        ...listed.map((call) => t('approval.call', call)),
        ...(left > 0 ? [t('approval.more', { count: left })] : []),
      ];
      const [first] = listed;
      return {
        subject:
          count === 1 && first
            ? t('approval.subject', { summary: shorten(first.summary, MAX_SUBJECT_CHARS) })
            : t('approval.subjectOfMany', { count }),
        text: t('approval.text', {
          name: collapseSpaces(name),
          host: hostOf(origin),
          count,
          calls: lines.join('\n'),
          page,
        }),
        link: page,
        language,
      };
    },
    test: (origin) => ({
      subject: t('test.subject', { host: hostOf(origin) }),
      text: t('test.text', { origin }),
      language,
    }),
    submission: (contents) => ({
      subject: t('submission.subject', { ...contents }),
      from: t('submission.from', { ...contents }),
    }),
  };
}

const hostOf = (origin: string) => new URL(origin).host;

/**
 * Puts a text on one line and changes it so that no mail program shows a link in it: schemes and the dots of host names
 * are written as in phishing reports. For texts of people and programs that may only draft, because the editor who reads
 * the email would trust a link.
 */
function withoutLinks(text: string): string {
  return collapseSpaces(text)
    .replaceAll(/:(?=\/\/)/g, '[:]')
    .replaceAll(/\b(mailto|tel|sms|javascript|data):/gi, '$1[:]')
    .replaceAll(/(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}-]*\p{L})/gu, '[.]');
}
