import { api, type Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { EntryItem } from '#server/core/site-lists';
import { changesStrings } from '#components/changes/words';
import type { EntryType } from '#server/core/content';
import type { ChangeOrigin, ChangeSet } from '#server/core/changes';

/** Changes that belong together: one turn's, or a day's. */
export interface ChangeGroup {
  /** Stable while the list grows at its end. */
  readonly key: string;
  /** Null: made outside a turn. */
  readonly turnId: string | null;
  readonly changes: readonly ChangeSet[];
}

/**
 * Groups changes by local day, in their order.
 * @param changes newest first
 */
export function groupByDay(changes: readonly ChangeSet[]): ChangeGroup[] {
  const groups = new Map<string, ChangeSet[]>();
  for (const change of changes) {
    const key = String(new Date(change.createdAt).setHours(0, 0, 0, 0));
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups].map(([key, own]) => ({ key, turnId: null, changes: own }));
}

/** True if a change is in effect and can be undone by itself. */
export function canUndo({ undoneBy, action }: Pick<ChangeSet, 'undoneBy' | 'action'>): boolean {
  return undoneBy === null && action !== 'undo';
}

/** Sections of an entry that these changes wrote and that may still be there, for the marks of the preview. */
export function writtenSections(changes: readonly ChangeSet[], targetId: string): string[] {
  const operations = changes.filter((change) => change.targetId === targetId).flatMap((change) => change.operations);
  const written = operations.flatMap((operation) => {
    if (operation.op === 'insert-section') return [operation.section.id];
    return operation.op === 'set-section' || operation.op === 'move-section' ? [operation.sectionId] : [];
  });
  return [...new Set(written)];
}

/** Summary of a change in the sentence that says it was undone. */
export function undoneSummary({ summary }: ChangeSet): string {
  return summary.replace(/^Undid: /, '');
}

const { who, forWhom } = changesStrings;

/** Author of a change, by name where there are accounts: "Ada", "Assistant, for Ada". */
export function whoMade({ actor, userName }: Pick<ChangeOrigin, 'actor' | 'userName'>): string {
  return userName === undefined ? who[actor] : `${forWhom[actor]} ${userName}`.trim();
}

/**
 * The conversation in which a change was asked for, where its reader may open it: one's own. Null: none, as for what an
 * import did, which goes by the import's id.
 * @param readerId undefined: not known yet
 */
export function conversationOf(
  { sessionId, userId }: Pick<ChangeOrigin, 'sessionId' | 'userId'>,
  readerId: string | undefined,
): string | null {
  if (sessionId?.startsWith('ses_') !== true) return null;
  return userId === undefined || userId === readerId ? sessionId : null;
}

/** A page of the site as it is now, and what of it was written. */
export interface ChangedPlace {
  /** Path in the preview: `/about/team`. */
  readonly path: string;
  readonly sectionIds: readonly string[];
}

/** Pages and posts the changes were made to, in order, without deleted ones. */
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

/** True if changes show on every page, such as the menu or the name of the site. */
export function changesAllPages(changes: readonly ChangeSet[]): boolean {
  return changes.some(({ targetType }) => targetType === 'navigation' || targetType === 'settings');
}

/** Paths of the most recently changed entries, without those in the trash. */
async function pathsOf(types: ReadonlySet<EntryType>): Promise<ReadonlyMap<string, string>> {
  const lists = await Promise.all([...types].map((type) => api.get<Page<EntryItem>>(paths.entries(type))));
  return new Map(lists.flatMap(({ items }) => items.map(({ id, path }) => [id, path] as const)));
}
