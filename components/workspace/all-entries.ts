import { api } from '#components/api/api-client.ts';
import { type EntryFilter, paths } from '#components/api/paths.ts';
import type { EntryType } from '#server/core/site/content';
import type { EntryItem } from '#server/core/site/site-lists';

/** Entries per request where all that match are read; the largest number that the API allows. */
const LARGE_PAGE = 100;

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

/** What is published together. */
export interface Publication {
  readonly entries: readonly EntryItem[];
  /** True if the draft of the design is part of it. */
  readonly hasDesign: boolean;
}

/** All pages, then all posts, that have something to publish and are not planned, and the design. @throws ApiError */
export async function unpublishedContent(): Promise<Publication> {
  const [{ design }, ...lists] = await Promise.all([
    api.get(paths.capabilities),
    ...(['page', 'post'] as const).flatMap((type) => [
      allEntries(type, { status: 'draft' }),
      allEntries(type, { status: 'changed' }),
    ]),
  ]);
  return {
    entries: lists.flat().filter(({ publishAt }) => publishAt === null),
    hasDesign: design && (await api.get(paths.design)).hasUnpublishedChanges,
  };
}
