import type { JsonObject } from '#server/core/json';

/** An item of a list on screen. */
export interface ItemRow {
  /** Stays the same while the item moves and changes. */
  readonly key: number;
  readonly item: JsonObject;
  /** Added here. */
  readonly isNew: boolean;
}

let lastKey = 0;

/** Rows for items that were not on screen before. */
export function rowsOf(items: readonly JsonObject[], isNew = false): ItemRow[] {
  return items.map((item) => {
    lastKey += 1;
    return { key: lastKey, item, isNew };
  });
}

type IsComplete = (item: JsonObject) => boolean;

/** True for a new item that lacks something: it is not saved yet. What was there before is kept as it is. */
export function isWaiting({ isNew, item }: ItemRow, isComplete: IsComplete): boolean {
  return isNew && !isComplete(item);
}

/** Items as they are saved. */
export function savedItems(rows: readonly ItemRow[], isComplete: IsComplete): JsonObject[] {
  return rows.filter((row) => !isWaiting(row, isComplete)).map(({ item }) => item);
}

/** Place of a row among those that are saved; null: it is not. */
export function savedPlace(rows: readonly ItemRow[], key: number, isComplete: IsComplete): number | null {
  const place = rows.filter((row) => !isWaiting(row, isComplete)).findIndex((row) => row.key === key);
  return place === -1 ? null : place;
}

/**
 * Rows for a list that was changed elsewhere. Equal items keep their row, and so does what stands in the same place;
 * what is not finished stays where it was.
 */
export function withRows(
  rows: readonly ItemRow[],
  items: readonly JsonObject[],
  isComplete: IsComplete,
): readonly ItemRow[] {
  const saved = rows.filter((row) => !isWaiting(row, isComplete));
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
    if (isWaiting(row, isComplete)) next.splice(Math.min(index, next.length), 0, row);
  }
  return next;
}
