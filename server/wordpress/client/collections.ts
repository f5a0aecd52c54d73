import { z } from 'zod';
import { SiteUnavailableError, TooLargeError } from '#server/core/errors';
import type { SiteConnector, SiteRequest } from '#server/wordpress/client/site-connector';

interface CollectionOptions<T> {
  readonly query: NonNullable<SiteRequest<unknown>['query']>;
  readonly schema: z.ZodType<T>;
  /** One item, for messages. */
  readonly what: string;
}

/** Reads and writes items of one collection of the REST API (`/wp/v2/media`). */
export function createCollection<T>(site: SiteConnector, route: string, { query, schema, what }: CollectionOptions<T>) {
  return {
    read: async (id: number, signal?: AbortSignal): Promise<T> =>
      (await site.ask(`${route}/${id}`, { query, schema, what, id, signal })).value,
    /** Creates an item where there is no id. */
    write: async (id: number | undefined, body: NonNullable<SiteRequest<T>['body']>): Promise<T> => {
      const at = id === undefined ? { route, ids: {} } : { route: `${route}/${id}`, ids: { id } };
      return (await site.ask(at.route, { method: 'POST', query, body, schema, what, ...at.ids })).value;
    },
    /** Deletes an item for good. One that is gone already is no error. */
    remove: async (id: number): Promise<void> => {
      await site.ask(`${route}/${id}`, {
        method: 'DELETE',
        query: { force: 'true', _fields: 'deleted' },
        schema: z.unknown(),
        what,
        id,
        onFault: ({ code }) => (code === 'rest_post_invalid_id' ? {} : undefined),
      });
    },
  };
}

/** The most that WordPress gives at once. */
export const PER_PAGE = 100;

interface ListRequest<T> {
  readonly query: NonNullable<SiteRequest<unknown>['query']>;
  readonly item: z.ZodType<T>;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** Items that are asked for at once; default: the most that WordPress gives. */
  readonly perPage?: number;
}

/** Fewer are not asked for at once: it is not their number that a site fails at. */
const FEWEST_PER_PAGE = 3;

/**
 * All of a list, so many at a time in the order of their ids: what is written meanwhile moves nothing of it. What
 * somebody deletes for good meanwhile moves the rest, so that one may be missed until the next time. Where a small host
 * has no memory or time for so many, fewer are asked for from then on.
 */
export async function* allOf<T>(
  site: SiteConnector,
  route: string,
  { query, item, what, signal, perPage = PER_PAGE }: ListRequest<T>,
): AsyncGenerator<{ items: T[]; total: number }> {
  const schema = z.array(item);
  let size = perPage;
  let first = '';
  for (let offset = 0, total = 1; offset < total;) {
    try {
      const { value, headers } = await site.ask<T[]>(route, {
        query: { orderby: 'id', order: 'asc', ...query, per_page: size, offset },
        schema,
        what,
        signal,
      });
      // Some proxies take the number away: behind a full piece there may then be another.
      const seen = offset + value.length + (value.length < size ? 0 : 1);
      const number = headers.get('x-wp-total');
      total = Number(number ?? seen);
      // A route that does not know where to go on gives the same piece each time.
      const begins = JSON.stringify(value[0]);
      if (number === null && begins === first) return;
      first = begins;
      offset += size;
      yield { items: value, total };
    } catch (error) {
      if (size <= FEWEST_PER_PAGE || !isTooMuch(error)) throw error;
      size = Math.max(FEWEST_PER_PAGE, Math.floor(size / 3));
    }
  }
}

/** An answer that PHP gives when it runs out of memory or time, or none in time. */
function isTooMuch(error: unknown): boolean {
  if (error instanceof TooLargeError) return true;
  if (!(error instanceof SiteUnavailableError)) return false;
  const { status, isLate } = (error.details ?? {}) as { status?: number; isLate?: boolean };
  return isLate === true || (status !== undefined && (status >= 500 || status < 300));
}

/** All items of a list at once. */
export async function collect<T>(pages: AsyncIterable<{ items: readonly T[] }>): Promise<T[]> {
  const all: T[] = [];
  for await (const { items } of pages) all.push(...items);
  return all;
}

/** Pieces of at most a hundred. */
export function chunksOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / PER_PAGE);
  return Array.from({ length: count }, (_, index) => items.slice(index * PER_PAGE, (index + 1) * PER_PAGE));
}
