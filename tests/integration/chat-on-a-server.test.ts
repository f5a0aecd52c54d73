import { inject, expect, it } from 'vitest';
import { sessionSchema } from '#server/core/conversation/sessions';
import { answerText, say } from '#tests/support/chat-client';
import { startLibsqlServer } from '#tests/support/libsql-server';
import { startProductionServer } from '#tests/support/production-server';
import { said } from '#tests/support/said';
import { sendRequest } from '#tests/support/rest-client';
import { startTestServices } from '#tests/support/test-services';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

/** Enough for a summary to be worth its tokens. */
const smallTalk = Array.from({ length: 80 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `${index}: ${'The kiln in the yard is warm and the clay is wet. '.repeat(20)}`,
}));

it('a whole conversation works on a database shared by two servers over breaking connections', async () => {
  await using database = await startLibsqlServer({
    copyOf: inject('migratedDatabase'),
    authToken: 'secret',
    streamMs: 400,
  });
  const env = { DATABASE_URL: database.url, DATABASE_AUTH_TOKEN: 'secret' };
  await using first = await startTestServices(env);
  await using second = await startTestServices(env);
  const { id } = await first.sessions.create({ ownerId: 'own_local' });

  await say(first, id, 'Create a page called Oven');
  const broken = [
    database.breakOnce({ at: /^commit/i, lose: 'answer' }),
    database.breakOnce({ at: /^insert into "message_parts"/, lose: 'request' }),
  ];
  await say(first, id, 'Create a page called Kiln');
  await Promise.all(broken);
  const answer = await say(second, id, 'List the pages');
  expect(answerText(answer)).toMatch(/Oven[\s\S]*Kiln|Kiln[\s\S]*Oven/);

  await first.chat.idle();
  const { items } = await second.messages.list(id, { limit: 100 });
  expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => index + 1));
  expect(items.filter(({ role }) => role === 'user').map(({ parts }) => parts[0]?.content)).toEqual(
    ['Create a page called Oven', 'Create a page called Kiln', 'List the pages'].map((text) => ({ text })),
  );
  expect(items.every(({ status }) => status === 'complete')).toBe(true);
  const pages = await second.builtIn.content.query({ type: 'page' });
  expect(pages.items.map(({ title }) => title).toSorted()).toEqual(['Kiln', 'Oven']);
  expect((await second.history.search(id, 'Kiln')).length).toBeGreaterThan(0);

  const session = await first.sessions.get(id);
  await first.context.import(session, smallTalk);
  const record = await first.context.compact(session, { strategy: 'ledger' });
  expect(record).toMatchObject({ status: 'completed', round: 1 });
  const { messages } = await second.context.inspect(await second.sessions.get(id));
  expect(findSequenceProblems(messages)).toEqual([]);
  expect(JSON.stringify(messages[0])).toContain('[Previous conversation summary]');
  expect(answerText(await say(second, id, 'Show the page Oven'))).toContain('Oven');
});

it('the built app serves its API and its pages from a database server', async () => {
  await using database = await startLibsqlServer({ authToken: 'secret' });
  const env = { DATABASE_URL: database.url, DATABASE_AUTH_TOKEN: 'secret', OFFLINE_CHUNK_DELAY_MS: '0' };
  await using server = await startProductionServer({ env });
  const made = await sendRequest(server.url, { method: 'POST', path: '/api/sessions', body: {} });
  const { id } = sessionSchema.parse(made.json());
  const message = said('Create a page called Oven');
  const answer = await sendRequest(server.url, { method: 'POST', path: '/api/chat', body: { id, message } });
  expect(answer.text).toContain('data: [DONE]');
  const messages = await sendRequest(server.url, { method: 'GET', path: `/api/sessions/${id}/messages` });
  expect(messages.text).toContain('Create a page called Oven');
  // A cache in front of the statements would show the page as it was.
  for (const title of ['Oven', 'Big oven']) {
    await sendRequest(server.url, { method: 'PATCH', path: '/api/content/pages/oven', body: { title } });
    const page = await sendRequest(server.url, { method: 'GET', path: '/preview/oven' });
    expect([page.status, page.text.includes(title)]).toEqual([200, true]);
  }
  expect(await server.stop()).toBe(143);
  expect(server.logs()).not.toMatch(/"level":(50|60)/);
});
