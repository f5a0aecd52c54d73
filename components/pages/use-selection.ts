import { type KeyboardEvent, useState } from 'react';
import {
  NOTHING_SELECTED,
  rangeOf,
  type SelectedEntry,
  type Selection,
  withEntries,
} from '#components/pages/selection.ts';
import { rowBoxes, shownRows } from '#components/pages/shown-rows.ts';

interface State {
  /** The filter to which the selection belongs. */
  readonly scope: string;
  readonly selection: Selection;
  /** Id of the entry that was selected last, where a range begins. */
  readonly anchor: string | null;
}

/** Selected entries of the lists, and ways to change them. */
export interface SelectionControl {
  readonly selection: Selection;
  /** @param isRange also selects everything between the entry that was selected last and this one */
  readonly toggle: (list: readonly SelectedEntry[], id: string, isOn: boolean, isRange: boolean) => void;
  readonly set: (entries: readonly SelectedEntry[], isOn: boolean) => void;
  readonly clear: () => void;
}

/**
 * The selection of pages and posts.
 * @param scope the filter: a change of it clears the selection, so that nothing is selected that is not listed
 */
export function useSelection(scope: string): SelectionControl {
  const [state, setState] = useState<State>({ scope, selection: NOTHING_SELECTED, anchor: null });
  const present: State = state.scope === scope ? state : { scope, selection: NOTHING_SELECTED, anchor: null };
  const change = (next: (before: State) => Omit<State, 'scope'>) =>
    setState((before) => ({
      scope,
      ...next(before.scope === scope ? before : { scope, selection: NOTHING_SELECTED, anchor: null }),
    }));
  return {
    selection: present.selection,
    toggle: (list, id, isOn, isRange) =>
      change(({ selection, anchor }) => ({
        selection: withEntries(selection, rangeOf(list, isRange ? anchor : id, id), isOn),
        anchor: id,
      })),
    set: (entries, isOn) =>
      change(({ selection }) => ({ selection: withEntries(selection, entries, isOn), anchor: null })),
    clear: () => change(() => ({ selection: NOTHING_SELECTED, anchor: null })),
  };
}

/**
 * Keys in a list with a checkbox per row: the arrows go to the next row, with Shift they select it too; Ctrl or Cmd with A
 * selects all rows, Escape none.
 */
export function onSelectionKey(event: KeyboardEvent<HTMLElement>, { toggle, set, clear }: SelectionControl): void {
  const boxes = rowBoxes(event.currentTarget);
  const list = shownRows(event.currentTarget);
  const at = boxes.findIndex((box) => box === event.target);
  if (at === -1) return;
  const isAll = event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (isAll) set(list, true);
  else if (event.key === 'Escape') clear();
  else if (step !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
    const next = boxes[at + step];
    next?.focus();
    const entry = list.find(({ id }) => id === next?.dataset['entry']);
    if (event.shiftKey && entry) toggle(list, entry.id, true, false);
  } else return;
  event.preventDefault();
}
