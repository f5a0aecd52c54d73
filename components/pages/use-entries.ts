import { useEffect, useEffectEvent } from 'react';
import { type EntryFilter, paths } from '#components/api/paths.ts';
import { useApiPages } from '#components/api/use-api.ts';
import { contentRefreshes } from '#components/workspace/content-cache.ts';
import { usePreviousData } from '#components/ui/previous-data.ts';
import type { Shape } from '#server/core/shapes';
import type { EntryType } from '#server/core/site/content';
import type { entryListSchema } from '#server/core/site/site-lists';

/** Entries per request. */
const PAGE = 30;

type EntryPage = Shape<typeof entryListSchema>;

/** The pages or posts that match the filter, as far as loaded. @param filter null: none are read */
export function useEntries(type: EntryType, filter: EntryFilter | null) {
  const read = useApiPages((index, previous: EntryPage | null) => {
    if (filter === null) return null;
    if (index === 0) return paths.entryList(type, filter, PAGE);
    return previous?.nextCursor ? paths.entryList(type, filter, PAGE, previous.nextCursor) : null;
  });
  const reload = useEffectEvent(() => void read.mutate());
  // Lists of several pages are not refreshed automatically.
  useEffect(() => contentRefreshes.listen(() => reload()), []);
  const data = usePreviousData(read.data, read.error);
  /** True while the entries of the previous filter are shown. */
  const isPrevious = data !== undefined && read.data === undefined;
  return { ...read, data, isPrevious };
}
