import type { Env } from '#server/env';

/** Collects and sends traces and metrics, until it is closed. */
export interface Telemetry {
  /** Sends what is left. */
  close(): Promise<void>;
}

/** How often metrics are sent; milliseconds. */
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
