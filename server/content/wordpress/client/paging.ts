import { z } from 'zod';
import type { SiteConnector, SiteRequest } from '#server/content/wordpress/client/site-request';

/** The most that WordPress gives at once. */
export const PER_PAGE = 100;

interface ListRequest<T> {
  readonly query: NonNullable<SiteRequest<unknown>['query']>;
  readonly item: z.ZodType<T>;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All of a list, a hundred at a time in the order of their ids: what is written meanwhile moves nothing of it. What
 * somebody deletes for good meanwhile moves the rest, so that one may be missed until the next time.
 */
export async function* allOf<T>(
  site: SiteConnector,
  route: string,
  { query, item, what, signal }: ListRequest<T>,
): AsyncGenerator<{ items: T[]; total: number }> {
  const schema = z.array(item);
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { value, headers } = await site.ask<T[]>(route, {
      query: { orderby: 'id', order: 'asc', ...query, per_page: PER_PAGE, page },
      schema,
      what,
      signal,
      // Entries were deleted while the list was read.
      onFault: ({ code }) => (code === 'rest_post_invalid_page_number' && page > 1 ? [] : undefined),
    });
    pages = Number(headers.get('x-wp-totalpages') ?? 1);
    yield { items: value, total: Number(headers.get('x-wp-total') ?? value.length) };
  }
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
