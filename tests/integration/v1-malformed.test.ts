import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { isDeep } from '#tests/support/deep';
import { malformedConversations } from '#tests/support/hostile-requests';
import { sendRequest } from '#tests/support/rest-client';

/** 1,500 in `npm run test:deep`. */
const REQUESTS = isDeep ? 1_500 : 200;
const AT_ONCE = 8;

let server: CompletionsServer;
beforeAll(async () => {
  server = await startCompletionsServer({ respond: () => ({ text: 'Yes.' }) });
});
afterAll(() => server[Symbol.asyncDispose]());

it(`answers ${REQUESTS} malformed requests to /v1 with a refusal and without a model call`, async () => {
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  const requests = malformedConversations(REQUESTS).values();
  const origin = server.baseUrl.replace(/\/v1$/, '');
  const send = async () => {
    for (const { path, body } of requests) {
      const { status, text } = await sendRequest(origin, { method: 'POST', path, body });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 400 || status >= 500) wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
      expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) as string } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  expect(wrong).toEqual([]);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  expect(server.provider.requests).toEqual([]);
});
