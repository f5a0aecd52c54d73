import type { Costs } from '#server/core/spending';
import type { Submission } from '#server/core/submissions';

/** First character of a formula in spreadsheets, which could send nearby cells elsewhere. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line of a table for spreadsheets (RFC 4180). Texts were written by others: none is a formula. */
function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

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

/** Begins a table in UTF-8: without it Excel takes every letter beyond ASCII for two others. */
const MARK = '\ufeff';

/** Costs as a table for spreadsheets (RFC 4180, UTF-8 with its mark). */
export function costsCsv({ by, rows }: Costs): string {
  const head = [by, 'name', ...Object.values(columns)];
  const lines = rows.map((row) => [row.key, row.name ?? '', ...names.map((name) => row[name])]);
  return MARK + [head, ...lines].map(csvLine).join('');
}

/**
 * Submissions as a table for spreadsheets (RFC 4180, UTF-8 with its mark). A column for each label, in the order in which
 * they first come; equal labels of one form share theirs.
 * @param read called twice: for the labels, and for the lines
 */
export async function* submissionsAsCsv(read: () => AsyncIterable<readonly Submission[]>): AsyncGenerator<string> {
  const labels = new Set<string>();
  for await (const page of read()) for (const { answers } of page) for (const { label } of answers) labels.add(label);
  yield `${MARK}${csvLine(['Received', 'Page', 'Form', ...labels])}`;
  for await (const page of read()) {
    for (const { createdAt, pageTitle, formTitle, answers } of page) {
      const cells = [...labels].map((wanted) =>
        answers.flatMap(({ label, value }) => (label === wanted ? value : [])).join('\n'),
      );
      yield csvLine([new Date(createdAt).toISOString(), pageTitle, formTitle, ...cells]);
    }
  }
}
