import type { Logger } from 'pino';
import type { Signals } from '#server/core/conversation/events';
import type { Clock, FaultLog } from '#server/core/process';
import type { Env } from '#server/platform/config/env';
import type { Database } from '#server/platform/database/database';
import type { Leases, LeaseWatch } from '#server/platform/database/leases';
import type { SecretBox } from '#server/platform/database/secret-box';
import type { RedisClient } from '#server/platform/signals/redis-client';
import type { Watch } from '#server/platform/telemetry/watch';

/** What all parts of the server share in one process. It is created once, in `server/services/foundation.ts`. */
export interface ProcessContext extends Clock, FaultLog {
  readonly env: Env;
  readonly log: Logger;
  /** Reports failed providers, summaries and slow writes as metrics and log lines. */
  readonly watch: Watch;
  readonly database: Database;
  /** Decides which leases have expired; shared by all repositories. */
  readonly leaseWatch: LeaseWatch;
  readonly leases: Leases;
  /** Wakes other parts of this process and, with Redis, other processes. */
  readonly signals: Signals;
  /** Shared by all processes, connected or reconnecting; null without `REDIS_URL`. */
  readonly redis: RedisClient | null;
  /** Encrypts secrets in the database. */
  readonly secretBox: SecretBox;
  /** Aborts when the process stops, so that streams end that would otherwise stay open. */
  readonly closing: AbortSignal;
}
