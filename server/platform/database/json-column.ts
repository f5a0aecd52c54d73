import type { z } from 'zod';
import { ThroughlineError } from '#server/core/errors';

/** A stored row does not have the required shape. Such a row is reported, never skipped: readers would miss its data. */
export class CorruptRowError extends ThroughlineError {
  static override readonly code = 'corrupt_row';

  constructor(table: string, id: string, cause: unknown) {
    super(`The row "${id}" of ${table} cannot be read.`, { cause, details: { table, id } });
  }
}

/**
 * Parses and validates the JSON text of one column.
 *
 * @param row table and id of the row, for the error
 * @throws CorruptRowError that names the row, if the text is not JSON or has another shape.
 */
export function parseJsonColumn<T>(schema: z.ZodType<T>, text: string, row: { table: string; id: string }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CorruptRowError(row.table, row.id, cause);
  }
}

/**
 * Text for a plain text column. The driver cuts a string at a NUL character, so NULs become U+FFFD, like unpaired
 * surrogates. (JSON columns escape both and need no conversion.)
 */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed();
}
