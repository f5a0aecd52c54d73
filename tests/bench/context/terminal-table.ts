import { benchCases, type BenchCase, benchColumns, bestOf, NOTHING } from '#tests/bench/context/bench-columns';
import type { BenchReport, Result } from '#tests/bench/context/bench-report';
import { benchStrings } from '#tests/bench/context/bench-words';

/** Writes a report to the terminal: a table for each transcript and window, one line per approach, ours first. */
export function printTable(report: BenchReport): void {
  for (const each of benchCases(report)) console.log(`\n${caseTable(each)}`);
  console.log('\n* best among those who stayed within the window');
}

function caseTable({ transcript, results }: BenchCase): string {
  const { name, contextWindow } = transcript;
  const head = ['', ...benchColumns.map(({ key }) => `${benchStrings.columns[key].short} `)];
  const rows = results.map((result) => [result.approach, ...cells(result, results)]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  const failures = results.flatMap(({ approach, error }) => (error === null ? [] : [`${approach}: ${error}`]));
  const facts = benchStrings.caseFacts(transcript);
  return [`${benchStrings.caseName(name, contextWindow)}: ${facts}`, ...lines, ...failures].join('\n');
}

function cells(result: Result, results: readonly Result[]): string[] {
  const { figures } = result;
  return benchColumns.map((column) => {
    if (!figures) return NOTHING;
    return `${column.textOf(figures)}${bestOf(column, results).has(result) ? '*' : ' '}`;
  });
}
