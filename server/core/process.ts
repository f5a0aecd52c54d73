/* What parts of the server receive from their process. */

export interface Clock {
  /** Epoch milliseconds. Where it is optional, the default is the system clock. */
  now(this: void): number;
}

export interface FaultLog {
  /** Logs an error that no user sees. Never throws. */
  onFault(this: void, message: string, error?: unknown): void;
}
