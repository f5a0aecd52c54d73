import { DatabaseSync } from 'node:sqlite';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { erasureSchema, type PersonalData } from '#server/core/admin/personal-data';
import { personSchema } from '#server/core/admin/people';
import { sessionSchema } from '#server/core/conversation/sessions';
import type { Services } from '#server/services';
import { colouredPicture } from '#tests/support/pictures';
import { vacuumDatabase } from '#server/platform/database/vacuum';
import { answerOf, callRoute, serve, stopServing } from '#tests/support/routes';
import { said } from '#tests/support/said';
import { startTestServices } from '#tests/support/test-services';

/* Exporting and erasing everything about one person. */

const ORIGIN = 'http://localhost';
const PASSWORD = 'a kiln full of saltmarsh mugs';
const ADMIN = 'ada@kiln.example';
const EMAIL = 'edith@kiln.example';
const NAME = 'Edith Quillfeather';
const WORDS = 'quillwort and vellum';

const folder = mkdtempSync(join(tmpdir(), 'throughline-personal-'));
const file = join(folder, 'test.db');

let all: Services;
let admin: Record<string, string>;
let editor: Record<string, string>;
let found: PersonalData;

const headersOf = (response: Response) => ({
  origin: ORIGIN,
  cookie: response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; '),
});
const signIn = async (email: string, address: string) =>
  headersOf(
    await callRoute('POST', '/api/auth/sign-in', {
      body: { email, password: PASSWORD },
      headers: { origin: ORIGIN, 'user-agent': 'Quillbrowser/1', 'x-throughline-client': address },
    }),
  );
const erase = (email: string, dryRun: boolean) =>
  answerOf(erasureSchema, 200, 'POST', '/api/personal-data/erase', { body: { email, dryRun }, headers: admin });
const exported = async () => {
  const response = await callRoute('GET', '/api/personal-data', { query: `?email=${EMAIL}`, headers: admin });
  expect(response.status).toBe(200);
  return response.text();
};

