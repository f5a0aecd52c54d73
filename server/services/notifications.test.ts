import { NO_APPROVAL } from '#tests/support/decisions';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CallReach } from '#server/core/conversation/pending-approvals';
import type { EditorialCall } from '#server/core/conversation/approvals';
import type { Person } from '#server/core/admin/people';
import type { Role } from '#server/core/admin/access-rights';
import { serverText } from '#server/core/messages/server-text';
import { createMailer } from '#server/platform/mail/mailer';
import { createNotifications, type Notifications, type NotificationsDeps } from '#server/services/notifications';
import { createApprovalMailRepository } from '#server/conversation/store/approval-mail-repository';
import type { Database } from '#server/platform/database/database';
import { createTestDatabase } from '#tests/support/test-database';
import { startMailServer } from '#tests/support/mail-server';

const ORIGIN = 'https://cms.example';

const person = (name: string, role: Role, more: Partial<Person> = {}): Person => ({
  id: `usr_${name}`,
  name,
  email: `${name.toLowerCase()}@kiln.example`,
  role,
  banned: false,
  isInvited: false,
  language: null,
  sites: null,
  createdAt: 1,
  ...more,
});

const asked = (partId: string, createdAt = Date.now() - 60_000): EditorialCall => ({
  approvalId: NO_APPROVAL,
  partId,
  sessionId: 'ses_1',
  turnId: 'trn_1',
  toolCallId: partId,
  toolName: 'publish_content',
  input: {},
  effect: { summary: `Puts "${partId}" on the site`, targets: [], changes: [], references: [], warnings: [] },
  userId: 'usr_Arthur',
  userName: 'Arthur',
  siteId: 'embedded',
  createdAt,
});

let notifications: Notifications;
let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  notifications.close();
  await db.close();
});

async function start(deps: Partial<NotificationsDeps> = {}, people: readonly Person[] = []) {
  const mail = await startMailServer();
  const onFault = vi.fn();
  notifications = createNotifications({
    mailer: createMailer({ url: mail.url, from: 'post@kiln.example' }),
    accounts: {
      origin: ORIGIN,
      people: { list: async () => [...people] } as unknown as NotificationsDeps['accounts']['people'],
    },
    defaultLanguage: async () => 'en',
    turns: { editorialCalls: async () => [] },
    callRequests: { list: async () => [] },
    approvalMails: createApprovalMailRepository(db),
    onFault,
    pace: PACE,
    ...deps,
  });
  return { mail, onFault };
}

const PACE = { firstMs: 1, nextMs: 1, retryMs: 1 };

const token = { token: 'se-cret', purpose: 'invitation', expiresAt: Date.UTC(2027, 0, 4, 9) } as const;

it('an invitation is mailed with its secret in the fragment, or else its link is returned', async () => {
  const { mail } = await start();
  await using _ = mail;
  const sent = await notifications.sendPasswordLink(person('Edith', 'editor'), token, 'Olive\r\nBcc: all@kiln.example');
  expect(sent).toEqual({
    link: null,
    mailedTo: 'edith@kiln.example',
    problem: null,
    problemMessage: null,
    expiresAt: token.expiresAt,
  });
  expect(mail.mails.map(({ to }) => to)).toEqual([['edith@kiln.example']]);
  const raw = mail.mails[0]!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  expect(raw).toContain(`${ORIGIN}/login/new-password#token=se-cret&email=edith%40kiln.example&purpose=invitation`);
  expect(raw).toContain('4 January 2027 at 09:00 UTC');
  expect(raw).not.toMatch(/^Bcc/im);
});

it('a link that cannot be mailed is returned with the reason', async () => {
  const { mail } = await start();
  await mail[Symbol.asyncDispose]();
  const failed = await notifications.sendPasswordLink(person('Edith', 'editor'), token, 'Olive');
  expect(failed).toMatchObject({ mailedTo: null, link: expect.stringContaining('#token=se-cret') });
  expect(failed).toMatchObject({
    problem: expect.stringContaining('The mail was not sent'),
    problemMessage: { code: 'mail-not-sent' },
  });
  notifications.close();
  await using other = (await start({ mailer: null })).mail;
  const unset = await notifications.sendPasswordLink(person('Edith', 'editor'), token, 'Olive');
  expect(unset).toMatchObject({ mailedTo: null, problem: null, link: failed.link });
  notifications.checkApprovals();
  expect(other.mails).toEqual([]);
});

