import useSWRInfinite from 'swr/infinite';
import { type MediaFilter, type MediaPage, paths } from '#lib/api/api-client';
import type { Asset } from '#server/core/content';

const PAGE = 60;

/** The pictures that match, page after page. */
export interface MediaList {
  /** Undefined while they are loaded for the first time. */
  readonly assets: readonly Asset[] | undefined;
  /** Of all pages together. */
  readonly total: number;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly showMore: () => void;
  readonly reload: () => void;
}

export function useMedia(filter: MediaFilter): MediaList {
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<MediaPage>(
    (index, previous: MediaPage | null) => {
      if (index === 0) return paths.media(filter, PAGE);
      return previous?.nextCursor ? paths.media(filter, PAGE, previous.nextCursor) : null;
    },
    { keepPreviousData: true },
  );
  return {
    assets: data?.flatMap(({ items }) => items),
    total: data?.[0]?.total ?? 0,
    error,
    hasMore: (data?.at(-1)?.nextCursor ?? null) !== null,
    isLoadingMore: isValidating && (data?.length ?? 0) < size,
    showMore: () => void setSize((data?.length ?? 0) + 1),
    reload: () => void mutate(),
  };
}
