import { expect, it, vi } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { createLimits } from '#server/platform/auth/limits';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { OPENED_FIELD, HONEYPOT_FIELD } from '#server/core/site/site-forms';
import { createForms } from '#server/site/forms/forms';
import { SubmissionDelivery } from '#server/site/forms/submission-delivery';
import { createMailer } from '#server/platform/mail/mailer';
import { createContentRepository } from '#server/site/store/content-repository';
import { createLeases } from '#server/platform/database/leases';
import { createSubmissionRepository } from '#server/site/store/submission-repository';
import { startMailServer } from '#tests/support/mail-server';
import { createTestDatabase } from '#tests/support/test-database';

const START = 1_800_000_000_000;
const ORIGIN = { actor: 'user' } as const;
const FIELDS = [
  { label: 'Your name', kind: 'text', required: true },
  { label: 'E-mail', kind: 'email', required: true },
  { label: 'Message', kind: 'textarea', required: false },
];

/** A published page with a form, and everything that takes what it sends. */
async function begin({ most = 100, thanksPage }: { most?: number; thanksPage?: string } = {}) {
  const db = await createTestDatabase();
  let time = START;
  const now = () => time;
  const content = new EmbeddedSite(createContentRepository(db));
  await content.updateSettings({ contactEmail: 'club@club.example' }, ORIGIN);
  const form = { heading: 'Write to us', fields: FIELDS, submitLabel: 'Send', ...(thanksPage && { thanksPage }) };
  const { entry } = await content.create(
    { type: 'page', title: 'Contact', sections: [{ type: 'form', fields: form }] },
    ORIGIN,
  );
  await content.publish(entry.id, ORIGIN);
  const sectionId = entry.draft.sections[0]!.id;
  const submissions = createSubmissionRepository(db, { now, most });
  const limits = createLimits({
    requestsPerMinute: 1,
    turnsPerMinute: 1,
    v1PerMinute: 1,
    runningTurns: 1,
    pagesPerMinute: 1,
    openStreams: 1,
    countRunning: async () => 0,
    shared: null,
  });
  const leases = createLeases(db);
  const mailer = { send: async () => undefined };
  const delivery = new SubmissionDelivery({
    submissions,
    content,
    mailer,
    readAt: null,
    leases,
    onFault: () => undefined,
  });
  // What is stored waits: the tests start deliveries of their own.
  await delivery.close();
  const forms = createForms({ content, submissions, limits, delivery, now });
  const send = (given: Record<string, string> = {}, client = '203.0.113.7') =>
    forms.receive({
      entryId: entry.id,
      sectionId,
      client,
      given: new URLSearchParams({
        '-Your name': 'Mara',
        '-E-mail': 'mara@home.example',
        [OPENED_FIELD]: String(time - 60_000),
        ...given,
      }),
    });
  /** What the page at an address says of a form. */
  const stateAt = (address: string) =>
    forms.ofPage(Object.fromEntries(new URL(address, 'http://site.test').searchParams)).state;
  return { db, content, entry, sectionId, submissions, forms, send, stateAt, wait: (ms: number) => (time += ms) };
}

it('the thank-you page may have any letters in its path: the header is ASCII', async () => {
  const { db, send, submissions } = await begin({ thanksPage: '/dziękuję/ä%20b?od=ą#ę' });
  await using _ = db;
  const location = await send();
  expect((await submissions.list({})).total).toBe(1);
  expect(new Headers({ location }).get('location')).toBe('/dzi%C4%99kuj%C4%99/%C3%A4%20b?od=%C4%85#%C4%99');
});

it.each([
  ['answers', { '-E-mail': 'mara at home' }],
  ['trap', { [HONEYPOT_FIELD]: 'https://spam.example' }],
  ['fast', { [OPENED_FIELD]: String(START - 500) }],
  ['fast', { [OPENED_FIELD]: String(START + 60_000) }],
  ['fast', { [OPENED_FIELD]: '' }],
  ['fast', { [OPENED_FIELD]: 'x' }],
])('a refused form (%s) is not stored, and returns to its author, who can send it again', async (problem, wrong) => {
  const { db, send, submissions, stateAt, wait } = await begin();
  await using _ = db;
  const to = await send(wrong);
  const state = stateAt(to);
  expect(state).toMatchObject({ refused: { problem, values: { '-Your name': 'Mara' } } });
  expect((await submissions.list({})).total).toBe(0);
  wait(3_000);
  const opened = state && 'refused' in state ? state.refused.opened : NaN;
  expect(stateAt(await send({ [OPENED_FIELD]: String(opened) }))).toHaveProperty('sent');
});

it('concurrent forms are processed one after the other', async () => {
  const { db, content, send } = await begin();
  await using _ = db;
  const pathOf = content.pathOf.bind(content);
  let [looking, most] = [0, 0];
  vi.spyOn(content, 'pathOf').mockImplementation(async (...given) => {
    most = Math.max(most, (looking += 1));
    return pathOf(...given).finally(() => (looking -= 1));
  });
  const answers = await Promise.all(Array.from({ length: 5 }, () => send()));
  expect(answers.every((to) => to.includes('?sent='))).toBe(true);
  expect(most).toBe(1);
});

