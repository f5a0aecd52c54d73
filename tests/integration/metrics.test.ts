import { afterEach, describe, expect, it, vi } from 'vitest';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { OtlpCollector } from '#tests/support/otlp-collector';
import { SUMMARIZER, TALL, counted, summaryModel } from '#tests/support/summary-models';
import { startTestServices } from '#tests/support/test-services';

afterEach(() => vi.unstubAllEnvs());

describe('metrics of failures and delays', () => {
  it('count provider errors, summaries, lock wait, event loop delay, queue and database', async () => {
    const collector = new OtlpCollector();
    const OTEL_EXPORTER_OTLP_ENDPOINT = await collector.start();
    // The exporter reads its own variables.
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', OTEL_EXPORTER_OTLP_ENDPOINT);
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    const model = summaryModel(() => Promise.reject(new Error('Rate limit reached: too many requests.')));
    const env = { CONTEXT_WINDOW: '16000', COMPACTION_MODEL: SUMMARIZER, CONTEXT_STEP_RETRIES: '0' };
    const failing = { ...model, doStream: () => Promise.reject(new Error('Rate limit reached.')) };
    const services = await startTestServices(
      { ...env, OTEL_EXPORTER_OTLP_ENDPOINT, DEFAULT_MODEL: SUMMARIZER },
      { models: { [SUMMARIZER]: failing } },
    );
    try {
      const session = await services.sessions.create({ ownerId: 'own_local' });
      await services.messages.appendMany(session.id, counted(TALL));
      expect((await services.context.prepare(session)).compaction).toMatchObject({ strategy: 'ledger' });
      const order = { session, texts: ['And on'], modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
      await services.chat.enqueue(order);
      await services.chat.idle();
    } finally {
      await services[Symbol.asyncDispose]();
      await collector.stop();
    }
    expect(collector.points('throughline.provider.errors')).toContainEqual({
      value: 1,
      by: { 'gen_ai.request.model': SUMMARIZER, 'error.type': 'rate-limit' },
    });
    expect(collector.points('throughline.summaries')).toContainEqual({
      value: 1,
      by: { outcome: 'failed', trigger: 'overflow' },
    });
    for (const name of ['throughline.store.lock_wait', 'throughline.store.write.duration'])
      expect(collector.points(name)).not.toEqual([]);
    for (const name of ['nodejs.eventloop.delay.max', 'nodejs.eventloop.delay.p99', 'throughline.queue.length'])
      expect(collector.points(name).every(({ value }) => value !== undefined && value >= 0)).toBe(true);
    expect(collector.points('throughline.queue.length')).toContainEqual({ value: 0, by: {} });
    expect(collector.points('throughline.database.size').at(-1)?.value).toBeGreaterThan(100_000);
  });
});
