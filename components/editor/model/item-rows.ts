import type { JsonObject } from '#server/core/json';

/** An item of a displayed list. */
export interface ItemRow {
  /** Stays the same while the item is moved or edited. */
  readonly key: number;
  readonly item: JsonObject;
  /** True if the item was added here. */
  readonly isNew: boolean;
}

let lastKey = 0;

/** New rows for items, each with a key of its own. `isNew`: the items were added here and are not saved yet. */
export function rowsOf(items: readonly JsonObject[], isNew = false): ItemRow[] {
  return items.map((item) => {
    lastKey += 1;
    return { key: lastKey, item, isNew };
  });
}

/** True if the server would accept an item. */
type IsComplete = (item: JsonObject) => boolean;

/**
 * True for a new item that is incomplete and therefore not saved yet. An item that was saved before always counts as
 * saved.
 */
export function isUnsavedRow({ isNew, item }: ItemRow, isComplete: IsComplete): boolean {
  return isNew && !isComplete(item);
}

/** The items to save. */
export function savedItems(rows: readonly ItemRow[], isComplete: IsComplete): JsonObject[] {
  return rows.filter((row) => !isUnsavedRow(row, isComplete)).map(({ item }) => item);
}

/** Index of a row among the saved ones; null if it is not saved. */
export function savedIndex(rows: readonly ItemRow[], key: number, isComplete: IsComplete): number | null {
  const place = rows.filter((row) => !isUnsavedRow(row, isComplete)).findIndex((row) => row.key === key);
  return place === -1 ? null : place;
}

/**
 * Rows for a list that was changed elsewhere. Items that are equal to a former one, or at the same position, keep its
 * row and key; incomplete new items stay where they were. Returns `rows` itself if the saved items are the same.
 */
export function rowsAfterChange(
  rows: readonly ItemRow[],
  items: readonly JsonObject[],
  isComplete: IsComplete,
): readonly ItemRow[] {
  const saved = rows.filter((row) => !isUnsavedRow(row, isComplete));
  if (JSON.stringify(saved.map(({ item }) => item)) === JSON.stringify(items)) return rows;
  const free = new Set(saved);
  const equal = items.map((item) => {
    const text = JSON.stringify(item);
    const row = [...free].find((each) => JSON.stringify(each.item) === text);
    if (row) free.delete(row);
    return row;
  });
  const next = items.map((item, index): ItemRow => {
    const row = equal[index] ?? saved[index];
    if (row === undefined || (equal[index] === undefined && !free.delete(row))) return rowsOf([item])[0] as ItemRow;
    return { ...row, item };
  });
  for (const [index, row] of rows.entries()) {
    if (isUnsavedRow(row, isComplete)) next.splice(Math.min(index, next.length), 0, row);
  }
  return next;
}
