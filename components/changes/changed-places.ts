import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import type { ChangeSet } from '#server/core/site/changes';
import type { EntryType } from '#server/core/site/content';

/** A page with its current address, and its sections that were written. */
export interface ChangedPlace {
  /** Path in the preview: `/about/team`. */
  readonly path: string;
  readonly sectionIds: readonly string[];
}

/** Sections of an entry that these changes wrote and that may still exist; the preview marks them. */
export function writtenSections(changes: readonly ChangeSet[], targetId: string): string[] {
  const operations = changes.filter((change) => change.targetId === targetId).flatMap((change) => change.operations);
  const written = operations.flatMap((operation) => {
    if (operation.op === 'insert-section') return [operation.section.id];
    return operation.op === 'set-section' || operation.op === 'move-section' ? [operation.sectionId] : [];
  });
  return [...new Set(written)];
}

/** Pages and posts that the changes affect, in the order of the changes, without deleted ones. @throws ApiError */
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

/** True if changes are visible on every page, such as the menu or the name of the site. */
export function changesAllPages(changes: readonly ChangeSet[]): boolean {
  return changes.some(({ targetType }) => targetType === 'navigation' || targetType === 'settings');
}

/** Paths of the most recently changed entries, without those in the trash. */
async function pathsOf(types: ReadonlySet<EntryType>): Promise<ReadonlyMap<string, string>> {
  const lists = await Promise.all([...types].map((type) => api.get(paths.entries(type))));
  return new Map(lists.flatMap(({ items }) => items.map(({ id, path }) => [id, path] as const)));
}
