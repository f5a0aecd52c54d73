import type { Logger } from 'pino';
import { countLockWait, countProviderError, countSummary, countWrite } from '#server/observability/metrics';

/** A model call that failed. */
export interface ProviderFailure {
  readonly modelId: string;
  /** As `server/agent/provider-errors` sorts them. */
  readonly kind: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The provider's own words, cleaned and bounded. */
  readonly message: string;
  readonly error: unknown;
}

/** What became of a summary that a model was to write. */
interface SummaryTold {
  readonly outcome: 'written' | 'failed' | 'paused' | 'used' | 'dropped';
  readonly sessionId: string;
  readonly modelId: string;
  readonly trigger: string;
  readonly reason?: string | undefined;
}

/** How long a write waited for the database, and then took; milliseconds. */
interface WriteTold {
  readonly waitedMs: number;
  readonly tookMs: number;
}

/** What operators look for when something is slow or fails: each a line of the log and a metric. Never throws. */
export interface Watch {
  readonly providerFailed: (failure: ProviderFailure) => void;
  readonly summary: (summary: SummaryTold) => void;
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
      else log[told.outcome === 'dropped' ? 'info' : 'debug'](told, `summary ${told.outcome}`);
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
