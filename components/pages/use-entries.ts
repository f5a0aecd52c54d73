import { api } from '#components/api/api-client.ts';
import { type EntryFilter, paths } from '#components/api/paths.ts';
import { useApiPages } from '#components/api/use-api.ts';
import { usePreviousData } from '#components/ui/previous-data.ts';
import type { Shape } from '#server/core/shapes';
import type { EntryType } from '#server/core/site/content';
import type { EntryItem, entryListSchema } from '#server/core/site/site-lists';

/** Entries per request. */
const PAGE = 30;
/** Entries per request where all that match are read; the largest number that the API allows. */
const LARGE_PAGE = 100;

type EntryPage = Shape<typeof entryListSchema>;

/** The pages or posts that match the filter, as far as loaded. */
export function useEntries(type: EntryType, filter: EntryFilter) {
  const read = useApiPages((index, previous: EntryPage | null) => {
    if (index === 0) return paths.entryList(type, filter, PAGE);
    return previous?.nextCursor ? paths.entryList(type, filter, PAGE, previous.nextCursor) : null;
  });
  const data = usePreviousData(read.data, read.error);
  /** True while the entries of the previous filter are shown. */
  const isPrevious = data !== undefined && read.data === undefined;
  return { ...read, data, isPrevious };
}

/** All pages or posts that match the filter. @throws ApiError */
export async function allEntries(type: EntryType, filter: EntryFilter): Promise<EntryItem[]> {
  const items: EntryItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.get(paths.entryList(type, filter, LARGE_PAGE, cursor));
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** All pages, then all posts, that have something to publish and are not planned. @throws ApiError */
export async function unpublishedEntries(): Promise<EntryItem[]> {
  const lists = await Promise.all(
    (['page', 'post'] as const).flatMap((type) => [
      allEntries(type, { status: 'draft' }),
      allEntries(type, { status: 'changed' }),
    ]),
  );
  return lists.flat().filter(({ publishAt }) => publishAt === null);
}
