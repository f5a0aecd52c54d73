import type { ProgressListener } from '#server/platform/database/copy-database';

/** Shortest time between two lines about one table, milliseconds. */
const INTERVAL_MS = 2_000;

/** Prints how far a copy is: a line for each table that has rows, and for a large one every two seconds. */
export function printProgress(): ProgressListener {
  let printedAt = performance.now();
  return ({ table, rows, totalRows }) => {
    const isDone = rows >= totalRows;
    if (!isDone && performance.now() - printedAt < INTERVAL_MS) return;
    printedAt = performance.now();
    console.log(`${table}: ${rows.toLocaleString('en-US')} of ${totalRows.toLocaleString('en-US')} rows`);
  };
}