/** Every row of every table, as text, but the index of the full-text search. */
function allRows(): string {
  using db = new DatabaseSync(file, { readOnly: true });
  const tables = db
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'history_search%'`)
    .all();
  return tables
    .map(({ name }) => `${String(name)}: ${JSON.stringify(db.prepare(`select * from "${String(name)}"`).all())}`)
    .join('\n');
}

const submission = (email: string) => ({
  entryId: 'pag_bcdfgh',
  sectionId: 'sec_bcdfgh',
  pageTitle: 'Contact',
  formTitle: 'Write to us',
  mail: 'none' as const,
  answers: [
    { label: 'E-mail', kind: 'email' as const, value: email },
    { label: 'Message', kind: 'text' as const, value: `About ${WORDS}` },
  ],
});

beforeAll(async () => {
  copyFileSync(inject('migratedDatabase'), file);
  all = await serve(
    startTestServices({
      DATABASE_URL: `file:${file}`,
      AUTH_MODE: 'accounts',
      AUTH_SECRET: 'only-for-tests-0123456789abcdefghijklmnop',
      PUBLIC_URL: ORIGIN,
    }),
  );
  await all.accounts!.people.create({ name: 'Ada', email: ADMIN, password: PASSWORD, role: 'admin' });
  admin = await signIn(ADMIN, '203.0.113.1');
  const made = await answerOf(personSchema, 201, 'POST', '/api/users', {
    body: { name: NAME, email: EMAIL, password: PASSWORD, role: 'editor' },
    headers: admin,
  });
  editor = await signIn(EMAIL, '203.0.113.77');
  await callRoute('POST', '/api/auth/sign-in', {
    body: { email: EMAIL, password: 'not the right words' },
    headers: { origin: ORIGIN },
  });
  const session = await answerOf(sessionSchema, 201, 'POST', '/api/sessions', { body: {}, headers: editor });
  const answer = await callRoute('POST', '/api/chat', {
    body: { id: session.id, message: said(`Please write about ${WORDS} and saltglaze.`) },
    headers: editor,
  });
  await answer.text();
  const data = new Uint8Array(await colouredPicture('red'));
  await all.attachments.keep(session.id, 'quill.png', data);
  const { content } = all.builtIn;
  const origin = { actor: 'user' as const, userId: made.id };
  await content.assets.add({ data: await colouredPicture('blue'), filename: 'unused-quill.png' }, origin);
  const logo = await content.assets.add({ data: await colouredPicture('green'), filename: 'used-quill.png' }, origin);
  const sections = [{ type: 'image' as const, fields: { src: logo.asset.url, alt: 'A feather' } }];
  const { entry } = await content.create({ type: 'page', title: 'Feathers', sections }, origin);
  for (const email of [EMAIL.toUpperCase(), `n${EMAIL}`, `${EMAIL}.org`]) {
    await all.submissions.add(submission(email));
    const comment = { entryId: entry.id, linkId: 'lnk_bcdfgh', sectionId: null, name: email, text: 'A thinner quill.' };
    await all.previewComments.add(comment);
  }
});
afterAll(async () => {
  await stopServing();
  rmSync(folder, { recursive: true, force: true });
});

it('a dry run lists everything about a person and changes nothing', async () => {
  const before = allRows();
  const { isErased, data } = await erase(EMAIL, true);
  expect(isErased).toBe(false);
  expect(data.account?.name).toBe(NAME);
  expect(data.conversations).toHaveLength(1);
  expect(data.conversations[0]?.messages).toBeGreaterThan(1);
  expect(data.attachments.map(({ filename }) => filename)).toEqual(['quill.png']);
  expect(data.pictures.map(({ filename, isUsed }) => [filename, isUsed])).toEqual([
    ['unused-quill.png', false],
    ['used-quill.png', true],
  ]);
  expect(data.submissions).toHaveLength(1);
  expect(data.comments.map(({ pageTitle }) => pageTitle)).toEqual(['Feathers']);
  expect(data.signIns).toBe(1);
  expect(data.renamed.journal).toBe(3);
  expect(data.renamed.audit).toBeGreaterThan(2);
  expect(allRows()).toBe(before);
  found = data;
});

it('an export has the account, conversations, files, pictures, form messages and comments', async () => {
  const text = await exported();
  const shape = z.looseObject({
    format: z.literal('throughline-person/1'),
    submissions: z.array(z.looseObject({ answers: z.array(z.looseObject({ value: z.string() })) })),
    pictures: z.array(z.looseObject({ filename: z.string(), data: z.string().startsWith('data:image/') })),
    conversations: z.array(z.looseObject({ messages: z.array(z.unknown()).min(2) })),
    signIns: z.array(z.looseObject({ userAgent: z.literal('Quillbrowser/1') })),
    changes: z.array(z.unknown()).length(3),
    comments: z.tuple([z.looseObject({ name: z.literal(EMAIL.toUpperCase()), text: z.literal('A thinner quill.') })]),
  });
  const { submissions, pictures, conversations } = shape.parse(JSON.parse(text));
  expect(submissions.map(({ answers }) => answers[0]?.value)).toEqual([EMAIL.toUpperCase()]);
  expect(pictures).toHaveLength(2);
  expect(conversations).toHaveLength(1);
  expect(text).toContain(WORDS);
  expect(text).not.toMatch(/"password"|"hash"|"token"/);
});

it('erasing a person leaves no trace of them but the changes, which are by "Deleted person"', async () => {
  const { id } = found.account!;
  const erased = await erase(EMAIL, false);
  expect(erased.isErased).toBe(true);
  expect(erased.data.conversations).toEqual(found.conversations);
  const rows = allRows();
  for (const trace of [
    `"${EMAIL}"`,
    NAME,
    id,
    WORDS.split(' ')[2]!,
    '203.0.113.77',
    '"quill.png"',
    'unused-quill.png"',
  ])
    expect(
      rows.split('\n').filter((row) => row.includes(trace) && !isKept(row, trace)),
      trace,
    ).toEqual([]);
  expect((await callRoute('GET', '/api/auth/me', { headers: editor })).status).toBe(401);
  const changes = await all.builtIn.content.changes({});
  expect(changes.map(({ origin, title }) => [origin.userName, title])).toEqual([
    ['Deleted person', 'Feathers'],
    ['Deleted person', 'used-quill.png'],
    ['Deleted person', 'unused-quill.png'],
  ]);
  // Messages of people with a similar address stay.
  expect((await all.submissions.list({})).total).toBe(2);
  expect(await all.previewComments.open(10)).toHaveLength(2);
  const again = await erase(EMAIL, true);
  expect([again.data.account, again.data.conversations, again.data.renamed.audit]).toEqual([null, [], 0]);
});

/** The journal keeps the titles of pictures; the messages of people with a similar address have the same words. */
const isKept = (row: string, trace: string) =>
  (trace.startsWith('unused') && row.startsWith('revisions:')) ||
  (trace === 'vellum' && row.startsWith('submissions:'));

it('the last administrator cannot be erased, and nothing of them is', async () => {
  await answerOf(sessionSchema, 201, 'POST', '/api/sessions', { body: { title: 'Stays' }, headers: admin });
  const before = allRows();
  const refused = await callRoute('POST', '/api/personal-data/erase', { body: { email: ADMIN }, headers: admin });
  expect(refused.status).toBe(409);
  expect(allRows()).toBe(before);
});

it('erases what an account that was deleted before has left', async () => {
  const body = { name: 'Otto', email: 'otto@kiln.example', password: PASSWORD, role: 'editor' };
  const { id } = await answerOf(personSchema, 201, 'POST', '/api/users', { body, headers: admin });
  const otto = await signIn(body.email, '203.0.113.78');
  await answerOf(sessionSchema, 201, 'POST', '/api/sessions', { body: { title: 'Of Otto' }, headers: otto });
  await callRoute('DELETE', `/api/users/${id}`, { headers: admin });
  const { data } = await erase(body.email, false);
  expect([data.account, data.formerAccounts, data.conversations.length]).toEqual([null, [id], 1]);
  expect(allRows()).not.toContain(id);
});

it('vacuuming removes erased text from the file, and is refused without enough disk space', async () => {
  await stopServing();
  const bytes = () => readFileSync(file).toString('latin1');
  expect(bytes()).toContain('Of Otto');
  await expect(vacuumDatabase(`file:${file}`, { size: 1, needed: 2, free: 1 })).rejects.toThrow('disk space');
  await vacuumDatabase(`file:${file}`);
  expect(bytes()).not.toContain('Of Otto');
  // A word of the conversation; the messages of people with a similar address have others.
  expect(bytes()).not.toContain('saltglaze');
});
