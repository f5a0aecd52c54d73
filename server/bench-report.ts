import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { databaseFileOf } from '#server/store/database-file';

/** A report of `npm run bench` as it is stored. */
export interface StoredBenchReport {
  /** `own`: measured here. `shipped`: came with this version, in docs. */
  readonly source: 'own' | 'shipped';
  /** JSON, if nobody has spoiled it. */
  readonly text: string;
}

/** The newest report: `bench/report.json` beside an embedded database, else the one in docs; null without either. */
export async function readBenchReport(databaseUrl: string): Promise<StoredBenchReport | null> {
  const own = databaseUrl.startsWith('file:') ? join(dirname(databaseFileOf(databaseUrl)), 'bench/report.json') : null;
  if (own !== null && existsSync(own)) return { source: 'own', text: await readFile(own, 'utf8') };
  const shipped = resolve(/* turbopackIgnore: true */ 'docs/benchmarks.json');
  return existsSync(shipped) ? { source: 'shipped', text: await readFile(shipped, 'utf8') } : null;
}
