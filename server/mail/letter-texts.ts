import { collapseSpaces, shorten } from '#server/core/short-text';
import type { Mail } from '#server/mail/mailer';

type Letter = Pick<Mail, 'subject' | 'text'>;

/** A link to choose a password with, and who sends it. */
interface LinkLetter {
  readonly name: string;
  /** Address of our pages. */
  readonly origin: string;
  readonly link: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

const hostOf = (origin: string) => new URL(origin).host;
const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
const until = (time: number) => `${when.format(time)} UTC`;

/** @param inviter name of who invites */
export function invitationLetter({ name, origin, link, expiresAt }: LinkLetter, inviter: string): Letter {
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

/** @param by who has sent it; null: its reader asked for it */
export function resetLetter({ name, origin, link, expiresAt }: LinkLetter, by: string | null): Letter {
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

/** Calls that wait for an answer: what each would do, in a sentence, with who asks. */
interface WaitingLetter {
  readonly name: string;
  readonly origin: string;
  /** Page to decide them on. */
  readonly page: string;
  readonly calls: readonly { readonly asks: string; readonly summary: string }[];
}

/** Calls that a mail names; the page has all. */
const MOST_NAMED = 10;
const SUBJECT_CHARS = 100;

export function waitingLetter({ name, origin, page, calls }: WaitingLetter): Letter {
  const one = calls.length === 1;
  const left = calls.length - MOST_NAMED;
  const lines = calls
    .slice(0, MOST_NAMED)
    .map(({ asks, summary }) => `- ${collapseSpaces(asks)}: ${collapseSpaces(summary)}`);
  return {
    subject: one
      ? `Waits for your approval: ${shorten(calls[0]?.summary ?? '', SUBJECT_CHARS)}`
      : `${calls.length} things wait for your approval`,
    text: `Hello ${collapseSpaces(name)},

${one ? 'This waits' : 'These wait'} for your approval at ${hostOf(origin)}:

${[...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n')}

Nothing happens until somebody decides. Read what each would do, and decide:

${page}
`,
  };
}

export function testLetter(origin: string): Letter {
  return {
    subject: `Mail from ${hostOf(origin)} works`,
    text: `This is the test mail that was asked for in the settings of ${origin}. Invitations, links for a forgotten password and what waits for approval come the same way.
`,
  };
}
