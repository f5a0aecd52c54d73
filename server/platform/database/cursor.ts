import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';

/** Sort key of an item: one column, or several. */
type CursorKey = string | number | readonly (string | number)[];

/** Encodes the sort key of a page's last item. Opaque to clients, safe in a URL. */
export function encodeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Decodes a cursor into the sort key of the last item of the previous page.
 *
 * @param schema of the sort key of this list
 * @throws InvalidInputError if this list cannot have created the cursor
 */
export function decodeCursor<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new InvalidInputError(serverText('cursor-invalid'), { cause });
  }
}

/** One page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** Pass it to the next call; null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Makes a page of rows. `rows` must have been read with `limit + 1`: an extra row shows that there is a next page.
 * @param keyOf returns the sort key of a row; the next page starts after that of the last item
 */
export function toPage<T>(rows: readonly T[], limit: number, keyOf: (last: T) => CursorKey): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/** The number of items of a page: the requested one, or `standard` without one, but between 1 and `max`. */
export function pageSize(requested: number | undefined, standard: number, max: number): number {
  return Math.min(Math.max(Math.trunc(requested ?? standard), 1), max);
}
