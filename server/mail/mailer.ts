import { callbackify } from 'node:util';
import type { Options } from 'nodemailer/lib/smtp-transport';
import { percentDecoded } from '#server/core/addresses';
import { messageOf, ThroughlineError } from '#server/core/errors';
import { collapseSpaces } from '#server/core/short-text';
import { configuredNetwork, guardedSocket } from '#server/outgoing/network';

/** A mail of plain text to one person. */
export interface Mail {
  /** An address alone: `mara@club.example`. */
  readonly to: string;
  /** Line breaks become spaces. */
  readonly subject: string;
  readonly text: string;
  /** Receives the answers instead of the sender. */
  readonly replyTo?: string;
}

/** A mail server, and whom its mail comes from. */
export interface MailServer {
  /** `smtp://` (STARTTLS) or `smtps://`, with name and password where the server wants them. */
  readonly url: string;
  /** `post@club.example` or `Club <post@club.example>`. */
  readonly from: string;
}

/** Sends mail through one mail server. */
export interface Mailer {
  /**
   * Resolves when the mail server has taken the mail, which is no proof that it arrives.
   * @throws MailNotSentError
   */
  send(this: void, mail: Mail): Promise<void>;
}

/** The mail server did not take a mail. The message is for an administrator: it names the server and what it said. */
export class MailNotSentError extends ThroughlineError {
  static override readonly code = 'mail_not_sent';
}

/** A mail server that says nothing for so long is given up; milliseconds. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/**
 * Makes what sends mail. A password is sent over an encrypted connection only, except to this machine: where the server of
 * an `smtp://` address offers no STARTTLS, nothing is sent. Each mail has a connection of its own.
 */
export function createMailer({ url, from }: MailServer): Mailer {
  const { protocol, hostname, port: givenPort, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'smtps:';
  const port = givenPort === '' ? (secure ? 465 : 587) : Number(givenPort);
  const isHere = /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
  const auth = username === '' ? undefined : { user: percentDecoded(username), pass: percentDecoded(password) };
  const openSocket = guardedSocket(configuredNetwork);
  const connect = callbackify(async () => ({ connection: await openSocket(host, port, CONNECT_MS) }));
  const options: Options = {
    host,
    port,
    secure,
    requireTLS: auth !== undefined && !secure && !isHere,
    // A mail server on this machine often has a certificate of its own making.
    ignoreTLS: isHere,
    ...(auth && { auth }),
    getSocket: (_, done) => connect(done),
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Nothing that a mail says makes this server read a file or ask another one.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    async send({ to, subject, text, replyTo }) {
      try {
        // Loaded with the first mail: most servers send none.
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({
          from,
          // As a pair, an address is never read as a list of several.
          to: { name: '', address: to },
          ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
          subject: collapseSpaces(subject),
          text,
        });
      } catch (error) {
        throw new MailNotSentError(
          `The mail was not sent. The mail server ${host}:${port} could not take it: ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
  };
}
