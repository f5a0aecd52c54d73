import type { z } from 'zod';
import { CorruptRowError } from '#server/store/store-errors';

/**
 * Parses and checks the JSON text of one column.
 *
 * @throws CorruptRowError naming the row when it is not JSON or not of this shape.
 */
export function parseJsonColumn<T>(schema: z.ZodType<T>, text: string, row: { table: string; id: string }): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CorruptRowError(row.table, row.id, cause);
  }
}
