/** Most comparisons that a match may take; beyond it only equal beginnings and ends are matched. */
const MAX_COMPARISONS = 4_000_000;

/**
 * The longest row of equal items that stands in both lists in the same order: for each index of `after`, the index of
 * `before` that it is, where it is one.
 */
export function matchInOrder(before: readonly string[], after: readonly string[]): Map<number, number> {
  const matches = new Map<number, number>();
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    matches.set(start, start);
    start += 1;
  }
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore -= 1;
    endAfter -= 1;
    matches.set(endAfter, endBefore);
  }
  const [rows, columns] = [endBefore - start, endAfter - start];
  if (rows * columns > MAX_COMPARISONS) return matches;
  const lengths = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  const lengthAt = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  const isSame = (row: number, column: number) => before[start + row] === after[start + column];
  for (let row = rows - 1; row >= 0; row -= 1) {
    const line = lengths[row] ?? [];
    for (let column = columns - 1; column >= 0; column -= 1) {
      line[column] = isSame(row, column)
        ? lengthAt(row + 1, column + 1) + 1
        : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    if (isSame(row, column)) {
      matches.set(start + column, start + row);
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row += 1;
    else column += 1;
  }
  return matches;
}
