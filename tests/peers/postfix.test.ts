import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeases } from '#server/platform/database/leases';
import { createMailer } from '#server/platform/mail/mailer';
import { SubmissionDelivery } from '#server/site/forms/submission-delivery';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createContentRepository } from '#server/site/store/content-repository';
import { createSubmissionRepository } from '#server/site/store/submission-repository';
import {
  MAIL_PASSWORD,
  MAIL_USER,
  type PostfixServer,
  startBreakingRelay,
  startPostfix,
  whyNoPostfix,
} from '#tests/peers/support/postfix-server';
import { createTestDatabase } from '#tests/support/test-database';

/* Mail through Debian's Postfix, which is what `smtp://localhost` usually is. */

const missing = whyNoPostfix();
if (missing !== null) console.log(`SKIPPED: ${missing}. Mail through Postfix was not tested.`);

describe.skipIf(missing !== null)('mail through Postfix', () => {
  const from = 'Kiln <post@kiln.example>';
  const mail = { to: 'mara@kiln.example', subject: 'You are invited', text: 'Hello Mara' };
  let postfix: PostfixServer;
  const read = new Set<string>();

  beforeAll(async () => {
    postfix = await startPostfix();
  });
  afterAll(() => postfix?.[Symbol.asyncDispose]());

  const submission = (password = MAIL_PASSWORD, protocol = 'smtp') => {
    const user = `${encodeURIComponent(MAIL_USER)}:${encodeURIComponent(password)}`;
    return `${protocol}://${user}@127.0.0.1:${postfix.submissionPort}`;
  };

  /** The next mail that was not read yet, once it is delivered; there must not be more. */
  async function nextMail(): Promise<string> {
    const unread = () => [...postfix.mails()].filter(([name]) => !read.has(name));
    await expect.poll(unread).toHaveLength(1);
    const [[name, raw] = ['', '']] = unread();
    read.add(name);
    return raw;
  }

  const headerOf = (raw: string, name: string) =>
    new RegExp(`^${name}: (.*(?:\\n[ \\t].*)*)`, 'im').exec(raw.split('\n\n')[0] ?? '')?.[1]?.replaceAll(/\n\s+/g, ' ');

  it.each([
    [from, 'Kiln <post@kiln.example>'],
    ['"Kiln: Shop" <post@kiln.example>', '"Kiln: Shop" <post@kiln.example>'],
    [String.raw`"O\"Brien, Söhne" <post@kiln.example>`, /^=\?UTF-8\?.*\?= <post@kiln\.example>$/],
  ])('reaches the submission service by STARTTLS and password, with the sender %s', async (sender, header) => {
    await createMailer({ url: submission(), from: sender }).send(mail);
    const raw = await nextMail();
    // Encrypted (S) and signed in (A), RFC 3848.
    expect(headerOf(raw, 'Received')).toContain(' with ESMTPSA ');
    // The address of the envelope.
    expect(headerOf(raw, 'Return-Path')).toBe('<post@kiln.example>');
    expect(headerOf(raw, 'From')).toEqual(typeof header === 'string' ? header : expect.stringMatching(header));
    expect(headerOf(raw, 'Delivered-To')).toBe('mara@kiln.example');
    expect(headerOf(raw, 'Auto-Submitted')).toBe('auto-generated');
    expect(headerOf(raw, 'Message-ID')).toMatch(/^<[^<>\s]+@kiln\.example>$/);
  });

  it.each([
    ['a wrong password', () => submission('wrong'), /authentication failed/i],
    ['no password', () => `smtp://127.0.0.1:${postfix.submissionPort}`, /Access denied/],
    ['TLS from the start', () => submission(MAIL_PASSWORD, 'smtps'), /write smtp:\/\/ instead of smtps:\/\//],
  ])('names the cause with %s', async (_, url, cause) => {
    await expect(createMailer({ url: url(), from }).send(mail)).rejects.toThrow(cause);
  });

  it('distinguishes temporary from permanent refusals of a recipient', async () => {
    const { send } = createMailer({ url: submission(), from });
    postfix.answerTo(mail.to, '450 4.2.1 The mailbox is busy');
    await expect(send(mail)).rejects.toMatchObject({ code: 'mail_not_sent', isTemporary: true });
    postfix.answerTo(mail.to, '550 5.1.1 No such person');
    await expect(send(mail)).rejects.toMatchObject({ code: 'mail_not_sent', isTemporary: false });
    postfix.answerTo(mail.to, undefined);
    await send(mail);
    await nextMail();
  });

  it('delivers a temporarily refused form later, and marks the copy after a lost answer', async () => {
    await using db = await createTestDatabase();
    using relay = await startBreakingRelay(postfix.plainPort);
    let time = Date.UTC(2026, 4, 1, 9);
    const submissions = createSubmissionRepository(db, { now: () => time });
    const content = new EmbeddedSite(createContentRepository(db));
    await content.updateSettings({ contactEmail: 'club@kiln.example' }, { actor: 'user' });
    /** Mails the form that waits, as a process does that has just started. */
    const mailForm = async (port: number, state: string) => {
      const { send } = createMailer({ url: `smtp://127.0.0.1:${port}`, from });
      const tried = Promise.withResolvers<void>();
      const delivery = new SubmissionDelivery({
        submissions,
        mailer: { send: (form) => send(form).finally(tried.resolve) },
        content,
        readAt: null,
        leases: createLeases(db),
        onFault: () => undefined,
      });
      delivery.start();
      await tried.promise;
      await delivery.close();
      expect((await submissions.list({})).items).toMatchObject([{ mail: state }]);
    };
    const answers = [{ label: 'E-mail', kind: 'email' as const, value: 'visitor@home.example' }];
    const form = { entryId: 'pag_1', sectionId: 'sec_1', pageTitle: 'Contact', formTitle: 'Write to us', answers };
    const { id } = await submissions.add({ ...form, mail: 'waiting' });

    postfix.answerTo('club@kiln.example', '451 4.3.0 Try again later');
    await mailForm(postfix.plainPort, 'waiting');
    postfix.answerTo('club@kiln.example', undefined);
    time += 20 * 60_000;
    relay.breakNext();
    await mailForm(relay.port, 'waiting');
    const first = await nextMail();
    time += 60 * 60_000;
    await mailForm(relay.port, 'sent');
    const second = await nextMail();
    for (const raw of [first, second]) {
      expect(headerOf(raw, 'Message-ID')).toBe(`<${id}@kiln.example>`);
      expect(headerOf(raw, 'Date')).toBe('Fri, 01 May 2026 09:00:00 +0000');
      expect(headerOf(raw, 'Reply-To')).toBe('visitor@home.example');
    }
  });
});
