/** A cell of the line below the header in a Markdown table. */
const SEPARATOR = /^:?-{3,}:?$/;

/**
 * The cells of a table that is written as text: a line for each row, cells separated by `|`, or by tabs as they are pasted
 * from a spreadsheet. Empty lines, and the line below the header in a Markdown table, are no rows.
 */
export function tableRows(text: string): readonly (readonly string[])[] {
  return text
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) =>
      line
        .trimEnd()
        .replace(/^\|(.*)\|$/, '$1')
        .split(/[|\t]/)
        .map((cell) => cell.trim()),
    )
    .filter((cells, row) => row !== 1 || !cells.every((cell) => SEPARATOR.test(cell)));
}

/** Text that `tableRows` reads as these cells. */
export function tableText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.join(' | ')).join('\n');
}
