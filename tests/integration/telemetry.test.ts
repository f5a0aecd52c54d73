import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OtlpCollector } from '#tests/support/otlp-collector';
import { startProductionServer } from '#tests/support/production-server';
import { said } from '#tests/support/said';
import { sendRequest } from '#tests/support/rest-client';

const SECRET_WORDS = 'saltmarsh glaze recipe';

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

describe('telemetry', () => {
  let collector: OtlpCollector;
  let address: string;
  beforeEach(async () => {
    collector = new OtlpCollector();
    address = await collector.start();
  });
  afterEach(() => collector.stop());

  it('is optional traces and metrics, with ids and figures and no content', async () => {
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
      turnStatus: 'completed',
    }) as unknown;
    expect(lines).toContainEqual(ofTurn);
    expect(logs).not.toContain('saltmarsh');
  });
});
