import type { DestinationStream } from 'pino';
import type { Env } from '#server/platform/config/env';
import type { ProcessContext } from '#server/platform/process-context';
import { createLog, warnOfNewDatabase } from '#server/platform/telemetry/log';
import { observeProcess } from '#server/platform/telemetry/process-metrics';
import { startTelemetry } from '#server/platform/telemetry/start-telemetry';
import { createWatch } from '#server/platform/telemetry/watch';
import { connectToRedis } from '#server/platform/signals/redis-client';
import { createSignals } from '#server/platform/signals/signals';
import { openDatabase } from '#server/platform/database/database';
import { createLeases, LeaseWatch } from '#server/platform/database/leases';
import { createSecretBox } from '#server/platform/database/secret-box';
import { countQueuedMessages, databaseSize } from '#server/conversation/store/turn-rows';

/** The process context, and what ends it. */
export interface Foundation extends ProcessContext {
  /** Aborts `closing`. */
  endStreams(this: void): void;
  close(): Promise<void>;
}

/**
 * Opens the base of all services of a process: log, database and connections to other processes.
 * @param patienceMs how long one write waits for a busy database, milliseconds
 * @param logDestination receives the log lines; default: standard output
 * @throws when the database cannot be opened or migrated
 */
export async function openFoundation(
  env: Env,
  patienceMs?: number,
  logDestination?: DestinationStream,
): Promise<Foundation> {
  const log = createLog(env, logDestination);
  const telemetry = await startTelemetry(env, log);
  const watch = createWatch(log);
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    patienceMs,
    observer: { onWrite: watch.write },
  });
  if (database.isNew) warnOfNewDatabase(log, database.url);
  const stopObserving =
    telemetry &&
    observeProcess({
      queueLength: () => countQueuedMessages(database.read),
      databaseSize: () => databaseSize(database.read),
    });
  const onFault = (message: string, error?: unknown) => log.error({ err: error }, message);
  // Shared by all repositories, so that one part of the process knows what another has seen of a lease.
  const leaseWatch = new LeaseWatch(undefined, env.TURN_LEASE_MS);
  const signals = await createSignals(env, onFault);
  const redis = env.REDIS_URL === undefined ? null : await connectToRedis(env.REDIS_URL);
  const closing = new AbortController();
  return {
    env,
    now: Date.now,
    closing: closing.signal,
    endStreams: () => closing.abort(),
    log,
    watch,
    database,
    onFault,
    leaseWatch,
    leases: createLeases(database, { watch: leaseWatch }),
    signals,
    redis,
    secretBox: createSecretBox({
      secret: env.AUTH_SECRET,
      former: env.FORMER_AUTH_SECRET,
      databaseUrl: env.DATABASE_URL,
    }),
    async close() {
      await signals.close();
      redis?.destroy();
      await telemetry?.close();
      stopObserving?.();
      await database.close();
    },
  };
}

/** Encrypts secrets that are stored in plain text. A failure is logged and does not keep the server from starting. */
export async function sealStored(
  store: { sealAll(): Promise<readonly string[]> },
  onFault: ProcessContext['onFault'],
): Promise<void> {
  try {
    const unreadable = await store.sealAll();
    if (unreadable.length > 0)
      onFault(`Stored secrets cannot be read: AUTH_SECRET has changed. Enter again: ${unreadable.join(', ')}`);
  } catch (error) {
    onFault('stored secrets cannot be encrypted', error);
  }
}
