import { api, paths } from '#lib/api/api-client';
import type { EntryItem, Page } from '#lib/api/api-client';
import { writtenSections } from '#lib/changes/group-changes';
import type { ChangeSet, EntryType } from '#server/core/content';

/** A page of the site as it is now, and what of it was written. */
export interface ChangedPlace {
  /** As the preview names it: `/about/team`. */
  readonly path: string;
  readonly sectionIds: readonly string[];
}

/** Where changes can be seen: the pages and posts that they were made to, in their order, without those that are gone. */
export async function changedPlaces(changes: readonly ChangeSet[]): Promise<ChangedPlace[]> {
  const entries = new Map(
    changes.flatMap(({ targetId, targetType }): [string, EntryType][] =>
      targetType === 'page' || targetType === 'post' ? [[targetId, targetType]] : [],
    ),
  );
  const present = await pathsOf(new Set(entries.values()));
  return [...entries.keys()].flatMap((id) => {
    const path = present.get(id);
    return path === undefined ? [] : [{ path, sectionIds: writtenSections(changes, id) }];
  });
}

/** They can be seen on every page: the menu, the name of the site. */
export function changesAllPages(changes: readonly ChangeSet[]): boolean {
  return changes.some(({ targetType }) => targetType === 'navigation' || targetType === 'settings');
}

/** Of the entries that were changed last, those in the trash left out. */
async function pathsOf(types: ReadonlySet<EntryType>): Promise<ReadonlyMap<string, string>> {
  const lists = await Promise.all([...types].map((type) => api.get<Page<EntryItem>>(paths.entries(type))));
  return new Map(lists.flatMap(({ items }) => items.map(({ id, path }) => [id, path] as const)));
}
