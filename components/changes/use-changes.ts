import { useState } from 'react';
import useSWR from 'swr';
import { api, type Page } from '#components/api/api-client.ts';
import { type ChangesFilter, paths } from '#components/api/paths.ts';
import type { ChangeSet } from '#server/core/site/changes';

/** Default number of changes per request. */
const PAGE = 100;

/** Changes of the journal, as far as loaded. */
export interface Changes {
  /** Newest first, as far as loaded; undefined while loading. */
  readonly items: readonly ChangeSet[] | undefined;
  /** Error of the first load; undefined: none. */
  readonly error: unknown;
  readonly reload: () => void;
  /** Loads older changes too; null if all are loaded. */
  readonly loadMore: (() => void) | null;
  readonly isLoadingMore: boolean;
}

interface UseChangesOptions {
  /** Polling interval for changes by others; milliseconds. */
  readonly refreshInterval?: number;
  /** Default 100. */
  readonly pageSize?: number;
}

/** The journal of the site, or the part that matches the filter. */
export function useChanges(filter: ChangesFilter, options: UseChangesOptions = {}): Changes {
  const { refreshInterval = 0, pageSize = PAGE } = options;
  const name = JSON.stringify(filter);
  const [shown, setShown] = useState({ name, pages: 1 });
  const pages = shown.name === name ? shown.pages : 1;
  const { data, error, isLoading, mutate } = useSWR(
    paths.changesKey(filter, pageSize, pages),
    () => readPages(filter, pages, pageSize),
    { refreshInterval, keepPreviousData: pages > 1 },
  );
  return {
    items: data?.items,
    error: data === undefined ? (error as unknown) : undefined,
    reload: () => void mutate(),
    loadMore: data?.nextCursor ? () => setShown({ name, pages: pages + 1 }) : null,
    isLoadingMore: isLoading && data !== undefined,
  };
}

async function readPages(filter: ChangesFilter, pages: number, pageSize: number): Promise<Page<ChangeSet>> {
  const items: ChangeSet[] = [];
  let before: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const { items: more, nextCursor } = await api.get(paths.changes(filter, pageSize, before));
    items.push(...more);
    before = nextCursor ?? undefined;
    if (before === undefined) break;
  }
  return { items, nextCursor: before ?? null };
}
