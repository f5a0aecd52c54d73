import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { BatchObservableResult, ObservableGauge, ObservableResult } from '@opentelemetry/api';
import { meter } from '#server/platform/telemetry/telemetry';

/** Functions that are called each time metrics are sent. */
interface ProcessFigures {
  /** Number of messages that wait in the queues of all sessions. */
  readonly queueLength: () => Promise<number>;
  /** Size of the database in bytes. */
  readonly databaseSize: () => Promise<number>;
}

/** Reports the delay of the event loop and these values as metrics, until the returned function is called. */
export function observeProcess({ queueLength, databaseSize }: ProcessFigures): () => void {
  const delays = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });
  delays.enable();
  const gauge = (name: string, unit: string) => meter().createObservableGauge(name, { unit });
  const longest = gauge('nodejs.eventloop.delay.max', 's');
  const p99 = gauge('nodejs.eventloop.delay.p99', 's');
  const inSeconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  const reportDelays = (result: BatchObservableResult) => {
    result.observe(longest, inSeconds(delays.max));
    result.observe(p99, inSeconds(delays.percentile(99)));
    delays.reset();
  };
  meter().addBatchObservableCallback(reportDelays, [longest, p99]);
  const stops = [
    observe(gauge('throughline.queue.length', '{message}'), queueLength),
    observe(gauge('throughline.database.size', 'By'), databaseSize),
    () => meter().removeBatchObservableCallback(reportDelays, [longest, p99]),
    () => void delays.disable(),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Sampling interval of the event loop; milliseconds. */
const EVENT_LOOP_RESOLUTION_MS = 20;

/** Reports a value at each export. A value that cannot be read is left out. */
function observe(gauge: ObservableGauge, figure: () => Promise<number>): () => void {
  const callback = async (result: ObservableResult) => {
    const value = await figure().catch(() => null);
    if (value !== null) result.observe(value);
  };
  gauge.addCallback(callback);
  return () => gauge.removeCallback(callback);
}
