/** The p-th percentile (0 to 1), nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * p) - 1))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

export const milliseconds = (value: number) => `${value.toFixed(1)} ms`;

/** One line of a table: what it is, then its figures in columns. */
export function printRow(label: string, ...figures: string[]): void {
  process.stdout.write(`${label.padEnd(62)}${figures.map((figure) => figure.padStart(24)).join('')}\n`);
}
