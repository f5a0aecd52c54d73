import { afterEach, describe, expect, it } from 'vitest';
import { localOwner } from '#server/platform/auth/authenticator';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';

let server: CompletionsServer | null = null;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

/** A server, and a function that asks it with an API key, whose use is limited also in local mode. */
async function start(env: Readonly<Record<string, string>>) {
  server = await startCompletionsServer({ respond: () => ({ text: 'Yes.' }), env });
  const { baseUrl, services } = server;
  const { key } = await services.keys.create(localOwner, { name: 'Agent', scopes: ['chat'], expiresAt: null });
  return async (path: string, body?: object) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    return answer;
  };
}

const model = 'openai/gpt-4o';
const chat = { model, messages: [{ role: 'user', content: 'Hello' }] };

describe('the allowance of /v1', () => {
  it('is reported with every answer: whole, streamed and refused', async () => {
    const ask = await start({ MODEL_REQUESTS_PER_MINUTE: '9', TURNS_PER_MINUTE: '1', REQUESTS_PER_MINUTE: '1' });
    const answers = [
      await ask('/chat/completions', chat),
      await ask('/chat/completions', { ...chat, stream: true }),
      await ask('/responses', { model, input: 'Hello', stream: true }),
      await ask('/messages', { ...chat, max_tokens: 10 }),
      await ask('/messages/count_tokens', chat),
      await ask('/models'),
      await ask('/chat/completions', { model }),
      await ask('/responses/resp_none'),
      await ask('/nowhere'),
      await ask('/chat/completions', chat),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 400, 404, 404, 429]);
    expect(new Set(answers.map(({ headers }) => headers.get('ratelimit-policy')))).toEqual(new Set(['"v1";q=9;w=60']));
    const told = answers.map(({ headers }) => /^"v1";r=(\d+);t=[1-9]$/.exec(headers.get('ratelimit') ?? '')?.[1]);
    expect(told).toEqual(['8', '7', '6', '5', '4', '3', '2', '1', '0', '0']);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeLessThanOrEqual(7);
  });

  it('lets an agent go on after its 60th request in a minute, by default', async () => {
    const ask = await start({});
    const statuses: number[] = [];
    for (let sent = 0; sent < 70; sent += 1) statuses.push((await ask('/chat/completions', chat)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