it('a link is mailed in English if the language of the site cannot be read', async () => {
  const defaultLanguage = () => Promise.reject(new Error('disk'));
  const { mail, onFault } = await start({ defaultLanguage });
  await using _ = mail;
  const edith = person('Edith', 'editor');
  expect(await notifications.sendPasswordLink(edith, token, 'Olive')).toMatchObject({ problem: null });
  expect(decoded(mail.mails[0]!.raw)).toContain('4 January 2027');
  expect(onFault).toHaveBeenCalledOnce();
});

/** A mail without its quoted-printable encoding. */
const decoded = (raw: string) =>
  Buffer.from(
    raw
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16))),
    'latin1',
  ).toString();

it('mails are in the language of their reader, else in that of the site', async () => {
  const summary = serverText('publish', {
    title: 'Preise',
    path: '/preise',
    time: null,
    isPrivate: false,
    isUpdate: true,
  });
  const { text, ...message } = summary;
  const call = asked('Preise');
  const calls = [{ ...call, effect: { ...call.effect!, summary: text, message } }];
  const defaultLanguage = vi.fn(async () => 'de' as const);
  const people = [person('Edith', 'editor', { language: 'de' }), person('Olive', 'admin', { language: 'en' })];
  const { mail } = await start({ defaultLanguage, turns: { editorialCalls: async () => calls } }, people);
  await using _ = mail;
  const mailTo = (name: string) => decoded(mail.mails.find(({ to }) => to[0]!.startsWith(name))?.raw ?? '');
  await expect.poll(() => mail.mails.length).toBe(2);
  expect(mailTo('edith')).toContain('Arthur: Stellt die Änderungen an „Preise“ online, unter /preise.');
  expect(mailTo('edith')).toContain('Guten Tag Edith,');
  expect(mailTo('olive')).toContain('Arthur: Puts the changes of "Preise" on the site');
  expect(defaultLanguage).not.toHaveBeenCalled();
  await notifications.sendPasswordLink(person('Ivy', 'editor'), token, 'Olive');
  expect(mailTo('ivy')).toContain('Olive hat für Sie ein Konto bei cms.example angelegt.');
  expect(mailTo('ivy')).toContain('Montag, 4. Januar 2027 um 09:00 UTC');
  await notifications.sendRequestedLink(person('Paul', 'editor'), { ...token, purpose: 'reset' });
  expect(mailTo('paul')).toContain('Jemand, vermutlich Sie selbst, hat ein neues Passwort');
});

it('pending approvals are mailed to those who may decide, once; later ones in another mail', async () => {
  const waiting = [asked('Pricing')];
  const reaches: CallReach[] = [];
  const people = [
    person('Olive', 'admin'),
    person('Edith', 'editor'),
    person('Arthur', 'author'),
    person('Bob', 'editor', { banned: true }),
    person('Ivy', 'editor', { isInvited: true }),
  ];
  const { mail, onFault } = await start(
    {
      turns: { editorialCalls: async () => waiting },
      callRequests: { list: async (reach) => (reaches.push(reach), []) },
    },
    people,
  );
  await using _ = mail;
  notifications.checkApprovals();
  notifications.checkApprovals();
  const to = () => mail.mails.flatMap((each) => each.to).toSorted();
  await expect.poll(to).toEqual(['edith@kiln.example', 'olive@kiln.example']);
  expect(mail.mails[0]?.raw).toContain('Arthur: Puts "Pricing" on the site');
  expect(mail.mails[0]?.raw).toContain(`${ORIGIN}/account`);
  // Of everybody else's calls, an administrator is not told.
  expect(new Set(reaches.map(({ others }) => others))).toEqual(new Set(['authors']));
  waiting.push(asked('Opening hours'));
  notifications.checkApprovals();
  await expect.poll(() => to().length).toBe(4);
  expect(mail.mails.at(-1)?.raw).toContain('2 things wait for your approval');
  expect(onFault).not.toHaveBeenCalled();
});

it('pending approvals are mailed again to recipients that the mail server refused for now', async () => {
  let refusals = 1;
  await using strict = await startMailServer({
    onMailFrom: (_from, _session, done) => done(refusals-- > 0 ? new Error('Try again later') : null),
  });
  const mailer = createMailer({ url: strict.url, from: 'post@kiln.example' });
  const turns = { editorialCalls: async () => [asked('Pricing')] };
  const { mail, onFault } = await start({ mailer, turns }, [person('Edith', 'editor')]);
  await using _ = mail;
  notifications.checkApprovals();
  await expect.poll(() => strict.mails.map(({ to }) => to)).toEqual([['edith@kiln.example']]);
  expect(onFault).toHaveBeenCalledOnce();
});

