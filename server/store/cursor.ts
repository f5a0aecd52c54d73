import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';

type CursorKey = string | number | readonly (string | number)[];

/** Encodes the sort key of a page's last item. Opaque to clients, safe in a URL. */
export function encodeCursor(key: CursorKey): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Reads a cursor back.
 *
 * @throws InvalidInputError when this list cannot have made it.
 */
export function decodeCursor<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new InvalidInputError('This cursor is not valid. Start again without one.', { cause });
  }
}

/** One page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** Give it to the next call; null on the last page. */
  readonly nextCursor: string | null;
}

/** Cuts `rows`, read with one more than `limit`, into a page; `keyOf` gives what the next page starts behind. */
export function toPage<T>(rows: readonly T[], limit: number, keyOf: (last: T) => CursorKey): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : null };
}

/** A page size between 1 and `most`. */
export function pageSize(limit: number | undefined, usual: number, most: number): number {
  return Math.min(Math.max(Math.trunc(limit ?? usual), 1), most);
}
