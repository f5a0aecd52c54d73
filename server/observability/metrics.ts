import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type BatchObservableResult, type ObservableGauge, type ObservableResult, metrics } from '@opentelemetry/api';
import type { CompactionComplete } from '#server/core/events';
import type { Usage } from '#server/core/messages';

/* What is counted, by OpenTelemetry's names where it has one. Nothing is where no metrics are collected. */

/** Looked up at every use: an instrument that was made before the collecting began would never count. */
const meter = () => metrics.getMeter('throughline');

/** @param status as stored, @param ms of the whole turn */
export function countTurn(status: string, ms: number): void {
  meter()
    .createHistogram('throughline.turn.duration', { unit: 's' })
    .record(ms / 1_000, { status });
}

/** What a model call cost, as its provider reports it. */
export function countTokens(model: string, { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>) {
  const tokens = meter().createHistogram('gen_ai.client.token.usage', { unit: '{token}' });
  tokens.record(inputTokens, { 'gen_ai.request.model': model, 'gen_ai.token.type': 'input' });
  tokens.record(outputTokens, { 'gen_ai.request.model': model, 'gen_ai.token.type': 'output' });
}

/** A compaction that was carried out. */
export function countCompaction(data: Pick<CompactionComplete, 'strategy' | 'tokensBefore' | 'tokensAfter'>): void {
  const attributes = { strategy: data.strategy };
  meter().createCounter('throughline.compactions', { unit: '{compaction}' }).add(1, attributes);
  const saved = Math.max(0, data.tokensBefore - data.tokensAfter);
  meter().createCounter('throughline.compacted_tokens', { unit: '{token}' }).add(saved, attributes);
}

/** A request of the API. @param route as written in the code: `/api/sessions/[id]` */
export function countRequest(method: string, route: string, status: number, ms: number): void {
  meter()
    .createHistogram('http.server.request.duration', { unit: 's' })
    .record(ms / 1_000, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
    });
}

/** A model call that failed. @param kind `rate-limit`, `auth`, `unavailable`, ... */
export function countProviderError(model: string, kind: string): void {
  meter()
    .createCounter('throughline.provider.errors', { unit: '{error}' })
    .add(1, { 'gen_ai.request.model': model, 'error.type': kind });
}

/** What became of a summary that a model was to write. */
export function countSummary({ outcome, trigger }: { readonly outcome: string; readonly trigger: string }): void {
  meter().createCounter('throughline.summaries', { unit: '{summary}' }).add(1, { outcome, trigger });
}

/** How long a write waited for others: of this process, and of those that share the database. */
export function countLockWait(ms: number): void {
  meter()
    .createHistogram('throughline.store.lock_wait', { unit: 's' })
    .record(ms / 1_000);
}

/** How long a write then took. */
export function countWrite(ms: number): void {
  meter()
    .createHistogram('throughline.store.write.duration', { unit: 's' })
    .record(ms / 1_000);
}

/** What is looked up each time that metrics are sent. */
export interface ProcessFigures {
  /** Messages that wait in the queues of all sessions. */
  readonly queueLength: () => Promise<number>;
  /** Bytes. */
  readonly databaseSize: () => Promise<number>;
}

/** Watches the event loop and these figures, until what it gives is called. Only where metrics are collected. */
export function observeProcess({ queueLength, databaseSize }: ProcessFigures): () => void {
  const delays = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
  delays.enable();
  const gauge = (name: string, unit: string) => meter().createObservableGauge(name, { unit });
  const longest = gauge('nodejs.eventloop.delay.max', 's');
  const usual = gauge('nodejs.eventloop.delay.p99', 's');
  const inSeconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  const ofLoop = (result: BatchObservableResult) => {
    result.observe(longest, inSeconds(delays.max));
    result.observe(usual, inSeconds(delays.percentile(99)));
    delays.reset();
  };
  meter().addBatchObservableCallback(ofLoop, [longest, usual]);
  const stops = [
    observe(gauge('throughline.queue.length', '{message}'), queueLength),
    observe(gauge('throughline.database.size', 'By'), databaseSize),
    () => meter().removeBatchObservableCallback(ofLoop, [longest, usual]),
    () => void delays.disable(),
  ];
  return () => stops.forEach((stop) => stop());
}

/** How often the event loop is looked at; milliseconds. */
const EVENT_LOOP_RESOLUTION_MS = 20;

/** A figure that cannot be had is not sent. */
function observe(gauge: ObservableGauge, figure: () => Promise<number>): () => void {
  const callback = async (result: ObservableResult) => {
    const value = await figure().catch(() => null);
    if (value !== null) result.observe(value);
  };
  gauge.addCallback(callback);
  return () => gauge.removeCallback(callback);
}
