import type { Costs } from '#server/core/spending';

const columns = {
  calls: 'calls',
  inputTokens: 'input tokens',
  cacheReadTokens: 'of these from the cache',
  outputTokens: 'output tokens',
  cost: 'cost (USD)',
  estimated: 'of this estimated (USD)',
  unpriced: 'calls without a price',
  cacheSaved: 'saved by caches (USD)',
  compactionSaved: 'saved by clearing and summaries (USD)',
} as const satisfies Partial<Record<keyof Costs['rows'][number], string>>;

const names = Object.keys(columns) as (keyof typeof columns)[];

/** Costs as a table that spreadsheets open (RFC 4180). */
export function costsCsv({ by, rows }: Costs): string {
  const head = [by, 'name', ...Object.values(columns)];
  const lines = rows.map((row) => [row.key, row.name ?? '', ...names.map((name) => row[name])]);
  return `${[head, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** A title that begins like a formula would be one in a spreadsheet: somebody else has written it. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
