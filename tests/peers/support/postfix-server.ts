import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '#scripts/lib/tests/programs';
import { runInBackground } from '#tests/peers/support/running-program';
import { freePort } from '#tests/support/free-port';

/** Name and password that Postfix accepts. */
export const MAIL_USER = 'post@kiln.example';
export const MAIL_PASSWORD = 'p@ss/word: ü';

/** Why there are no tests with Postfix on this machine; null: there are. */
export function whyNoPostfix(): string | null {
  if (findProgram(['postfix']) === undefined) return 'there is no Postfix here';
  // Its master process starts others under other user ids.
  return process.getuid?.() === 0 ? null : 'Postfix runs only when root starts it';
}

/** A Postfix with its own configuration and queue, which delivers mail for `kiln.example` into one mailbox. */
export interface PostfixServer extends AsyncDisposable {
  /** The service `submission` as in Debian's master.cf: STARTTLS and a password are required. */
  readonly submissionPort: number;
  /** The service `smtp` without TLS, for clients on this machine. */
  readonly plainPort: number;
  /** Delivered mails, header and body, by the names of their files. */
  readonly mails: () => ReadonlyMap<string, string>;
  /** Sets the answer to a recipient, for example `450 4.2.1 Busy`; undefined: the mail is accepted. */
  readonly answerTo: (recipient: string, answer: string | undefined) => void;
}

/**
 * Accepts the password over Dovecot's authentication protocol (version 1.1, doc.dovecot.org), which Debian's Postfix
 * supports without another package; only PLAIN.
 */
async function startPasswords() {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const greeting = ['VERSION\t1\t1', 'MECH\tPLAIN\tplaintext', 'SPID\t1', 'CUID\t1', `COOKIE\t${'0'.repeat(32)}`];
    socket.write(`${[...greeting, 'DONE'].join('\n')}\n`);
    createInterface({ input: socket }).on('line', (line) => {
      const [command, id, ...parameters] = line.split('\t');
      if (command !== 'AUTH') return;
      const response = parameters.find((each) => each.startsWith('resp='))?.slice('resp='.length) ?? '';
      const [, user, password] = Buffer.from(response, 'base64').toString().split('\0');
      const isRight = user === MAIL_USER && password === MAIL_PASSWORD;
      socket.write(`${isRight ? 'OK' : 'FAIL'}\t${id}\tuser=${user}\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Starts Debian's Postfix on free loopback ports. @throws when it ends instead of starting */
export async function startPostfix(): Promise<PostfixServer> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-postfix-'));
  // Its processes run under other user ids.
  chmodSync(folder, 0o755);
  const inFolder = (name: string) => join(folder, name);
  for (const name of ['config', 'queue', 'data', 'mail']) mkdirSync(inFolder(name));
  const idOf = (user: string) => Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }));
  const nobody = idOf('nobody');
  chownSync(inFolder('data'), idOf('postfix'), 0);
  chownSync(inFolder('mail'), nobody, nobody);
  const [certificate, key, answers] = [inFolder('certificate.pem'), inFolder('key.pem'), inFolder('answers')];
  // Self-signed, as the one that Debian makes for it.
  const words = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  execFileSync('openssl', ['req', ...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  writeFileSync(answers, '');
  const [submissionPort, plainPort, passwords] = [await freePort(), await freePort(), await startPasswords()];
  const settings = {
    compatibility_level: '3.6',
    queue_directory: inFolder('queue'),
    data_directory: inFolder('data'),
    myhostname: 'mail.kiln.example',
    mydestination: '',
    inet_interfaces: 'loopback-only',
    inet_protocols: 'ipv4',
    maillog_file: inFolder('log'),
    maillog_file_prefixes: folder,
    // Otherwise it answers a second later after each refusal.
    smtpd_error_sleep_time: '0',
    alias_maps: '',
    local_recipient_maps: '',
    mynetworks: '127.0.0.0/8',
    virtual_mailbox_domains: 'kiln.example',
    virtual_mailbox_maps: 'static:inbox/',
    virtual_mailbox_base: inFolder('mail'),
    virtual_uid_maps: `static:${nobody}`,
    virtual_gid_maps: `static:${nobody}`,
    smtpd_tls_cert_file: certificate,
    smtpd_tls_key_file: key,
    smtpd_sasl_type: 'dovecot',
    smtpd_sasl_path: `inet:127.0.0.1:${passwords.port}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(inFolder('config/main.cf'), `${lines.join('\n')}\n`);
  // The services of Debian's master.cf that these mails need. `max_use=1`: each connection reads the answers again.
  const answered = `-o max_use=1 -o smtpd_recipient_restrictions=check_recipient_access,texthash:${answers}`;
  writeFileSync(
    inFolder('config/master.cf'),
    `127.0.0.1:${submissionPort} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt -o smtpd_sasl_auth_enable=yes -o smtpd_tls_auth_only=yes
  ${answered},permit_sasl_authenticated,reject
127.0.0.1:${plainPort} inet n - n - - smtpd ${answered},permit_mynetworks,reject
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
virtual unix - n n - - virtual
postlog unix-dgram n - n - 1 postlogd
`,
  );
  const [postfix = ''] = [findProgram(['postfix'])];
  const configuration = ['-c', inFolder('config')];
  // Creates the folders of the queue.
  execFileSync(postfix, [...configuration, 'check'], { stdio: 'pipe' });
  const [programs = ''] = execFileSync(findProgram(['postconf']) ?? '', [...configuration, '-h', 'daemon_directory'], {
    encoding: 'utf8',
  }).split('\n');
  // -d: it stays in the process group that ends with the tests.
  const running = runInBackground(join(programs, 'master'), [...configuration, '-d']);
  await running.untilReady(async () => (await greetingOf(plainPort)).startsWith('220'));
  const inbox = inFolder('mail/inbox/new');
  return {
    submissionPort,
    plainPort,
    mails: () => {
      try {
        return new Map(readdirSync(inbox).map((name) => [name, readFileSync(join(inbox, name), 'utf8')]));
      } catch {
        // The first delivery creates the mailbox.
        return new Map();
      }
    },
    answerTo: (recipient, answer) => {
      writeFileSync(answers, answer === undefined ? '' : `${recipient} ${answer}\n`);
      // Postfix waits before it reads a table that is younger than a second (src/util/dict_thash.c).
      utimesSync(answers, 1, 1);
    },
    async [Symbol.asyncDispose]() {
      await running.end();
      passwords.server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function greetingOf(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    const [data] = (await once(socket, 'data')) as [Buffer];
    return data.toString();
  } finally {
    socket.destroy();
  }
}

/** A connection to a mail server that breaks when the server accepts a mail, before the client reads that it did. */
export async function startBreakingRelay(port: number) {
  let breaks = 0;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const end = () => [client, upstream].map((socket) => socket.destroy());
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.on('data', (data: Buffer) => {
      if (breaks > 0 && data.includes('queued as')) {
        breaks -= 1;
        end();
      } else client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    breakNext: () => void (breaks += 1),
    [Symbol.dispose]: () => void server.close(),
  };
}
