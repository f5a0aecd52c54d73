import { AsyncLocalStorage } from 'node:async_hooks';

/** What a line of the log belongs to. */
export interface LogIds {
  readonly requestId?: string | undefined;
  /** Whose request it is. */
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
}

/** Routes, pages and instrumentation each get their own instance of this module; what runs is one for all. */
const holder = globalThis as typeof globalThis & { throughlineLogIds?: AsyncLocalStorage<LogIds> };
const storage = (holder.throughlineLogIds ??= new AsyncLocalStorage<LogIds>());

/** Everything that is logged by `work`, and by what it starts, carries these ids beside those that hold already. */
export function withLogIds<T>(ids: LogIds, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...ids }, work);
}

/** Adds to the ids that hold here what has been found out since. */
export function nameLogIds(ids: LogIds): void {
  const held = storage.getStore();
  if (held) Object.assign(held, ids);
}

/** The ids that hold here. */
export function logIds(): LogIds {
  return storage.getStore() ?? {};
}
