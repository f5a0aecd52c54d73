import { type Attributes, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import type { CompactionComplete } from '#server/core/conversation/events';
import type { Usage } from '#server/core/conversation/messages';
import { ThroughlineError } from '#server/core/errors';

/* Metrics and spans of our own code, with OpenTelemetry's names where it defines one. Without a collector nothing is counted. */

/** Looked up at every use: an instrument that was created before `startTelemetry` would never count. */
export const meter = () => metrics.getMeter('throughline');

/** Records a turn that has ended. @param status as stored @param ms duration of the whole turn */
export function countTurn(status: string, ms: number): void {
  meter()
    .createHistogram('throughline.turn.duration', { unit: 's' })
    .record(ms / 1_000, { status });
}

/** Records the tokens of a model call, as its provider reports them. */
export function recordTokens(model: string, { inputTokens, outputTokens }: Usage) {
  const tokens = meter().createHistogram('gen_ai.client.token.usage', { unit: '{token}' });
  tokens.record(inputTokens, { 'gen_ai.request.model': model, 'gen_ai.token.type': 'input' });
  tokens.record(outputTokens, { 'gen_ai.request.model': model, 'gen_ai.token.type': 'output' });
}

/** Counts a completed compaction and the tokens that it removed. */
export function countCompaction(data: Pick<CompactionComplete, 'strategy' | 'tokensBefore' | 'tokensAfter'>): void {
  const attributes = { strategy: data.strategy };
  meter().createCounter('throughline.compactions', { unit: '{compaction}' }).add(1, attributes);
  const saved = Math.max(0, data.tokensBefore - data.tokensAfter);
  meter().createCounter('throughline.compacted_tokens', { unit: '{token}' }).add(saved, attributes);
}

/** Records an API request. @param route as written in the code: `/api/sessions/[id]` @param ms its duration */
export function countRequest(method: string, route: string, status: number, ms: number): void {
  meter()
    .createHistogram('http.server.request.duration', { unit: 's' })
    .record(ms / 1_000, {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
    });
}

/** Counts a failed model call. @param kind `rate-limit`, `auth`, `unavailable`, ... */
export function countProviderError(model: string, kind: string): void {
  meter()
    .createCounter('throughline.provider.errors', { unit: '{error}' })
    .add(1, { 'gen_ai.request.model': model, 'error.type': kind });
}

/** Counts a summary that was written, used or discarded. */
export function countSummary({ outcome, trigger }: { readonly outcome: string; readonly trigger: string }): void {
  meter().createCounter('throughline.summaries', { unit: '{summary}' }).add(1, { outcome, trigger });
}

/** Records how long a write waited for other writes, of this process and of others on the database; milliseconds. */
export function recordLockWait(ms: number): void {
  meter()
    .createHistogram('throughline.store.lock_wait', { unit: 's' })
    .record(ms / 1_000);
}

/** Records a write's duration; milliseconds. */
export function recordWrite(ms: number): void {
  meter()
    .createHistogram('throughline.store.write.duration', { unit: 's' })
    .record(ms / 1_000);
}

/**
 * Runs `work` in a trace span, which costs next to nothing if no traces are collected. Of an error only its code is
 * recorded, because messages may quote what a user wrote.
 * @param attributes ids, names and numbers; never text that a user wrote
 * @param work receives a function that adds attributes
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
