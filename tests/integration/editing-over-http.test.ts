import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { changePageSchema } from '#server/core/site-lists';
import { entryDocumentSchema } from '#server/core/content';
import { sessionSchema } from '#server/core/messages';
import { type FakeOpenRouter, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { said } from '#tests/support/said';
import { sendRequest } from '#tests/support/rest-client';

/** A model that replaces the price wherever it stands, when it is spoken to. */
let provider: FakeOpenRouter;
let server: ProductionServer;

beforeAll(async () => {
  provider = await startFakeOpenRouter({
    respond: ({ messages }) => {
      if (messages.at(-1)?.role !== 'user') return { text: 'Done.' };
      const input = { find: '€48', replace: '€52', count: 7 };
      return { text: '', toolCalls: [{ id: 'call_1', name: 'edit_text', input }] };
    },
  });
  const env = { OPENROUTER_API_KEY: 'test', OPENROUTER_BASE_URL: provider.baseUrl, DEFAULT_MODEL: 'openai/gpt-4o' };
  server = await startProductionServer({ env });
});
afterAll(async () => {
  await server.stop();
  await provider.close();
});

async function request<T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await sendRequest(server.url, { method, path, ...(body !== undefined && { body }) });
  expect(answer.status, `${path}: ${answer.text.slice(0, 500)}`).toBeLessThan(300);
  return schema.parse(answer.json());
}

it('one price in seven places is one request of the user, one call and one undo', async () => {
  const faq = { type: 'faq', fields: { items: [{ question: '€48?', answer: '€48 a head, €48 for two.' }] } };
  await request(z.unknown(), 'POST', '/api/content/pages', { title: 'Price €48', slug: 'one', sections: [faq] });
  const text = { type: 'text', fields: { body: 'Only **€48**.' } };
  await request(z.unknown(), 'POST', '/api/content/pages', { title: 'Two', excerpt: 'From €48', sections: [text] });
  await request(z.unknown(), 'POST', '/api/content/posts', { title: 'News', excerpt: '€48 !' });
  const paths = ['/api/content/pages/one', '/api/content/pages/two', '/api/content/posts/news'];
  const drafted = z.object({ draft: entryDocumentSchema });
  const drafts = async () => {
    const entries = await Promise.all(paths.map((path) => request(drafted, 'GET', path)));
    return JSON.stringify(entries.map(({ draft }) => draft));
  };
  const before = await drafts();
  expect(before.split('€48')).toHaveLength(8);

  const { id } = await request(sessionSchema, 'POST', '/api/sessions', {});
  const message = said('The workshop costs €52 now');
  const answer = await sendRequest(server.url, { method: 'POST', path: '/api/chat', body: { id, message } });
  expect(answer.text).toContain('"replaced":7');
  expect(await drafts()).toBe(before.replaceAll('€48', '€52'));

  const { items } = await request(changePageSchema, 'GET', `/api/content/changes?sessionId=${id}`);
  expect(items).toHaveLength(3);
  const undone = z.object({ together: z.array(z.object({ title: z.string() })) });
  const { together } = await request(undone, 'POST', '/api/content/undo', { sessionId: id });
  expect(together).toHaveLength(2);
  expect(await drafts()).toBe(before);
});
