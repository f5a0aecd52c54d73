import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '#server/core/errors';
import { createLog } from '#server/platform/telemetry/log';

const env = {
  LOG_LEVEL: 'info' as const,
  AUTH_SECRET: 'an auth "secret" with \\ of 32 characters',
  DATABASE_AUTH_TOKEN: 'eyJhbGciOi.database.token',
  DATABASE_URL: 'libsql://me:database-password@db.test',
  OPENAI_COMPATIBLE_API_KEY: 'lm-studio-key',
  OPENROUTER_API_KEY: 'sk-or-v1-0123456789abcdef',
  REDIS_URL: 'redis://user:redis%2Fpassword@127.0.0.1:6379',
  SMTP_URL: 'smtps://post:mail-password@mail.test',
};
const SECRETS = [
  'auth \\"secret\\"',
  env.DATABASE_AUTH_TOKEN,
  'database-password',
  env.OPENAI_COMPATIBLE_API_KEY,
  env.OPENROUTER_API_KEY,
  'redis/password',
  'redis%2Fpassword',
  'mail-password',
];

interface Line {
  readonly [field: string]: unknown;
  readonly err: { readonly message: string; readonly stack: string };
  readonly headers: { readonly accept: string };
  readonly body: string;
}

function logged(write: (log: ReturnType<typeof createLog>) => void): { lines: string[]; parsed: Line[] } {
  const lines: string[] = [];
  write(createLog(env, { write: (line) => void lines.push(line) }));
  return { lines, parsed: lines.map((line) => JSON.parse(line) as Line) };
}

describe('the log', () => {
  it('contains none of the secrets of the environment, for any input', () => {
    const { lines } = logged((log) => {
      for (const secret of Object.values(env)) {
        log.info(`It is ${secret}.`);
        log.info({ secret, deep: { secret: JSON.stringify({ secret }) } }, 'so');
        log.error({ err: new Error(`Failed with ${secret}`, { cause: new Error(secret) }) }, 'failed');
      }
    });
    for (const secret of SECRETS) expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    expect(lines.length).toBe(3 * Object.keys(env).length);
  });

  it('logs the message of a failed call, not its request', () => {
    const error = new APICallError({
      message: 'Incorrect API key provided: sk-proj-abcdefghijk. Header x-api-key: plain-words-key was sent.',
      url: 'https://me:word@api.test/v1?key=query-key&x=1',
      requestBodyValues: { messages: ['the words of the conversation'] },
      statusCode: 401,
      responseHeaders: { 'set-cookie': 'session=abcdef' },
      responseBody: '{"error": "page of the upstream"}',
    });
    const { lines, parsed } = logged((log) => log.error({ err: error }, 'the step failed'));
    expect(parsed[0]!.err).toMatchObject({ type: 'AI_APICallError', statusCode: 401 });
    expect(parsed[0]!.err.message).toContain('Incorrect API key provided: [hidden]');
    expect(parsed[0]!.err.stack).toContain('log.test.ts');
    for (const secret of ['sk-proj', 'plain-words', 'me:word', 'query-key', 'the words', 'abcdef', 'upstream']) {
      expect(lines.join()).not.toContain(secret);
    }
  });

  it('redacts secrets in provider messages and their causes', () => {
    const said = 'The key secret-key-sk-123 of org-acme42 is over its limit.';
    const call = new APICallError({ message: said, url: 'https://api.test', requestBodyValues: {}, statusCode: 500 });
    const retried = new Error(said, { cause: call });
    const { lines, parsed } = logged((log) => {
      log.error({ err: new ProviderError('It failed.', { retryable: true, cause: retried }) }, 'request failed');
      log.warn({ err: call }, 'provider failed');
    });
    expect(lines.join()).not.toMatch(/sk-123|acme42/);
    expect(parsed[0]).toMatchObject({
      err: { causes: [{ message: 'The key secret-[hidden] of [hidden] is over its limit.' }] },
    });
  });

  it('hides what looks like a secret in any line, and stays JSON', () => {
    const { lines, parsed } = logged((log) => {
      log.info({ headers: { Authorization: 'Bearer abc def"ghi', cookie: 'a=b; c=d', accept: 'text/html' } }, 'asked');
      log.info({ body: JSON.stringify({ password: 'let me in', 'X-Api-Key': 'k-1', n: 1 }) }, 'sent');
      log.info(
        'a key tl_abcdefghijklmnop, GET http://me:word@site.test/?token=t-o-k and Authorization: Basic dXNlcjpwdw==',
      );
      log.info({ tokens: 12, secretary: 'Ann', path: '/api/keys' }, 'kept');
    });
    const all = lines.join();
    for (const secret of ['abc', 'ghi', 'c=d', 'let me in', 'k-1', 'tl_', 'me:word', 't-o-k', 'dXNl']) {
      expect(all).not.toContain(secret);
    }
    expect(parsed[0]!.headers.accept).toBe('text/html');
    expect((JSON.parse(parsed[1]!.body) as { n: number }).n).toBe(1);
    expect(parsed[3]).toMatchObject({ tokens: 12, secretary: 'Ann', path: '/api/keys' });
  });

  it('logs no values of a failed query', () => {
    const { lines } = logged((log) =>
      log.error({ err: new Error('Failed query: insert into "x" values (?)\nparams: the words,7') }, 'failed'),
    );
    expect(lines[0]).toContain('Failed query');
    expect(lines[0]).not.toContain('the words');
  });

  it('handles expensive input in bounded time', () => {
    const { lines } = logged((log) => {
      for (const part of ['authorization":"', 'api_key=', 'bearer ', '//a:', 'sk-', '\\', '"\\"'])
        log.info(part.repeat(100_000 / part.length));
    });
    expect(lines).toHaveLength(7);
  });

  it.each([undefined, null, 7, 'words', { a: 1 }])('recognises %j as an error', (value) => {
    expect(logged((log) => log.error({ err: value }, 'failed')).lines).toHaveLength(1);
  });
});
