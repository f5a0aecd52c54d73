import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type Attributes,
  type BatchObservableResult,
  metrics,
  type ObservableGauge,
  type ObservableResult,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Env } from '#server/config/env';
import type { SummaryOutcome } from '#server/core/compactions';
import { ThroughlineError } from '#server/core/errors';
import type { CompactionComplete } from '#server/core/events';
import type { Usage } from '#server/core/messages';

/** Collects and sends traces and metrics, until it is closed. */
export interface Telemetry {
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Interval of metric exports; milliseconds. */
const METRICS_EVERY_MS = 30_000;

/**
 * Starts OpenTelemetry where `OTEL_EXPORTER_OTLP_ENDPOINT` says where to send it; its other standard variables hold, too.
 * Next's spans of requests come along.
 * @returns null: nothing is collected
 */
export async function startTelemetry(env: Pick<Env, 'OTEL_EXPORTER_OTLP_ENDPOINT'>): Promise<Telemetry | null> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null;
  process.env['OTEL_METRICS_EXPORTER'] ??= 'otlp';
  process.env['OTEL_METRIC_EXPORT_INTERVAL'] ??= String(METRICS_EVERY_MS);
  process.env['OTEL_LOGS_EXPORTER'] ??= 'none';
  // Loaded here: who sends nothing does not wait for it.
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const serviceName = process.env['OTEL_SERVICE_NAME'] ?? 'throughline';
  const sdk = new NodeSDK({ serviceName, autoDetectResources: false });
  sdk.start();
  return { close: () => sdk.shutdown() };
}

/* Metrics, by OpenTelemetry's names where it has one. Without a collector nothing is counted. */

/** Looked up at every use: an instrument that was made before the collecting began would never count. */
const meter = () => metrics.getMeter('throughline');

/** @param status as stored, @param ms of the whole turn */
export function countTurn(status: string, ms: number): void {
  meter()
    .createHistogram('throughline.turn.duration', { unit: 's' })
    .record(ms / 1_000, { status });
}

/** Records the tokens of a model call, as its provider reports them. */
export function recordTokens(
  model: string,
  { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>,
) {
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
function countProviderError(model: string, kind: string): void {
  meter()
    .createCounter('throughline.provider.errors', { unit: '{error}' })
    .add(1, { 'gen_ai.request.model': model, 'error.type': kind });
}

function countSummary({ outcome, trigger }: { readonly outcome: string; readonly trigger: string }): void {
  meter().createCounter('throughline.summaries', { unit: '{summary}' }).add(1, { outcome, trigger });
}

/** Records a write's wait for others: of this process, and of those that share the database. */
function countLockWait(ms: number): void {
  meter()
    .createHistogram('throughline.store.lock_wait', { unit: 's' })
    .record(ms / 1_000);
}

/** Records a write's duration. */
function countWrite(ms: number): void {
  meter()
    .createHistogram('throughline.store.write.duration', { unit: 's' })
    .record(ms / 1_000);
}

/** Figures that are read each time metrics are sent. */
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

/** Sampling interval of the event loop; milliseconds. */
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

/** A model call that failed. */
export interface ProviderFailure {
  readonly modelId: string;
  /** Kind of error, by `server/agent/provider-errors`. */
  readonly kind: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The provider's own words, cleaned and bounded. */
  readonly message: string;
  readonly error: unknown;
}

/** Time a write waited for the database, and then took; milliseconds. */
interface WriteTold {
  readonly waitedMs: number;
  readonly tookMs: number;
}

/** Reports events that operators look for when something is slow or fails: each a log line and a metric. Never throws. */
export interface Watch {
  readonly providerFailed: (failure: ProviderFailure) => void;
  readonly summary: (summary: SummaryOutcome) => void;
  readonly write: (write: WriteTold) => void;
}

/** A write that waits or takes longer is a line of the log: a person notices a second. */
const SLOW_MS = 1_000;

export function createWatch(log: Pick<Logger, 'debug' | 'info' | 'warn'>): Watch {
  return {
    providerFailed({ modelId, kind, retryable, retryAfterMs, message, error }) {
      countProviderError(modelId, kind);
      log.warn({ modelId, kind, retryable, retryAfterMs, message, err: error }, 'provider failed');
    },
    summary(told) {
      countSummary(told);
      if (told.outcome === 'failed') log.warn(told, 'summary failed');
      // Each outcome is a line, so that those that were written in vain can be counted.
      else log.info(told, `summary ${told.outcome}`);
    },
    write({ waitedMs, tookMs }) {
      countLockWait(waitedMs);
      countWrite(tookMs);
      const times = { waitedMs: Math.round(waitedMs), tookMs: Math.round(tookMs) };
      if (waitedMs >= SLOW_MS) log.warn(times, 'write waited for the database');
      if (tookMs >= SLOW_MS) log.warn(times, 'slow write');
    },
  };
}

/**
 * Traces `work` as a span, which costs next to nothing where no traces are collected. Of an error only its code is
 * kept: messages may quote what was written.
 * @param attributes ids, names and numbers; never what somebody wrote
 * @param work is given a way to add to them
 */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (add: (more: Attributes) => void) => Promise<T>,
): Promise<T> {
  return trace.getTracer('throughline').startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work((more) => void span.setAttributes(more));
    } catch (error) {
      const message = error instanceof ThroughlineError ? error.code : 'internal_error';
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
}
