import { afterEach, expect, it, vi } from 'vitest';
import type { CallReach } from '#server/core/call-requests';
import type { EditorialCall } from '#server/core/approvals';
import type { Person } from '#server/core/people';
import type { Role } from '#server/core/access-rights';
import { createMailer } from '#server/mail/mailer';
import { createLetters, type Letters, type LettersDeps } from '#server/services/letters';
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

/** Asked while the server runs, unless it is said when. */
const asked = (partId: string, createdAt = Date.now() + 60_000): EditorialCall => ({
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

let letters: Letters;
afterEach(() => letters.close());

async function start(deps: Partial<LettersDeps> = {}, people: readonly Person[] = []) {
  const mail = await startMailServer();
  const onFault = vi.fn();
  letters = createLetters({
    mailer: createMailer({ url: mail.url, from: 'post@kiln.example' }),
    accounts: {
      origin: ORIGIN,
      people: { list: async () => [...people] } as unknown as LettersDeps['accounts']['people'],
    },
    turns: { editorialCalls: async () => [] },
    callRequests: { list: async () => [] },
    onFault,
    pace: { firstMs: 1, nextMs: 1 },
    ...deps,
  });
  return { mail, onFault };
}

const token = { token: 'se-cret', purpose: 'invitation', expiresAt: Date.UTC(2027, 0, 4, 9) } as const;

it('an invitation is mailed, with the secret where no server on the way sees it, and not told twice', async () => {
  const { mail } = await start();
  await using _ = mail;
  const sent = await letters.sendPasswordLink(person('Edith', 'editor'), token, 'Olive\r\nBcc: all@kiln.example');
  expect(sent).toEqual({ link: null, mailedTo: 'edith@kiln.example', problem: null, expiresAt: token.expiresAt });
  expect(mail.mails.map(({ to }) => to)).toEqual([['edith@kiln.example']]);
  const raw = mail.mails[0]!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  expect(raw).toContain(`${ORIGIN}/login/new-password#token=se-cret&email=edith%40kiln.example&purpose=invitation`);
  expect(raw).toContain('4 January 2027 at 09:00 UTC');
  expect(raw).not.toMatch(/^Bcc/im);
});

it('what cannot be mailed is a link to hand over, and says why', async () => {
  const { mail } = await start();
  await mail[Symbol.asyncDispose]();
  const failed = await letters.sendPasswordLink(person('Edith', 'editor'), token, 'Olive');
  expect(failed).toMatchObject({ mailedTo: null, link: expect.stringContaining('#token=se-cret') });
  expect(failed.problem).toContain('The mail was not sent');
  letters.close();
  await using other = (await start({ mailer: null })).mail;
  const unset = await letters.sendPasswordLink(person('Edith', 'editor'), token, 'Olive');
  expect(unset).toMatchObject({ mailedTo: null, problem: null, link: failed.link });
  letters.somethingWaits();
  expect(other.mails).toEqual([]);
});

it('what waits is mailed to whoever may decide it, once, and what comes later in another mail', async () => {
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
  letters.somethingWaits();
  letters.somethingWaits();
  const to = () => mail.mails.flatMap((each) => each.to).toSorted();
  await expect.poll(to).toEqual(['edith@kiln.example', 'olive@kiln.example']);
  expect(mail.mails[0]?.raw).toContain('Arthur: Puts "Pricing" on the site');
  expect(mail.mails[0]?.raw).toContain(`${ORIGIN}/account`);
  // Of everybody else's calls, an administrator is not told.
  expect(new Set(reaches.map(({ others }) => others))).toEqual(new Set(['authors']));
  waiting.push(asked('Opening hours'));
  letters.somethingWaits();
  await expect.poll(() => to().length).toBe(4);
  expect(mail.mails.at(-1)?.raw).toContain('2 things wait for your approval');
  expect(onFault).not.toHaveBeenCalled();
});

it('what waits is mailed again to whom the mail server did not take it for', async () => {
  let refusals = 1;
  await using strict = await startMailServer({
    onMailFrom: (_from, _session, done) => done(refusals-- > 0 ? new Error('Try again later') : null),
  });
  const mailer = createMailer({ url: strict.url, from: 'post@kiln.example' });
  const turns = { editorialCalls: async () => [asked('Pricing')] };
  const { mail, onFault } = await start({ mailer, turns }, [person('Edith', 'editor')]);
  await using _ = mail;
  letters.somethingWaits();
  await expect.poll(() => strict.mails.map(({ to }) => to)).toEqual([['edith@kiln.example']]);
  expect(onFault).toHaveBeenCalledOnce();
});

it('whom no mail reaches is tried three times, and holds up nobody else', async () => {
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
  letters.somethingWaits();
  await expect.poll(() => refusals).toBe(3);
  calls.push(asked('Workshops'));
  letters.somethingWaits();
  await expect.poll(() => strict.mails.length).toBe(2);
  await expect.poll(() => refusals).toBe(6);
  expect(strict.mails.map(({ to }) => to)).toEqual([['edith@kiln.example'], ['edith@kiln.example']]);
});

it('what began to wait just before the server started is mailed, and not what was mailed before', async () => {
  const hourAgo = Date.now() - 60 * 60_000;
  const turns = {
    editorialCalls: async (asks?: { sites?: unknown }) => (asks?.sites ? [asked('Old', hourAgo)] : waiting),
  };
  const waiting = [asked('Old', hourAgo), asked('Pricing', Date.now() - 1_000)];
  const people = [person('Sid', 'editor', { sites: ['embedded'] }), person('Edith', 'editor')];
  const { mail } = await start({ turns, pace: { firstMs: 1, nextMs: 60_000 } }, people);
  await using _ = mail;
  await expect.poll(() => mail.mails.map(({ to }) => to)).toEqual([['edith@kiln.example']]);
});
