import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids that connect a log line with a request, a user or a turn. Every line has the ids that are set where it is logged. */
export interface LogIds {
  readonly requestId?: string | undefined;
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
}

/**
 * In Next.js, routes, pages and instrumentation each get their own copy of this module; the global object holds the one
 * storage that they share.
 */
const globals = globalThis as typeof globalThis & { throughlineLogIds?: AsyncLocalStorage<LogIds> };
const storage = (globals.throughlineLogIds ??= new AsyncLocalStorage<LogIds>());

/** Runs `work` with these ids in addition to the current ones; they also hold in code that `work` starts. */
export function withLogIds<T>(ids: LogIds, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...ids }, work);
}

/** Adds ids that have become known to the current ones, until the surrounding `withLogIds` ends. */
export function addLogIds(ids: LogIds): void {
  const current = storage.getStore();
  if (current) Object.assign(current, ids);
}

/** The ids that are set here. */
export function logIds(): LogIds {
  return storage.getStore() ?? {};
}
