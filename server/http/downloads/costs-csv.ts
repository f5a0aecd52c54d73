import type { Costs } from '#server/core/admin/spending';
import { BYTE_ORDER_MARK, csvLine } from '#server/http/downloads/csv';

/** Columns of the table: the fields of a row, with their headings. */
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

const fields = Object.keys(columns) as (keyof typeof columns)[];

/** A report of costs as a CSV file, for spreadsheets. */
export function costsCsv({ by, rows }: Costs): string {
  const head = [by, 'name', ...Object.values(columns)];
  const lines = rows.map((row) => [row.key, row.name ?? '', ...fields.map((field) => row[field])]);
  return BYTE_ORDER_MARK + [head, ...lines].map(csvLine).join('');
}
