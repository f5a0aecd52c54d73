import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { OPENED_FIELD, HONEYPOT_FIELD } from '#server/core/site/site-forms';
import { submissionOverviewSchema, submissionPageSchema } from '#server/core/site/submissions';
import { startMailServer } from '#tests/support/mail-server';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { type RestAnswer, sendRequest } from '#tests/support/rest-client';

let mails: Awaited<ReturnType<typeof startMailServer>>;
let server: ProductionServer;
let address: string;
let path: string;

const ask = (method: string, to: string, body?: unknown, headers?: Record<string, string>) =>
  sendRequest(server.url, { method, path: to, ...(body !== undefined && { body }), ...(headers && { headers }) });

const FORM = {
  heading: 'Write to us',
  fields: [
    { label: 'Your name', kind: 'text', required: true },
    { label: 'Colour', kind: 'choice', required: false, options: ['Red', 'Blue "2"'] },
    { label: 'I agree', kind: 'consent', required: true },
  ],
  submitLabel: 'Send',
  thanks: 'We answer within a day.',
};

beforeAll(async () => {
  mails = await startMailServer();
  server = await startProductionServer({ seed: true, env: { SMTP_URL: mails.url, MAIL_FROM: 'site@kiln.example' } });
  const made = await ask('POST', '/api/content/pages', { title: 'Write', sections: [{ type: 'form', fields: FORM }] });
  const { entry } = z
    .object({
      entry: z.object({ id: z.string(), draft: z.object({ sections: z.array(z.object({ id: z.string() })) }) }),
    })
    .parse(made.json());
  path = `/forms/${entry.id}/${entry.draft.sections[0]?.id ?? ''}`;
  expect((await ask('POST', path, '')).status, 'not published yet').toBe(404);
  expect((await ask('POST', `/api/content/pages/${entry.id}/publish`)).status).toBe(200);
  await ask('PATCH', '/api/content/settings', { contactEmail: 'owner@kiln.example' });
  address = '/site/write';
});
afterAll(async () => {
  await server.stop();
  await mails[Symbol.asyncDispose]();
});

/** Sends the form as a browser does that shows the page for a minute. */
const send = (given: Record<string, string>, headers?: Record<string, string>) =>
  ask('POST', path, new URLSearchParams({ [OPENED_FIELD]: String(Date.now() - 60_000), ...given }).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  });

/** The page that an answer leads to. */
async function followed({ status, headers }: RestAnswer): Promise<string> {
  expect(status).toBe(303);
  const page = await ask('GET', (headers.location ?? '').replace(/#.*$/, ''));
  expect(page.status).toBe(200);
  return page.text;
}

it('a form works without scripts; its answers are stored, mailed, shown and exported', async () => {
  const page = (await ask('GET', address)).text;
  expect(page).toContain(`action="${path}"`);
  expect(page).toMatch(/<form[^>]* method="post"/i);
  expect(page).toMatch(/<input[^>]* required[^>]*>|<input[^>]* required=""/);
  expect(page).not.toContain('mailto:owner@kiln.example?subject');

  const thanked = await followed(await send({ '-Your name': 'Mara <b>', '-Colour': 'Blue "2"', '-I agree': 'yes' }));
  expect(thanked).toContain('We answer within a day.');
  expect(thanked).not.toContain(`action="${path}"`);

  const { items } = submissionPageSchema.parse((await ask('GET', '/api/submissions')).json());
  expect(
    items.map(({ pageTitle, formTitle, answers }) => [pageTitle, formTitle, answers.map(({ value }) => value)]),
  ).toEqual([['Write', 'Write to us', ['Mara <b>', 'Blue "2"', 'yes']]]);
  await vi.waitFor(() => expect(mails.mails).toHaveLength(1));
  expect(mails.mails[0]?.to).toEqual(['owner@kiln.example']);
  const csv = await ask('GET', '/api/submissions/export');
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(csv.text).toContain(',Write,Write to us,Mara <b>,"Blue ""2""",yes\r\n');
});

it('an invalid answer is reported on the page, next to the input, which stays text', async () => {
  const name = '"><script>alert(1)</script>';
  const page = await followed(await send({ '-Your name': name, '-Colour': 'Green' }));
  expect(page).toContain('Please correct what is marked below');
  expect(page).toContain('Please choose one of the answers.');
  expect(page).toContain('Please fill this in.');
  expect(page).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
  expect(page).not.toContain('<script>alert(1)');
  expect(await followed(await send({ '-Your name': 'Bot', '-I agree': 'yes', [HONEYPOT_FIELD]: 'x' }))).toContain(
    'value="Bot"',
  );
  const hurried = { '-Your name': 'Hurry', '-I agree': 'yes', [OPENED_FIELD]: String(Date.now()) };
  expect(await followed(await send(hurried))).toContain('value="Hurry"');
  const { total } = submissionOverviewSchema.parse((await ask('GET', '/api/submissions/overview')).json());
  expect(total).toBe(1);
});

it('an invalid form request is refused with a page, and nothing is stored', async () => {
  const refusals = [
    await ask('POST', '/forms/pag_bcdfgh/sec_bcdfgh', ''),
    await ask('POST', '/forms/x/y', ''),
    await send({ '-Your name': 'x'.repeat(70_000) }),
    await send({ '-Your name': 'Mara', '-I agree': 'yes' }, { host: 'elsewhere.example' }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([404, 400, 413, 403]);
  for (const { headers, text } of refusals) {
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
  expect((await ask('GET', path)).status).toBe(405);
});

it('incomplete forms delay no other request', async () => {
  const { hostname, port } = new URL(server.url);
  const slow = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const headers = { 'content-length': '1000', expect: '100-continue', 'content-type': 'text/plain' };
      const sent = request({ hostname, port, path, method: 'POST', headers, agent: false });
      sent.on('error', () => undefined).flushHeaders();
      await once(sent, 'continue');
      sent.write('-Your');
      return sent;
    }),
  );
  const page = await followed(await send({ '-Your name': 'Quick', '-I agree': 'yes' }));
  expect(page).toContain('We answer within a day.');
  for (const sent of slow) sent.destroy();
});
