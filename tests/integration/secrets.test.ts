import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { startLoopback } from '#tests/support/loopback-server';
import { said } from '#tests/support/said';
import { startProductionServer } from '#tests/support/production-server';

/** What must be in no log line, no answer and no file. */
const KEY = 'lm-key-of-plain-words-0123';
const HEADER = 'header-of-plain-words-4567';
const PASSWORD = 'a-password-that-is-wrong-89';
const SECRET = 'auth-secret-of-at-least-32-characters-ab';
const SITE = { username: 'mara', password: 'application-password-of-words-01' };

/** Model provider and tool server in one: refuses everything, and repeats all headers and the body that it was sent. */
const repeat: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const message = `Unknown field in ${JSON.stringify(request.headers)}, sent with ${request.headers.authorization}`;
    const status = request.url?.includes('chat') ? 400 : 500;
    response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': `key=${KEY}` });
    response.end(JSON.stringify({ error: { message, body: Buffer.concat(chunks).toString() } }));
  });
};
let endEcho: () => Promise<void>;

let server: AccountsServer;
let origin: string;
beforeAll(async () => {
  const echo = await startLoopback(repeat);
  endEcho = echo.close;
  origin = echo.url;
  server = await startAccountsServer({
    env: {
      LOG_LEVEL: 'trace',
      AUTH_SECRET: SECRET,
      OPENAI_COMPATIBLE_BASE_URL: `${origin}/v1`,
      OPENAI_COMPATIBLE_API_KEY: KEY,
      DEFAULT_MODEL: 'local/any',
    },
  });
});
afterAll(async () => {
  await server.stop();
  await endEcho();
});

it('no failure tells a secret: neither the log, nor an answer, nor a stored error', async () => {
  const answers: string[] = [];
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await server.ask(server.people.owner, { method, path, ...(body !== undefined && { body }) });
    answers.push(answer.text);
    return answer;
  };
  const { id } = JSON.parse((await ask('POST', '/api/sessions', {})).text);
  await ask('POST', '/api/chat', { id, message: said('Hello') });
  await vi.waitFor(async () => {
    const { text } = await ask('GET', `/api/sessions/${id}/messages`);
    expect(text).toContain('did not accept the request. It said');
  });
  await ask('POST', '/api/settings/providers/openai-compatible/test', {});
  const transport = { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${HEADER}` } };
  expect((await ask('POST', '/api/settings/mcp-servers', { name: 'wiki', transport })).status).toBe(201);
  await ask('POST', '/api/settings/mcp-servers/test', { transport });
  await vi.waitFor(async () => expect((await ask('GET', '/api/settings/mcp-servers')).text).toContain('failed'));
  for (const path of ['/api/settings/sites', '/api/settings/sites/test']) {
    await ask('POST', path, { url: origin, ...SITE });
  }
  const { email } = server.people.owner;
  for (const body of [
    { email, password: PASSWORD },
    { email: [PASSWORD], password: PASSWORD },
  ]) {
    const answer = await server.ask(null, { method: 'POST', path: '/api/auth/sign-in', body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    answers.push(answer.text);
  }
  for (const path of ['/api/admin/sessions', '/api/settings']) await ask('GET', path);

  const log = server.logs();
  const sent = Buffer.from(`${SITE.username}:${SITE.password}`).toString('base64');
  for (const secret of [KEY, HEADER, PASSWORD, SECRET, SITE.password, sent]) {
    expect(log.split('\n').filter((line) => line.includes(secret))).toEqual([]);
    expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
    for (const file of [server.databaseFile, `${server.databaseFile}-wal`]) {
      expect(readFileSync(file).includes(secret), `${secret} in ${file}`).toBe(false);
    }
  }
});

it('a server with another AUTH_SECRET starts, and lists the values to enter again', async () => {
  const env = { AUTH_SECRET: `${SECRET}-another`, OPENAI_COMPATIBLE_BASE_URL: `${origin}/v1` };
  await using other = await startProductionServer({ databaseFile: server.databaseFile, env });
  expect(other.logs()).toContain('Enter again: wiki: Authorization');
  await vi.waitFor(async () => {
    const text = await fetch(`${other.url}/api/settings/mcp-servers`).then((response) => response.text());
    expect(text).toContain('Enter it again');
  });
});
