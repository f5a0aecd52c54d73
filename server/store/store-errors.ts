import { ThroughlineError } from '#server/core/errors';

/** A stored row does not have the shape it must have. It is never skipped: a silent gap would be worse. */
export class CorruptRowError extends ThroughlineError {
  static override readonly code = 'corrupt_row';

  constructor(table: string, id: string, cause: unknown) {
    super(`The row "${id}" of ${table} cannot be read.`, { cause, details: { table, id } });
  }
}
