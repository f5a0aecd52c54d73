import { APICallError } from 'ai';
import { diag, DiagLogLevel, metrics, trace } from '@opentelemetry/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '#server/platform/telemetry/log';
import { startTelemetry } from '#server/platform/telemetry/start-telemetry';
import { inSpan } from '#server/platform/telemetry/telemetry';
import { createWatch, type Watch } from '#server/platform/telemetry/watch';

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

describe('traces and metrics', () => {
  const variables = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_TRACES_EXPORTER'] as const;
  afterEach(() => {
    vi.unstubAllEnvs();
    diag.disable();
    trace.disable();
    metrics.disable();
  });

  /** What a start with these variables logs, and what OpenTelemetry reports when a span is sent. */
  async function startWith(values: Partial<Record<(typeof variables)[number], string>>) {
    for (const name of variables) vi.stubEnv(name, values[name]);
    const reported: string[] = [];
    const note = (...words: unknown[]) => void reported.push(words.map(String).join(' '));
    diag.setLogger({ error: note, warn: note, info: () => {}, debug: () => {}, verbose: () => {} }, DiagLogLevel.WARN);
    const logged: string[] = [];
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = values;
    const log = { error: (line: string) => void logged.push(line) };
    const telemetry = await startTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT }, log as never);
    await inSpan('work', {}, () => Promise.resolve());
    await telemetry?.close().catch(note);
    return { isOn: telemetry !== null, reported: reported.join('\n'), logged };
  }

  // Where clouds answer with the credentials of the machine.
  it.each(['http/json', 'http/protobuf'])('are sent over %s to no link-local address', async (protocol) => {
    const { isOn, reported } = await startWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://169.254.169.254:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    });
    expect(isOn).toBe(true);
    expect(reported).toContain('The address 169.254.169.254:1 is not one that may be configured');
  });

  it.each([{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, { OTEL_TRACES_EXPORTER: 'zipkin' }])(
    'are not sent with %j, which would open separate connections',
    async (more) => {
      const { isOn, logged } = await startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', ...more });
      expect(isOn).toBe(false);
      expect(logged).toEqual([expect.stringContaining(Object.values(more)[0]!)]);
    },
  );
});
