import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Env } from '#server/platform/config/env';
import { configuredNetwork, guardedAgent } from '#server/platform/outgoing/network';

/** The running export of traces and metrics. */
export interface Telemetry {
  /** Sends the remaining data and stops. */
  close(): Promise<void>;
}

/** Interval of metric exports; milliseconds. */
const METRICS_EVERY_MS = 30_000;

/**
 * Starts OpenTelemetry if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; its other standard variables apply, too, except those of
 * other transports. The spans that Next.js creates for requests are included.
 * @returns null: nothing is collected
 */
export async function startTelemetry(
  env: Pick<Env, 'OTEL_EXPORTER_OTLP_ENDPOINT'>,
  log: Pick<Logger, 'error'>,
): Promise<Telemetry | null> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null;
  const { env: variables } = process;
  const problem = unsupported(variables);
  if (problem !== null) {
    log.error(`No traces or metrics are sent: ${problem}`);
    return null;
  }
  // Loaded here, so that installations without telemetry do not wait for it.
  const [{ NodeSDK }, { PeriodicExportingMetricReader }, exporters] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/sdk-metrics'),
    otlpExporters(variables),
  ]);
  const serviceName = variables['OTEL_SERVICE_NAME'] ?? 'throughline';
  const exportIntervalMillis = Number(variables['OTEL_METRIC_EXPORT_INTERVAL']) || METRICS_EVERY_MS;
  const exportTimeoutMillis = Math.min(exportIntervalMillis, Number(variables['OTEL_METRIC_EXPORT_TIMEOUT']) || 30_000);
  variables['OTEL_LOGS_EXPORTER'] = 'none';
  const sdk = new NodeSDK({
    serviceName,
    autoDetectResources: false,
    ...(isOn(variables, 'TRACES') ? { traceExporter: exporters.traces() } : { spanProcessors: [] }),
    metricReaders: isOn(variables, 'METRICS')
      ? [
          new PeriodicExportingMetricReader({
            exporter: exporters.metrics(),
            exportIntervalMillis,
            exportTimeoutMillis,
          }),
        ]
      : [],
  });
  sdk.start();
  return { close: () => sdk.shutdown() };
}

type Variables = Readonly<Record<string, string | undefined>>;
type Signal = 'TRACES' | 'METRICS';

/** Value of an OpenTelemetry variable that can be set for one signal, or for all signals. */
const valueFor = (variables: Variables, signal: Signal, name: string) =>
  variables[`OTEL_EXPORTER_OTLP_${signal}_${name}`]?.trim() || variables[`OTEL_EXPORTER_OTLP_${name}`]?.trim();
const isOn = (variables: Variables, signal: Signal) => variables[`OTEL_${signal}_EXPORTER`]?.trim() !== 'none';

/** The problem with variables that would make the SDK open connections past server/platform/outgoing; null: none. */
function unsupported(variables: Variables): string | null {
  for (const signal of ['TRACES', 'METRICS'] as const) {
    const exporter = variables[`OTEL_${signal}_EXPORTER`]?.trim() || 'otlp';
    if (exporter !== 'otlp' && exporter !== 'none')
      return `OTEL_${signal}_EXPORTER is "${exporter}". Set it to otlp or none.`;
    const protocol = valueFor(variables, signal, 'PROTOCOL') ?? 'http/protobuf';
    if (protocol !== 'http/protobuf' && protocol !== 'http/json')
      return `the protocol of ${signal.toLowerCase()} is "${protocol}". Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json.`;
  }
  return null;
}

/** Exporters whose connections are opened by server/platform/outgoing. */
async function otlpExporters(variables: Variables) {
  const isJson = (signal: Signal) => valueFor(variables, signal, 'PROTOCOL') === 'http/json';
  const { OTLPTraceExporter } = isJson('TRACES')
    ? await import('@opentelemetry/exporter-trace-otlp-http')
    : await import('@opentelemetry/exporter-trace-otlp-proto');
  const { OTLPMetricExporter } = isJson('METRICS')
    ? await import('@opentelemetry/exporter-metrics-otlp-http')
    : await import('@opentelemetry/exporter-metrics-otlp-proto');
  const options = (signal: Signal) => ({
    httpAgentOptions: (protocol: string) => guardedAgent(configuredNetwork, protocol, certificates(variables, signal)),
  });
  return {
    traces: () => new OTLPTraceExporter(options('TRACES')),
    metrics: () => new OTLPMetricExporter(options('METRICS')),
  };
}

/** Contents of the certificate files that the standard variables name. */
function certificates(variables: Variables, signal: Signal) {
  const read = (name: string) => {
    const file = valueFor(variables, signal, name);
    return file === undefined ? undefined : readFileSync(file);
  };
  return { ca: read('CERTIFICATE'), cert: read('CLIENT_CERTIFICATE'), key: read('CLIENT_KEY') };
}
