import { expect, it } from 'vitest';
import { z } from 'zod';
import { changePageSchema } from '#server/core/site/site-lists';
import { entryDocumentSchema } from '#server/core/site/content';
import { sessionSchema } from '#server/core/conversation/sessions';
import { said } from '#tests/support/said';
import { useScriptedServer } from '#tests/support/scripted-server';

/** A model that replaces the price wherever it stands, when it is spoken to. */
const server = useScriptedServer(({ messages }) => {
  if (messages.at(-1)?.role !== 'user') return { text: 'Done.' };
  const input = { find: '€48', replace: '€52', count: 7 };
  return { text: '', toolCalls: [{ id: 'call_1', name: 'edit_text', input }] };
});

it('one price in seven places is one request of the user, one call and one undo', async () => {
  const faq = { type: 'faq', fields: { items: [{ question: '€48?', answer: '€48 a head, €48 for two.' }] } };
  await server.call(z.unknown(), 201, 'POST', '/api/content/pages', {
    title: 'Price €48',
    slug: 'one',
    sections: [faq],
  });
  const text = { type: 'text', fields: { body: 'Only **€48**.' } };
  await server.call(z.unknown(), 201, 'POST', '/api/content/pages', {
    title: 'Two',
    excerpt: 'From €48',
    sections: [text],
  });
  await server.call(z.unknown(), 201, 'POST', '/api/content/posts', { title: 'News', excerpt: '€48 !' });
  const paths = ['/api/content/pages/one', '/api/content/pages/two', '/api/content/posts/news'];
  const drafted = z.object({ draft: entryDocumentSchema });
  const drafts = async () => {
    const entries = await Promise.all(paths.map((path) => server.call(drafted, 200, 'GET', path)));
    return JSON.stringify(entries.map(({ draft }) => draft));
  };
  const before = await drafts();
  expect(before.split('€48')).toHaveLength(8);

  const { id } = await server.call(sessionSchema, 201, 'POST', '/api/sessions', {});
  const message = said('The workshop costs €52 now');
  const answer = await server.send('POST', '/api/chat', { id, message });
  expect(answer.text).toContain('"replaced":7');
  expect(await drafts()).toBe(before.replaceAll('€48', '€52'));

  const { items } = await server.call(changePageSchema, 200, 'GET', `/api/content/changes?sessionId=${id}`);
  expect(items).toHaveLength(3);
  const undone = z.object({ together: z.array(z.object({ title: z.string() })) });
  const { together } = await server.call(undone, 200, 'POST', '/api/content/undo', { sessionId: id });
  expect(together).toHaveLength(2);
  expect(await drafts()).toBe(before);
});
