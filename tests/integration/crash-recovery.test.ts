import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const MODEL = 'openai/gpt-4o';
/** Text that a crash may lose: what was streamed in the last moments before it. Milliseconds. */
const MAY_BE_LOST_MS = 250;
const SETTLED_WITHIN_MS = 5_000;

const storedMessages = z.object({
  items: z.array(
    z.object({
      role: z.string(),
      status: z.string(),
      parts: z.array(z.object({ type: z.string(), content: z.object({ text: z.string().optional() }) })),
    }),
  ),
});

async function post(server: ProductionServer, path: string, body: unknown): Promise<Response> {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return response;
}

const userMessage = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

async function readMessages(server: ProductionServer, session: string) {
  const response = await fetch(`${server.url}/api/sessions/${session}/messages`);
  const { items } = storedMessages.parse(await response.json());
  return items.map(({ role, status, parts }) => ({
    role,
    status,
    text: parts.map((part) => part.content.text ?? '').join(''),
  }));
}

/** The answer as soon as it is no longer `streaming`; the time this may take is the promise under test. */
async function settledAnswer(server: ProductionServer, session: string, deadline: number) {
  for (;;) {
    const answer = (await readMessages(server, session)).find((message) => message.role === 'assistant');
    if (answer && answer.status !== 'streaming') return answer;
    if (Date.now() > deadline) throw new Error(`Not settled in time: ${JSON.stringify(answer)}`);
  }
}

describe('a server killed in the middle of an answer', () => {
  it('has the streamed text after a restart, marked interrupted, and the session goes on', async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index} `);
    await using provider = await startFakeOpenRouter({
      respond: (_, index) => (index === 0 ? { chunks: words, chunkDelayMs: 10 } : { text: 'Back again.' }),
    });
    const env = { OPENROUTER_API_KEY: 'test-key', OPENROUTER_BASE_URL: provider.baseUrl, DEFAULT_MODEL: MODEL };
    const server = await startProductionServer({ env });
    const { id } = z.object({ id: z.string() }).parse(await (await post(server, '/api/sessions', {})).json());
    const reading = post(server, '/api/chat', { id, message: userMessage('Tell me a long story.') })
      .then((response) => response.text())
      .catch(() => 'the connection broke, as it must');

    const request = await provider.waitForText((sent) => sent.includes('word120 '));
    const killedAt = Date.now();
    await server.kill();
    await reading;

    const { databaseFile } = server;
    await using restarted = await startProductionServer({ env, databaseFile });
    const answer = await settledAnswer(restarted, id, Date.now() + SETTLED_WITHIN_MS);

    const certain = request.sent
      .filter(({ at }) => at <= killedAt - MAY_BE_LOST_MS)
      .map(({ text }) => text)
      .join('');
    expect(answer.status).toBe('interrupted');
    expect(certain).toContain('word50 ');
    expect(answer.text.startsWith(certain)).toBe(true);
    expect(request.sentText.startsWith(answer.text)).toBe(true);

    const next = await post(restarted, '/api/chat', { id, message: userMessage('Are you there?') });
    expect(await next.text()).toContain('Back again.');
    const all = await readMessages(restarted, id);
    expect(all.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user complete',
      'assistant interrupted',
      'user complete',
      'assistant complete',
    ]);
    const resent = JSON.stringify(provider.requests.at(-1)?.messages);
    expect(resent).toContain('word50 ');
  });
});
