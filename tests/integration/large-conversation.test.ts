import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Handler } from '#server/http/route';
import type { Services } from '#server/services';
import { jsonMs, longestBlock, MOST_TIMES_JSON } from '#tests/support/longest-block';
import { longHistory } from '#tests/support/long-history';
import { startTestServices } from '#tests/support/test-services';
import { serve, stopServing } from '#tests/support/routes';

const routes = import.meta.glob<Record<string, Handler>>('/app/api/sessions/**/route.ts', { eager: true });

const MESSAGES = 20_000;
/** About 13 MB in all. */
const CHARACTERS = 1_200;
let services: Services;

beforeAll(async () => {
  services = await serve(startTestServices());
});
afterAll(stopServing);

describe('a conversation of 20,000 messages', () => {
  const messages = longHistory(MESSAGES).map((message) => ({
    ...message,
    content: message.content.slice(0, CHARACTERS),
  }));
  let id: string;

  async function blockOf(method: string, path: string, body?: unknown) {
    const handler = routes[`/app/api/sessions/[id]${path}/route.ts`]![method]!;
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = new Request('http://localhost/api', { method, headers: { host: 'localhost' }, ...payload });
    // A request is made in one go, here.
    await new Promise(setImmediate);
    const { result, ms } = await longestBlock(() => handler(request, { params: Promise.resolve({ id }) }));
    return { status: result.status, ms, answer: await result.text() };
  }

  it('is imported, measured, compacted, prepared and deleted without keeping others waiting', async () => {
    ({ id } = await services.sessions.create({ ownerId: 'own_local' }));
    for (const [what, method, path, expected, body] of [
      ['imported', 'POST', '/import', 201, { messages }],
      ['measured', 'GET', '/context', 200],
      ['pruned and compacted for its first turn', 'POST', '/prepare', 200],
      ['prepared again', 'POST', '/prepare', 200],
      ['deleted', 'DELETE', '', 204],
    ] as const) {
      const peerMs = await jsonMs({ messages });
      const { status, ms, answer } = await blockOf(method, path, body);
      expect(status, answer.slice(0, 300)).toBe(expected);
      if (what === 'imported') expect(JSON.parse(answer)).toMatchObject({ messages: MESSAGES });
      expect(ms / peerMs, `longest block while it is ${what}`).toBeLessThan(MOST_TIMES_JSON);
    }
  });

  it('is in the audit log from the start of its deletion', async () => {
    ({ id } = await services.sessions.create({ ownerId: 'own_local', title: 'A long one' }));
    const died = vi.spyOn(services.sessions, 'delete').mockRejectedValue(new Error('The server died in between.'));
    expect(await blockOf('DELETE', '')).toMatchObject({ status: 500 });
    died.mockRestore();
    const { items } = await services.audit.list({ action: 'session-deleted' });
    expect(items[0]).toMatchObject({ target: 'A long one', details: { id, ownerId: 'own_local' } });
  });
});
