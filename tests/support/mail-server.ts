import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as the server was handed it. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body, as they were sent. */
  readonly raw: string;
}

/** A mail server on this machine that keeps what it is sent. `await using` ends it. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    // Says nothing of its certificate, which is for tests.
    logger: false,
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      callbackify(text)(stream, (error, raw) => {
        const from = mailFrom === false ? '' : mailFrom.address;
        if (!error) mails.push({ from, to: rcptTo.map(({ address }) => address), raw });
        done(error);
      });
    },
    ...options,
  });
  // Clients that give up are part of the tests.
  server.on('error', () => undefined);
  const { server: listener } = server;
  server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}
