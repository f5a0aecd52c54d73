import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startProductionServer } from '#tests/support/production-server';
import { said } from '#tests/support/said';
import { sendRequest } from '#tests/support/rest-client';

const SECRET_WORDS = 'saltmarsh glaze recipe';

const attributes = z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }));
const tracesSchema = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});
const metricsSchema = z.object({
  resourceMetrics: z.array(
    z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(z.object({ name: z.string() })) })) }),
  ),
});

/** What OpenTelemetry sends, as a collector that speaks OTLP over HTTP in JSON takes it. */
class Collector {
  readonly received: { readonly path: string; readonly text: string }[] = [];
  readonly #server: Server = createServer((request, response) => {
    void this.#receive(request, response);
  });

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.received.push({ path: request.url ?? '', text: await readAll(request) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #bodies(path: string): unknown[] {
    return this.received.filter((each) => each.path === path).map(({ text }) => JSON.parse(text) as unknown);
  }

  spans() {
    const traces = this.#bodies('/v1/traces').map((body) => tracesSchema.parse(body));
    return traces.flatMap(({ resourceSpans }) => resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)));
  }

  metricNames(): Set<string> {
    const sent = this.#bodies('/v1/metrics').map((body) => metricsSchema.parse(body));
    const metrics = sent.flatMap(({ resourceMetrics }) => resourceMetrics.flatMap((r) => r.scopeMetrics));
    return new Set(metrics.flatMap((scope) => scope.metrics.map(({ name }) => name)));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** One turn that lists and creates, on a server with this environment, which is then stopped. */
async function runTurn(env: Record<string, string>) {
  const server = await startProductionServer({
    seed: true,
    env: { OFFLINE_CHUNK_DELAY_MS: '0', LOG_LEVEL: 'debug', ...env },
  });
  const headers = { 'x-request-id': 'mine-1' };
  const made = await sendRequest(server.url, { method: 'POST', path: '/api/sessions', body: {}, headers });
  const { id } = z.object({ id: z.string() }).parse(made.json());
  const message = said(`Create a page called ${SECRET_WORDS}`);
  const turn = await sendRequest(server.url, { method: 'POST', path: '/api/chat', body: { id, message } });
  expect(turn.text).toContain('[DONE]');
  expect(await server.stop()).toBe(143);
  return { made, turn, sessionId: id, logs: server.logs() };
}

describe('what is told of the work', () => {
  let collector: Collector;
  let address: string;
  beforeEach(async () => {
    collector = new Collector();
    address = await collector.start();
  });
  afterEach(() => collector.stop());

  it('is traces and metrics behind a switch, with ids and figures and nothing of what was said', async () => {
    const { sessionId, turn } = await runTurn({
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    const spans = collector.spans();
    const ofTurn = spans.find(({ name }) => name === 'turn');
    expect(ofTurn?.attributes).toContainEqual({ key: 'throughline.session.id', value: { stringValue: sessionId } });
    const inTurn = spans.filter(({ traceId, name }) => traceId === ofTurn?.traceId && name !== 'turn');
    expect(inTurn.map(({ name }) => name)).toEqual(expect.arrayContaining(['model call', 'tool call']));
    // The turn belongs to the request that started it, as Next traces it.
    expect(spans.some(({ spanId }) => spanId === ofTurn?.parentSpanId)).toBe(true);
    expect([...collector.metricNames()]).toEqual(
      expect.arrayContaining([
        'throughline.turn.duration',
        'gen_ai.client.token.usage',
        'http.server.request.duration',
      ]),
    );
    expect(turn.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect(collector.received.map(({ text }) => text).join('\n')).not.toContain('saltmarsh');
  });

  it('is nothing without it, and lines of the log that name request, session and turn', async () => {
    const { made, sessionId, logs } = await runTurn({});
    expect(collector.received).toEqual([]);
    expect(made.headers['x-request-id']).toBe('mine-1');
    const lines = logs.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as object] : []));
    expect(lines).toContainEqual(
      expect.objectContaining({ requestId: 'mine-1', method: 'POST', route: '/api/sessions', status: 201 }),
    );
    const ofTurn = expect.objectContaining({
      requestId: expect.stringMatching(/^[\w-]{36}$/) as unknown,
      sessionId,
      turnId: expect.stringMatching(/^trn_/) as unknown,
      msg: 'turn',
    }) as unknown;
    expect(lines).toContainEqual(ofTurn);
    expect(logs).not.toContain('saltmarsh');
  });
});
