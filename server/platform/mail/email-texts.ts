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
}

const hostOf = (origin: string) => new URL(origin).host;
const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
const until = (time: number) => `${when.format(time)} UTC`;

/** Invites a person to choose their first password. @param inviter name of the administrator who invites */
export function invitationEmail({ name, origin, link, expiresAt }: LinkEmail, inviter: string): EmailText {
  const by = collapseSpaces(inviter);
  return {
    subject: `${by} invites you to ${hostOf(origin)}`,
    text: `Hello ${collapseSpaces(name)},

${by} has made an account for you at ${hostOf(origin)}, where the site is edited with Throughline, an assistant. Choose a password to begin:

${link}

The link works once, until ${until(expiresAt)}. If you do not know ${by} or this site, delete this mail: nothing happens then.
`,
  };
}

/** Sends a link for a new password. @param by name of the administrator who requested it; null: the recipient did */
export function resetEmail({ name, origin, link, expiresAt }: LinkEmail, by: string | null): EmailText {
  const why = by === null ? 'Somebody, probably you, asked' : `${collapseSpaces(by)} asked`;
  return {
    subject: `A new password for ${hostOf(origin)}`,
    text: `Hello ${collapseSpaces(name)},

${why} for a new password for your account at ${hostOf(origin)}. Choose it here:

${link}

The link works once, until ${until(expiresAt)}. A new password signs you out everywhere and revokes your API keys. If you did not ask for this, delete this mail: your password stays as it is.
`,
  };
}

/** What an email about pending approvals names. */
interface ApprovalEmail {
  /** Name of the recipient. */
  readonly name: string;
  /** Origin of the pages of this server. */
  readonly origin: string;
  /** Address of the page on which the recipient decides. */
  readonly page: string;
  /** The calls that wait: who requests each (`asks`), and its effect in one sentence (`summary`). */
  readonly calls: readonly { readonly asks: string; readonly summary: string }[];
}

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

/** Largest number of calls that an email lists; the page lists all of them. */
const MAX_LISTED_CALLS = 10;
/** Maximum characters of a summary in the subject: mail programs cut longer ones. */
const MAX_SUBJECT_CHARS = 100;

/** Informs a person about calls that wait for their approval. */
export function approvalEmail({ name, origin, page, calls }: ApprovalEmail): EmailText {
  const one = calls.length === 1;
  const left = calls.length - MAX_LISTED_CALLS;
  const lines = calls
    .slice(0, MAX_LISTED_CALLS)
    .map(({ asks, summary }) => `- ${withoutLinks(asks)}: ${withoutLinks(summary)}`);
  return {
    subject: one
      ? `Waits for your approval: ${shorten(withoutLinks(calls[0]?.summary ?? ''), MAX_SUBJECT_CHARS)}`
      : `${calls.length} things wait for your approval`,
    text: `Hello ${collapseSpaces(name)},

${one ? 'This waits' : 'These wait'} for your approval at ${hostOf(origin)}:

${[...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n')}

Nothing happens until somebody decides. Read what each would do, and decide:

${page}
`,
  };
}

/** The email that an administrator sends from the settings to test the mail server. @param origin of our pages */
export function testEmail(origin: string): EmailText {
  return {
    subject: `Mail from ${hostOf(origin)} works`,
    text: `This is the test mail that was asked for in the settings of ${origin}. Invitations, links for a forgotten password and what waits for approval come the same way.
`,
  };
}
