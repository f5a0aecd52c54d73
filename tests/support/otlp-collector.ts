import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { z } from 'zod';

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
const points = z.object({
  dataPoints: z.array(
    z.object({ attributes, asInt: z.coerce.number().optional(), asDouble: z.number().optional() }).loose(),
  ),
});
const metric = z.object({
  name: z.string(),
  sum: points.optional(),
  gauge: points.optional(),
  histogram: points.optional(),
});
const metricsSchema = z.object({
  resourceMetrics: z.array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(metric) })) })),
});

/** What OpenTelemetry sends, as a collector that speaks OTLP over HTTP in JSON takes it. */
export class OtlpCollector {
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

  #metrics() {
    const sent = this.#bodies('/v1/metrics').map((body) => metricsSchema.parse(body));
    const scopes = sent.flatMap(({ resourceMetrics }) => resourceMetrics.flatMap((r) => r.scopeMetrics));
    return scopes.flatMap(({ metrics }) => metrics);
  }

  metricNames(): Set<string> {
    return new Set(this.#metrics().map(({ name }) => name));
  }

  /** What was sent of a metric, each value with its attributes; of a histogram the attributes alone. */
  points(name: string): { readonly value: number | undefined; readonly by: Readonly<Record<string, unknown>> }[] {
    const ofName = this.#metrics().filter((each) => each.name === name);
    return ofName.flatMap(({ sum, gauge, histogram }) =>
      (sum ?? gauge ?? histogram)!.dataPoints.map((point) => ({
        value: point.asInt ?? point.asDouble,
        by: Object.fromEntries(point.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
      })),
    );
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
