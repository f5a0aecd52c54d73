import { useEffect, useEffectEvent, useRef, useState } from 'react';
import useSWR from 'swr';
import { api, type Page } from '#components/api/api-client';
import { type ChangesFilter, paths } from '#components/api/paths';
import { isOwnChange } from '#components/desk/content-cache';
import type { ChangeSet } from '#server/core/changes';

/** Changes that are read at once. */
const PAGE = 100;

export interface Changes {
  /** Newest first, as far as they were asked for; undefined: not known yet. */
  readonly items: readonly ChangeSet[] | undefined;
  readonly error: unknown;
  readonly reload: () => void;
  /** Reads older ones too; null: there are none. */
  readonly loadMore: (() => void) | null;
  readonly isLoadingMore: boolean;
}

interface UseChangesOptions {
  /** Milliseconds after which they are read again, for what others change. */
  readonly refreshInterval?: number;
  /** Default 100. */
  readonly pageSize?: number;
}

/** The journal of the site, or what of it the filter lets through. */
export function useChanges(filter: ChangesFilter, options: UseChangesOptions = {}): Changes {
  const { refreshInterval = 0, pageSize = PAGE } = options;
  const name = JSON.stringify(filter);
  const [shown, setShown] = useState({ name, pages: 1 });
  const pages = shown.name === name ? shown.pages : 1;
  const { data, error, isLoading, mutate } = useSWR<Page<ChangeSet>>(paths.changesKey(filter, pageSize, pages), {
    fetcher: () => readPages(filter, pages, pageSize),
    refreshInterval,
    keepPreviousData: pages > 1,
  });
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
    const { items: more, nextCursor } = await api.get<Page<ChangeSet>>(paths.changes(filter, pageSize, before));
    items.push(...more);
    before = nextCursor ?? undefined;
    if (before === undefined) break;
  }
  return { items, nextCursor: before ?? null };
}

/** Polling interval for changes by others; ms. */
const REFRESH_INTERVAL = 10_000;
/** Newest changes read for the page on screen. */
const NEWEST = 20;

/**
 * Reports changes to the site that were not made here: by other people, through REST, in another conversation or tab.
 * @param sessionId conversation whose own writes are known from its tool calls, except what its undos touch
 */
export function useOutsideChanges(sessionId: string | null, onChanges: (changes: readonly ChangeSet[]) => void): void {
  const { items } = useChanges({}, { refreshInterval: REFRESH_INTERVAL, pageSize: NEWEST });
  const known = useRef<ReadonlySet<string> | null>(null);
  const tell = useEffectEvent((changes: readonly ChangeSet[]) => {
    const others = changes.filter((change) => {
      const { action, origin } = change;
      const isWriteOfThisChat = origin.actor === 'assistant' && origin.sessionId === sessionId && action !== 'undo';
      return !isWriteOfThisChat && !isOwnChange(change);
    });
    if (others.length > 0) onChanges(others);
  });
  useEffect(() => {
    if (items === undefined) return;
    const before = known.current;
    // Somebody who types goes on with the same change.
    const nameOf = ({ id, revision }: ChangeSet) => `${id}:${revision}`;
    known.current = new Set(items.map(nameOf));
    if (before !== null) tell(items.filter((change) => !before.has(nameOf(change))));
  }, [items]);
}
