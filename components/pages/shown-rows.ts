import type { SelectedEntry } from '#components/pages/selection.ts';

/** The entries of the checkboxes on the screen. */
const entries = new WeakMap<Element, SelectedEntry>();

/** Remembers which entry a checkbox selects. */
export function setRow(box: Element, entry: SelectedEntry): void {
  entries.set(box, entry);
}

/** The checkboxes of the rows within an element, from top to bottom, whatever their level in a tree. */
export function rowBoxes(list: Element): HTMLInputElement[] {
  return [...list.querySelectorAll<HTMLInputElement>('input[data-entry]')];
}

/** The entries of the rows within an element, from top to bottom, whatever their level in a tree. */
export function shownRows(list: Element): SelectedEntry[] {
  return rowBoxes(list).flatMap((box) => entries.get(box) ?? []);
}
