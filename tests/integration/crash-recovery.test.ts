import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import type { ParsedRequest } from '#tests/support/request-log';
import { sendRequest } from '#tests/support/rest-client';

const MODEL = 'openai/gpt-4o';
/** Far longer than a server takes to start: what was killed on this machine is not waited for. Milliseconds. */
const TURN_LEASE_MS = 600_000;
/** However slow the machine. */
const DEADLINE_MS = 120_000;
const POLL_MS = 50;

const storedMessages = z.object({
  items: z.array(
    z.object({
      role: z.string(),
      status: z.string(),
      parts: z.array(z.object({ type: z.string(), content: z.object({ text: z.string().optional() }) })),
    }),
  ),
});

async function createSession(server: ProductionServer): Promise<string> {
  const answer = await sendRequest(server.url, { method: 'POST', path: '/api/sessions' });
  return z.object({ id: z.string() }).parse(answer.json()).id;
}

async function say(server: ProductionServer, id: string, text: string): Promise<string> {
  const message = { role: 'user', parts: [{ type: 'text', text }] };
  const answer = await sendRequest(server.url, { method: 'POST', path: '/api/chat', body: { id, message } });
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
}

async function readMessages(server: ProductionServer, session: string) {
  const answer = await sendRequest(server.url, { method: 'GET', path: `/api/sessions/${session}/messages` });
  return storedMessages.parse(answer.json()).items.map(({ role, status, parts }) => ({
    role,
    status,
    text: parts.map((part) => (part.type === 'text' ? (part.content.text ?? '') : '')).join(''),
  }));
}

type Answer = Awaited<ReturnType<typeof readMessages>>[number];

/** The session's answer once it is as wished. */
async function answerWhen(server: ProductionServer, session: string, isWished: (answer: Answer) => boolean) {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = (await readMessages(server, session)).find((message) => message.role === 'assistant');
    if (answer && isWished(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`Not in time: ${JSON.stringify(answer)}`);
    await delay(POLL_MS);
  }
}

const asks =
  (words: string) =>
  ({ messages }: ParsedRequest): boolean =>
    JSON.stringify(messages.at(-1)).includes(words);

describe('a server killed in the middle of two answers', () => {
  it('has their stored text after a restart, marked interrupted, and the sessions go on', async () => {
    const words = Array.from({ length: 2_000 }, (_, index) => `word${index} `);
    const few = words.slice(0, 60);
    const asksForMuch = asks('a long story');
    const asksForLittle = asks('how it begins');
    await using provider = await startFakeOpenRouter({
      respond: (request) => {
        if (asksForMuch(request)) return { chunks: words, chunkDelayMs: 10 };
        return asksForLittle(request) ? { silentAfter: few, chunkDelayMs: 2 } : { text: 'Back again.' };
      },
    });
    const env = {
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: MODEL,
      TURN_LEASE_MS: String(TURN_LEASE_MS),
    };
    await using server = await startProductionServer({ env });
    const flowing = await createSession(server);
    const silent = await createSession(server);
    const broken = () => 'the connection broke, as it must';
    const reading = [
      say(server, flowing, 'Tell me a long story.').catch(broken),
      say(server, silent, 'Tell me how it begins.').catch(broken),
    ];

    // What has come is stored soon, without waiting for more of it.
    const whole = few.join('');
    await answerWhen(server, silent, ({ status, text }) => status === 'streaming' && text === whole);
    const seen = await answerWhen(server, flowing, ({ text }) => text.includes('word50 '));
    expect(seen.status).toBe('streaming');
    await server.kill();
    await Promise.all(reading);

    const { databaseFile } = server;
    await using restarted = await startProductionServer({ env, databaseFile });
    // It is ready: nothing has to run out first.
    const answerIn = async (session: string) => (await readMessages(restarted, session)).at(-1)!;
    expect(await answerIn(silent)).toMatchObject({ status: 'interrupted', text: whole });
    const kept = await answerIn(flowing);
    const request = await provider.waitForRequest(asksForMuch);
    expect(kept.status).toBe('interrupted');
    expect(kept.text.startsWith(seen.text)).toBe(true);
    expect(request.sentText.startsWith(kept.text)).toBe(true);

    expect(await say(restarted, flowing, 'Are you there?')).toContain('Back again.');
    const all = await readMessages(restarted, flowing);
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