it('a robot is kept off by its address, and all robots together by what is kept', async () => {
  const { db, send, submissions, stateAt } = await begin({ most: 12 });
  await using _ = db;
  const answers: unknown[] = [];
  for (let count = 0; count < 14; count += 1) answers.push(stateAt(await send()));
  expect(answers.filter((state) => JSON.stringify(state).includes('sent')).length).toBe(10);
  expect(answers.at(-1)).toMatchObject({ refused: { problem: 'often', values: { '-Your name': 'Mara' } } });
  // An address more of the same network counts as the same; others have their own allowance.
  for (let count = 0; count < 3; count += 1) answers.push(stateAt(await send({}, `2001:db8:0:${String(count)}::1`)));
  expect(answers.at(-1)).toMatchObject({ refused: { problem: 'full' } });
  expect((await submissions.list({})).total).toBe(12);
});

it('an answer is mailed with the visitor as Reply-To, and retried while mail is down', async () => {
  const { db, send, submissions, content, wait } = await begin();
  await using _ = db;
  await using server = await startMailServer();
  let url = 'smtp://127.0.0.1:1';
  const upkeep = new SubmissionDelivery({
    submissions,
    mailer: { send: (mail) => createMailer({ url, from: 'post@club.example' }).send(mail) },
    content,
    readAt: 'https://cms.example/library/messages',
    leases: createLeases(db),
    onFault: () => undefined,
  });
  await send({ '-Your name': 'Mara\r\nBcc: all@club.example', '-Message': 'Two\nlines' });
  const stateIs = (mail: string) =>
    vi.waitFor(async () => {
      const [item] = (await submissions.list({})).items;
      expect([item?.mail, item?.mailErrorMessage?.code]).toEqual([
        mail,
        mail === 'waiting' ? 'mail-not-sent' : undefined,
      ]);
    });
  upkeep.start();
  await stateIs('waiting');
  url = server.url;
  upkeep.wake();
  await upkeep.close();
  expect(server.mails).toEqual([]);
  wait(600_000);
  const later = new SubmissionDelivery({
    submissions,
    mailer: createMailer({ url, from: 'post@club.example' }),
    content,
    readAt: null,
    leases: createLeases(db),
    onFault: () => undefined,
  });
  later.start();
  await stateIs('sent');
  await later.close();
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.to).toEqual(['club@club.example']);
  expect(server.mails[0]?.raw).toMatch(/^Subject: Write to us \(Contact\)\r$/m);
  expect(server.mails[0]?.raw).toMatch(/^Reply-To: mara@home\.example\r$/m);
  expect(server.mails[0]?.raw).not.toMatch(/^Bcc:/m);
});

it('what a mail server did not take holds up nothing that is sent later', async () => {
  const { db, entry, sectionId, send, submissions, content, wait } = await begin({ most: 200 });
  await using _ = db;
  await using server = await startMailServer();
  for (let count = 0; count < 100; count += 1)
    await submissions.add({
      entryId: entry.id,
      sectionId,
      pageTitle: 'Contact',
      formTitle: 'Write to us',
      mail: 'waiting',
      answers: [],
    });
  for (const { id } of await submissions.waiting(0))
    await submissions.mailed(id, uncodedText('Too many mails today.'), false);
  await send({ '-Message': 'Are you open on Sunday?' }, '198.51.100.1');
  wait(1_000);
  const upkeep = new SubmissionDelivery({
    submissions,
    mailer: createMailer({ url: server.url, from: 'post@club.example' }),
    content,
    readAt: null,
    leases: createLeases(db),
    onFault: () => undefined,
  });
  upkeep.start();
  await vi.waitFor(() => expect(server.mails[0]?.raw).toContain('Are you open on Sunday?'));
  await upkeep.close();
});

it('messages are found, marked, deleted, and gone when they have been kept long enough', async () => {
  const { db, send, submissions, wait } = await begin();
  await using _ = db;
  await send({ '-Message': 'About the KILN in Falmouth' });
  wait(86_400_000);
  await send({ '-Message': '100% sure_thing' });
  const found = async (text: string) => (await submissions.list({ text })).total;
  expect([await found('kiln falmouth'), await found('0% sure_'), await found('0_ sure'), await found('mara')]).toEqual([
    1, 1, 0, 2,
  ]);
  const [newest] = (await submissions.list({})).items;
  expect(await submissions.mark({ ids: [newest!.id] }, true)).toBe(1);
  expect((await submissions.list({ unread: true })).total).toBe(1);
  expect(await submissions.overview()).toMatchObject({ total: 2, unread: 1, keepDays: 365, forms: [{ total: 2 }] });
  await submissions.setKeepDays(30);
  wait(30 * 86_400_000 - 1);
  expect(await submissions.removeOld()).toBe(1);
  await send({ '-Message': 'Sure, but later' });
  // What came after those that were looked at is none of them.
  const { createdAt: until } = newest!;
  expect(await submissions.mark({ all: { text: 'sure', until } }, false)).toBe(1);
  expect(await submissions.remove({ all: { text: 'sure', until } })).toBe(1);
  expect((await submissions.list({})).items.map(({ answers }) => answers.at(-1)?.value)).toEqual(['Sure, but later']);
});
