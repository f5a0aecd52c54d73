import type { EntryItem } from '#server/core/site/site-lists';

/** What a selection keeps of an entry. */
export type SelectedEntry = Pick<EntryItem, 'id' | 'type' | 'title' | 'publishAt' | 'marks'>;

/** Selected pages and posts by id, in the order in which they were selected. */
export type Selection = ReadonlyMap<string, SelectedEntry>;

export const NOTHING_SELECTED: Selection = new Map();

/** The selection with or without these entries. */
export function withEntries(selection: Selection, entries: readonly SelectedEntry[], isOn: boolean): Selection {
  const changed = new Map(selection);
  for (const { id, type, title, publishAt, marks } of entries) {
    if (isOn) changed.set(id, { id, type, title, publishAt, marks });
    else changed.delete(id);
  }
  return changed;
}

/**
 * The entries between two in a list, both included: what a click with Shift selects.
 * @param from id of the entry that was selected before; if it is not in the list, only `to` is returned
 */
export function rangeOf(list: readonly SelectedEntry[], from: string | null, to: string): readonly SelectedEntry[] {
  const end = list.findIndex(({ id }) => id === to);
  const start = list.findIndex(({ id }) => id === from);
  if (end === -1) return [];
  if (start === -1) return list.slice(end, end + 1);
  return list.slice(Math.min(start, end), Math.max(start, end) + 1);
}
