import { expect, it } from 'vitest';
import { createMailer, MailNotSentError } from '#server/platform/mail/mailer';
import { startMailServer } from '#tests/support/mail-server';

const from = 'Chess Club <post@club.example>';
const mail = { to: 'mara@club.example', subject: 'You are invited', text: 'Hello Mara' };

it('a mail reaches the one address that it is for, whole', async () => {
  await using server = await startMailServer();
  const link = `https://cms.example/invitation?token=${'aB3='.repeat(40)}`;
  await createMailer({ url: server.url, from }).send({
    ...mail,
    subject: 'Grüße\r\nBcc: all@club.example',
    text: `Hello Zoë\n\n${link}\n.\nQUIT`,
    replyTo: 'visitor@home.example',
  });
  const [sent, ...more] = server.mails;
  expect(more).toEqual([]);
  expect(sent).toMatchObject({ from: 'post@club.example', to: ['mara@club.example'] });
  expect(sent?.raw).toContain('From: Chess Club <post@club.example>\r\n');
  expect(sent?.raw).toContain('Reply-To: visitor@home.example\r\n');
  expect(sent?.raw).toContain('Auto-Submitted: auto-generated\r\n');
  expect(sent?.raw).not.toMatch(/^Bcc:/im);
  const body = sent?.raw.split('\r\n\r\n').slice(1).join('\r\n\r\n') ?? '';
  expect(body.replaceAll('=\r\n', '')).toBe(`Hello Zo=C3=AB\r\n\r\n${link.replaceAll('=', '=3D')}\r\n.\r\nQUIT\r\n`);
});

it('several addresses in one field, or one with a line break, add no recipients', async () => {
  await using server = await startMailServer();
  const { send } = createMailer({ url: server.url, from });
  for (const to of [
    'a@club.example, b@club.example',
    'a@club.example\r\nRCPT TO:<b@club.example>',
    'a@x, <b@club.example>',
  ])
    await send({ ...mail, to }).catch((error: unknown) => expect(error).toBeInstanceOf(MailNotSentError));
  expect(server.mails.flatMap(({ to }) => to)).not.toContain('b@club.example');
});

it('it signs in with the name and password of the address', async () => {
  const seen: unknown[] = [];
  await using server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      seen.push([username, password]);
      if (password === 'p@ss word') done(null, { user: username });
      else done(new Error('Wrong password'));
    },
  });
  const as = (password: string) =>
    createMailer({ url: `smtp://post%40club.example:${password}@127.0.0.1:${server.port}`, from });
  await as('p%40ss%20word').send(mail);
  expect(server.mails).toHaveLength(1);
  await expect(as('wrong').send(mail)).rejects.toThrow(/Wrong password/);
  expect(seen).toEqual([
    ['post@club.example', 'p@ss word'],
    ['post@club.example', 'wrong'],
  ]);
});

it('uses STARTTLS on this machine if offered, and signs in if AUTH is offered after it', async () => {
  // As Debian's postfix in its `submission` service: AUTH is announced after STARTTLS, mail without it is refused (530).
  const secure: boolean[] = [];
  await using server = await startMailServer({
    authOptional: false,
    onAuth: ({ username }, session, done) => {
      secure.push(session.secure);
      done(null, { user: username });
    },
  });
  await createMailer({ url: `smtp://me:secret@127.0.0.1:${server.port}`, from }).send(mail);
  expect(secure).toEqual([true]);
  expect(server.mails).toHaveLength(1);
});

it('refuses to send without the password where the server offers no sign-in', async () => {
  await using server = await startMailServer({ disabledCommands: ['AUTH'] });
  const url = `smtp://me:secret@127.0.0.1:${server.port}`;
  await expect(createMailer({ url, from }).send(mail)).rejects.toThrow(MailNotSentError);
  expect(server.mails).toEqual([]);
});

it.each([
  ['O"Brien; Söhne: Nord', /^From: =\?UTF-8\?[^\r]*\?= <post@kiln\.example>\r$/m],
  ['Kiln: Shop', /^From: "Kiln: Shop" <post@kiln\.example>\r$/m],
])('sends with the sender name %s as one sender', async (name, header) => {
  await using server = await startMailServer();
  const quoted = `"${name.replaceAll('"', '\\"')}" <post@kiln.example>`;
  await createMailer({ url: server.url, from: quoted }).send(mail);
  expect(server.mails[0]?.raw).toMatch(header);
  expect(server.mails[0]?.from).toBe('post@kiln.example');
});

it('says to write smtp:// where an smtps:// address names a port with STARTTLS', async () => {
  await using server = await startMailServer();
  const failure = createMailer({ url: `smtps://127.0.0.1:${server.port}`, from }).send(mail);
  await expect(failure).rejects.toThrow(/write smtp:\/\/ instead of smtps:\/\//);
});

it('a password leaves this machine over an encrypted connection only', async () => {
  await using server = await startMailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
  // Another spelling of 127.0.0.1, which the mailer takes for a name.
  await expect(createMailer({ url: `smtp://me:secret@127.1:${server.port}`, from }).send(mail)).rejects.toThrow(
    /STARTTLS/,
  );
  expect(server.mails).toEqual([]);
  await using encrypted = await startMailServer({ secure: true });
  // Encrypted from the start, and the certificate is verified: this one is self-signed.
  const toStranger = createMailer({ url: `smtps://127.0.0.1:${encrypted.port}`, from }).send(mail);
  await expect(toStranger).rejects.toThrow(/self-signed|certificate/);
});

it('a failure contains the mail server and its message, and no password', async () => {
  await using server = await startMailServer({
    onRcptTo: (_, __, done) => done(Object.assign(new Error('No such person'), { responseCode: 550 })),
  });
  const failure = createMailer({ url: server.url, from }).send(mail);
  await expect(failure).rejects.toThrow(MailNotSentError);
  await expect(failure).rejects.toThrow(new RegExp(`127\\.0\\.0\\.1:${server.port} .*No such person`));
  const nobody = createMailer({ url: 'smtp://me:secret@127.0.0.1:1', from }).send(mail);
  await expect(nobody).rejects.toThrow(/^(?!.*secret).*ECONNREFUSED/);
  const inACloud = createMailer({ url: 'smtp://169.254.169.254', from }).send(mail);
  await expect(inACloud).rejects.toThrow(/link-local/);
});
