import { z } from 'zod';
import { SiteUnavailableError, TooLargeError } from '#server/core/errors';
import type { SiteConnector, SiteRequest } from '#server/wordpress/client/site-connector';

interface CollectionOptions<T> {
  readonly query: NonNullable<SiteRequest<unknown>['query']>;
  readonly schema: z.ZodType<T>;
  /** Name of an item, for messages. */
  readonly what: string;
}

/** Reads and writes items of one collection of the REST API (`/wp/v2/media`). */
export function createCollection<T>(site: SiteConnector, route: string, { query, schema, what }: CollectionOptions<T>) {
  return {
    read: async (id: number, signal?: AbortSignal): Promise<T> =>
      (await site.ask(`${route}/${id}`, { query, schema, what, id, signal })).value,
    /** Creates an item if no id is given. */
    write: async (
      id: number | undefined,
      body: NonNullable<SiteRequest<T>['body']>,
      more: CollectionOptions<T>['query'] = {},
    ): Promise<T> => {
      const at = id === undefined ? { route, ids: {} } : { route: `${route}/${id}`, ids: { id } };
      const request = { method: 'POST', query: { ...query, ...more }, body, schema, what, ...at.ids } as const;
      return (await site.ask(at.route, request)).value;
    },
    /** Deletes an item permanently. It is no error if it no longer exists. */
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

/** Largest page size that WordPress allows. */
export const PER_PAGE = 100;

interface ListRequest<T> {
  readonly query: NonNullable<SiteRequest<unknown>['query']>;
  readonly item: z.ZodType<T>;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** Number of items per request; default: the largest that WordPress allows. */
  readonly perPage?: number;
}

/**
 * Smallest page size: a site that fails at fewer items does not fail because of their number. A choice, not measured.
 */
const MIN_PER_PAGE = 3;

/**
 * All items of a list, page by page in the order of their ids, so that items written during the read do not shift it.
 * Items that are permanently deleted during the read shift the rest, so one may be missed until the next time. If a
 * small host lacks the memory or time for a page, smaller pages are requested from then on.
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
      // Some proxies remove the total: after a full page, another one may follow.
      const seen = offset + value.length + (value.length < size ? 0 : 1);
      const number = headers.get('x-wp-total');
      total = Number(number ?? seen);
      // A route that ignores the offset returns the same page each time.
      const begins = JSON.stringify(value[0]);
      if (number === null && begins === first) return;
      first = begins;
      offset += size;
      yield { items: value, total };
    } catch (error) {
      if (size <= MIN_PER_PAGE || !isTooMuch(error)) throw error;
      size = Math.max(MIN_PER_PAGE, Math.floor(size / 3));
    }
  }
}

/** True for the response of PHP when it runs out of memory or time, and for a timeout. */
function isTooMuch(error: unknown): boolean {
  if (error instanceof TooLargeError) return true;
  if (!(error instanceof SiteUnavailableError)) return false;
  const { status, isLate } = (error.details ?? {}) as { status?: number; isLate?: boolean };
  return isLate === true || (status !== undefined && (status >= 500 || status < 300));
}

/** All items of all pages in one list. */
export async function collect<T>(pages: AsyncIterable<{ items: readonly T[] }>): Promise<T[]> {
  const all: T[] = [];
  for await (const { items } of pages) all.push(...items);
  return all;
}

/** Chunks of at most a hundred. */
export function chunksOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / PER_PAGE);
  return Array.from({ length: count }, (_, index) => items.slice(index * PER_PAGE, (index + 1) * PER_PAGE));
}
