import { metrics } from '@opentelemetry/api';
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
