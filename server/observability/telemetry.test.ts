import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { createLog } from '#server/observability/log';
import { createWatch, type Watch } from '#server/observability/telemetry';

function told(tell: (watch: Watch) => void): { readonly [field: string]: unknown }[] {
  const lines: string[] = [];
  tell(createWatch(createLog({ LOG_LEVEL: 'info' } as never, { write: (line) => void lines.push(line) })));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const error = new APICallError({
  message: 'Rate limit reached. Key: sk-or-v1-0123456789abcdef',
  url: 'https://api.test',
  requestBodyValues: { messages: ['the words of the conversation'] },
  statusCode: 429,
});

describe('the watch', () => {
  it('writes a line of a provider that failed: which, how, and no secret', () => {
    const message = 'Too many requests.';
    const failure = { modelId: 'a/b', kind: 'rate-limit', retryable: true, retryAfterMs: 5_000, message, error };
    const lines = told((watch) => watch.providerFailed(failure));
    const err = expect.objectContaining({ statusCode: 429 }) as unknown;
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, modelId: 'a/b', kind: 'rate-limit', retryAfterMs: 5_000, message, err }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/sk-or|the words/);
  });

  it('writes a line of every summary, with the reason where it failed or was dropped', () => {
    const summary = { sessionId: 'ses_1', modelId: 'a/b', trigger: 'overflow' } as const;
    const lines = told((watch) => {
      watch.summary({ ...summary, outcome: 'failed', reason: 'Too many requests.' });
      watch.summary({ ...summary, outcome: 'dropped', reason: 'It was undone.' });
      watch.summary({ ...summary, outcome: 'written' });
    });
    expect(lines).toMatchObject([
      { level: 40, msg: 'summary failed', sessionId: 'ses_1', reason: 'Too many requests.' },
      { level: 30, msg: 'summary dropped', reason: 'It was undone.' },
      { level: 30, msg: 'summary written', trigger: 'overflow' },
    ]);
  });

  it('writes a line of a write that waited or took a second', () => {
    const lines = told((watch) => {
      watch.write({ waitedMs: 3, tookMs: 4 });
      watch.write({ waitedMs: 2_000.4, tookMs: 4 });
      watch.write({ waitedMs: 0, tookMs: 1_000 });
    });
    expect(lines).toMatchObject([
      { level: 40, msg: 'write waited for the database', waitedMs: 2_000 },
      { level: 40, msg: 'slow write', tookMs: 1_000 },
    ]);
  });
});
