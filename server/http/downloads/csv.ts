/** First character of a spreadsheet formula, which could send nearby cells to another server. */
const FORMULA = /^[=+\-@\t\r]/;

/** A row of a CSV file (RFC 4180), with its line end. The texts are untrusted: a cell never becomes a formula. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Start of a CSV file. Without the byte order mark of UTF-8, Excel shows each letter beyond ASCII as two others. */
export const BYTE_ORDER_MARK = '\ufeff';
