import { callbackify } from 'node:util';
import type { Options } from 'nodemailer/lib/smtp-transport';
import { percentDecoded } from '#server/core/addresses';
import type { ServerText } from '#server/core/coded-message';
import type { LanguageCode } from '#server/core/languages';
import { messageOf, ThroughlineError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { collapseSpaces } from '#server/core/text/short-text';
import { parseSender } from '#server/platform/mail/sender';
import { configuredNetwork, guardedSocket } from '#server/platform/outgoing/network';

/** What an email says. */
export interface EmailText {
  /** Line breaks become spaces. */
  readonly subject: string;
  readonly text: string;
  /** A line of the text that is an address of this server. */
  readonly link?: string;
  /** Language of the text. */
  readonly language?: LanguageCode;
}

/** A mail to one person, as plain text. */
export interface Mail extends EmailText {
  /** An address alone: `mara@club.example`. */
  readonly to: string;
  /** Receives the replies instead of the sender. */
  readonly replyTo?: string;
  /** The text as HTML, for mail programs that show it. */
  readonly html?: string;
  /** Pictures of the HTML: PNG. */
  readonly pictures?: readonly { readonly cid: string; readonly data: Uint8Array }[];
  /**
   * Identifies the message when it is sent a second time after a lost answer, so that mail programs recognize the copy:
   * Message-ID and Date are derived from it. Without it, each attempt is a separate message.
   */
  readonly source?: MailSource;
}

/** The stored item that a mail reports, for example a submission of a form. */
export interface MailSource {
  /** Unique id of the source: letters, digits, `_` and `-`. */
  readonly id: string;
  /** When the source was created, in epoch milliseconds. */
  readonly createdAt: number;
}

/** Configuration of outgoing mail. */
export interface MailServer {
  /** `smtp://` (STARTTLS) or `smtps://`, with user name and password if the server requires them. */
  readonly url: string;
  /** `post@club.example` or `Club <post@club.example>`, as `parseSender` reads it. */
  readonly from: string;
}

/** Sends mail through one mail server. */
export interface Mailer {
  /**
   * Sends a mail. Resolves when the mail server has accepted it, which does not prove that it is delivered.
   * @throws MailNotSentError
   */
  send(this: void, mail: Mail): Promise<void>;
}

/**
 * The mail server did not accept a mail. The message is for administrators: it names the server and quotes its answer.
 * `isTemporary`: the server answered with a 4xx code (RFC 5321, 4.2.1), or the connection failed, so a later attempt may
 * succeed.
 */
export class MailNotSentError extends ThroughlineError {
  static override readonly code = 'mail_not_sent';
  readonly isTemporary: boolean;

  constructor(message: ServerText, isTemporary: boolean, cause: unknown) {
    super(message, { cause });
    this.isTemporary = isTemporary;
  }
}

/** Time limits of a silent mail server: for the connection, and for each answer; milliseconds. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/**
 * Creates a mailer that opens one connection for each mail. STARTTLS is used wherever the server offers it. A password is
 * sent only over an encrypted connection, except to this machine: without STARTTLS nothing is sent to other machines.
 *
 * @throws Error when `from` is not a sender that `parseSender` accepts
 */
export function createMailer({ url, from }: MailServer): Mailer {
  const { protocol, hostname, port: givenPort, username, password } = new URL(url);
  const sender = parseSender(from);
  if (!sender) throw new Error(`"${from}" is not a sender.`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'smtps:';
  const port = givenPort === '' ? (secure ? 465 : 587) : Number(givenPort);
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
  const auth = username === '' ? undefined : { user: percentDecoded(username), pass: percentDecoded(password) };
  const openSocket = guardedSocket(configuredNetwork);
  const connect = callbackify(async () => ({ connection: await openSocket(host, port, CONNECT_MS) }));
  const options: Options = {
    host,
    port,
    secure,
    requireTLS: auth !== undefined && !secure && !isLoopback,
    // A mail server on this machine often has a self-signed certificate. Debian's postfix creates one when it is installed.
    ...(isLoopback && !secure && { tls: { rejectUnauthorized: false } }),
    // Without forceAuth, nodemailer leaves the password out where the server does not announce AUTH.
    ...(auth && { auth, forceAuth: true }),
    getSocket: (_, done) => connect(done),
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // The content of a mail must not make this server read a file or request an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  return {
    async send({ to, subject, text, replyTo, source, html, pictures = [] }) {
      try {
        // Loaded with the first mail: most installations send none.
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({
          from: sender,
          // As a pair, an address is never read as a list of addresses.
          to: { name: '', address: to },
          ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
          ...(source && { messageId: `<${source.id}@${domain}>`, date: new Date(source.createdAt) }),
          subject: collapseSpaces(subject),
          text,
          ...(html !== undefined && { html }),
          attachments: pictures.map(({ cid, data }) => ({
            cid,
            content: Buffer.from(data),
            contentType: 'image/png',
            contentDisposition: 'inline',
          })),
          // RFC 3834: keeps vacation responders from answering.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        const reason = explain(error, secure);
        throw new MailNotSentError(
          serverText('mail-not-sent', { server: `${host}:${port}`, reason }),
          isTemporaryFailure(error),
          error,
        );
      }
    },
  };
}

/** Codes of nodemailer for connections that failed (nodemailer/lib/errors). */
const CONNECTION_CODES = new Set(['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ECONNRESET']);

/** True for a 4xx code of the server (RFC 5321, 4.2.1), and for a failed connection. */
function isTemporaryFailure(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  if (typeof responseCode === 'number') return responseCode >= 400 && responseCode < 500;
  return typeof code === 'string' && CONNECTION_CODES.has(code);
}

/** Codes of Node's errors of OpenSSL, for example when the other side answers in plain text. */
const NO_TLS = /^ERR_SSL_/;

/** The error's message, with advice where the protocol of the address is wrong. */
function explain(error: unknown, secure: boolean): string | ServerText {
  // nodemailer replaces the code of Node by its own, and keeps it as `originalCode`.
  const { originalCode, timeoutType } = error as { originalCode?: unknown; timeoutType?: unknown };
  if (secure && typeof originalCode === 'string' && NO_TLS.test(originalCode))
    return serverText('mail-no-tls-at-start');
  const reason = messageOf(error);
  return !secure && timeoutType === 'GREETING_TIMEOUT' ? serverText('mail-tls-at-start', { reason }) : reason;
}
