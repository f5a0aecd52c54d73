import type { Logger } from 'pino';
import type { SummaryOutcome } from '#server/core/conversation/compactions';
import {
  countCompaction,
  countProviderError,
  countSummary,
  recordLockWait,
  recordWrite,
} from '#server/platform/telemetry/telemetry';

/** A model call that failed. */
export interface ProviderFailure {
  readonly modelId: string;
  /** Kind of error, by `server/conversation/step/provider-errors`. */
  readonly kind: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Wait that the provider asked for. */
  readonly retryAfterMs?: number | undefined;
  /** The provider's own message, cleaned and limited in length. */
  readonly message: string;
  /** The error itself, for the log. */
  readonly error: unknown;
}

/** A compaction of a conversation that a program stores and sends to `/v1`. */
interface ProgramCompactionFigures {
  readonly modelId: string;
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesCompacted: number;
  readonly durationMs: number;
}

/** How long a write waited for the database, and how long it then took; milliseconds. */
interface WriteTiming {
  readonly waitedMs: number;
  readonly tookMs: number;
}

/**
 * Reports events that operators look for when the server is slow or fails, each as a metric and, if it matters, a log line.
 * Never throws.
 */
export interface Watch {
  readonly providerFailed: (failure: ProviderFailure) => void;
  readonly summary: (summary: SummaryOutcome) => void;
  readonly programCompaction: (figures: ProgramCompactionFigures) => void;
  readonly write: (write: WriteTiming) => void;
}

/** A write that waits or takes at least so long is logged: people notice a delay of a second. */
const SLOW_MS = 1_000;

/** Creates the reports over the log and the metrics. */
export function createWatch(log: Logger): Watch {
  return {
    providerFailed({ modelId, kind, retryable, retryAfterMs, message, error }) {
      countProviderError(modelId, kind);
      log.warn({ modelId, kind, retryable, retryAfterMs, message, err: error }, 'provider failed');
    },
    summary(summary) {
      countSummary(summary);
      if (summary.outcome === 'failed') log.warn(summary, 'summary failed');
      // Every outcome is a log line, so that unused summaries can be counted.
      else log.info(summary, `summary ${summary.outcome}`);
    },
    programCompaction(figures) {
      countCompaction(figures);
      log.info(figures, 'conversation of a program compacted');
    },
    write({ waitedMs, tookMs }) {
      recordLockWait(waitedMs);
      recordWrite(tookMs);
      const times = { waitedMs: Math.round(waitedMs), tookMs: Math.round(tookMs) };
      if (waitedMs >= SLOW_MS) log.warn(times, 'write waited for the database');
      if (tookMs >= SLOW_MS) log.warn(times, 'slow write');
    },
  };
}