it('an unreachable recipient is tried three times, and does not delay others', async () => {
  let refusals = 0;
  await using strict = await startMailServer({
    onRcptTo: ({ address }, _session, done) => {
      const isDead = address.startsWith('dead@');
      if (isDead) refusals += 1;
      done(isDead ? new Error('No such mailbox') : null);
    },
  });
  const mailer = createMailer({ url: strict.url, from: 'post@kiln.example' });
  const calls = [asked('Pricing')];
  const people = [person('Dead', 'editor'), person('Edith', 'editor')];
  const { mail } = await start({ mailer, turns: { editorialCalls: async () => calls } }, people);
  await using _ = mail;
  notifications.checkApprovals();
  await expect.poll(() => refusals).toBe(3);
  calls.push(asked('Workshops'));
  notifications.checkApprovals();
  await expect.poll(() => strict.mails.length).toBe(2);
  await expect.poll(() => refusals).toBe(6);
  expect(strict.mails.map(({ to }) => to)).toEqual([['edith@kiln.example'], ['edith@kiln.example']]);
});

it('mails about each approval once, also after a restart or a request during downtime', async () => {
  const calls = [asked('Pricing')];
  const deps = { turns: { editorialCalls: async () => calls } };
  const edith = [person('Edith', 'editor')];
  const first = (await start(deps, edith)).mail;
  await using _ = first;
  await expect.poll(() => first.mails.length).toBe(1);
  notifications.close();
  calls.push(asked('Opening hours', Date.now() - 60 * 60_000));
  const second = (await start(deps, edith)).mail;
  await using __ = second;
  await expect.poll(() => second.mails.length).toBe(1);
  notifications.close();
  const onList = vi.fn(async () => calls);
  const third = (await start({ turns: { editorialCalls: onList } }, edith)).mail;
  await using ___ = third;
  await expect.poll(() => onList.mock.calls.length).toBe(1);
  calls.push(asked('Contact'));
  notifications.checkApprovals();
  await expect.poll(() => third.mails.length).toBe(1);
  expect(first.mails).toHaveLength(1);
});

it('does not mail about an approval before its two minutes, although another one is due', async () => {
  const calls = [asked('Pricing', Date.now() - 60_000), asked('Contact', Date.now() + 3_600_000)];
  const { mail } = await start({ turns: { editorialCalls: async () => calls } }, [person('Edith', 'editor')]);
  await using _ = mail;
  await expect.poll(() => mail.mails.length).toBe(1);
  expect(mail.mails[0]?.raw).toContain('Pricing');
  expect(mail.mails[0]?.raw).not.toContain('Contact');
});

it('tries a requested link again after a temporary refusal, and gives up after a permanent one', async () => {
  const answers = [451, 421];
  await using strict = await startMailServer({
    onMailFrom(_from, _session, done) {
      const responseCode = answers.shift();
      done(responseCode === undefined ? null : Object.assign(new Error('Refused'), { responseCode }));
    },
  });
  const mailer = createMailer({ url: strict.url, from: 'post@kiln.example' });
  const { mail } = await start({ mailer });
  await using _ = mail;
  const reset = { ...token, purpose: 'reset', expiresAt: Date.now() + 3_600_000 } as const;
  const outcome = await notifications.sendRequestedLink(person('Edith', 'editor'), reset);
  expect(outcome).toMatchObject({ isRetried: true, problem: expect.stringContaining('Refused') });
  await expect.poll(() => strict.mails.map(({ to }) => to)).toEqual([['edith@kiln.example']]);
  answers.push(550);
  const refused = await notifications.sendRequestedLink(person('Edith', 'editor'), reset);
  expect(refused).toMatchObject({ isRetried: false, problem: expect.stringContaining('Refused') });
  answers.push(451);
  const late = { ...reset, expiresAt: Date.now() - 1 };
  await notifications.sendRequestedLink(person('Edith', 'editor'), late);
  const sent = await notifications.sendRequestedLink(person('Edith', 'editor'), reset);
  expect(sent).toEqual({ isRetried: false, problem: null });
  expect(strict.mails).toHaveLength(2);
});
