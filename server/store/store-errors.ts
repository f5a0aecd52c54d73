import { ThroughlineError } from '#server/core/errors';

/** Another process kept the database locked for longer than a write waits; nothing was changed, try again later. */
export class StoreBusyError extends ThroughlineError {
  static override readonly code = 'store_busy';

  /** `waitedMs`: how long it was tried. */
  constructor(waitedMs: number, cause: unknown) {
    super('The database is busy. Try again in a moment.', { cause, details: { waitedMs } });
  }
}

/** A stored row does not have the shape it must have. It is never skipped: a silent gap would be worse. */
export class CorruptRowError extends ThroughlineError {
  static override readonly code = 'corrupt_row';

  constructor(table: string, id: string, cause: unknown) {
    super(`The row "${id}" of ${table} cannot be read.`, { cause, details: { table, id } });
  }
}
