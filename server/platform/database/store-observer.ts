import type { WriteTimes } from '#server/platform/database/grouped-writes';

/** Receives what happens in a database. Must not throw. */
export interface StoreObserver {
  /** Receives the durations of each write, including failed ones. */
  onWrite?(this: void, times: WriteTimes): void;
  /** Called for every SQLITE_BUSY that is retried; for a server, for every temporary failure. */
  onBusy?(this: void): void;
}
