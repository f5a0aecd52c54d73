import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** Tests that ran, by how they ended; `skipped` did not run. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const vitestReport = z
  .object({
    numPassedTests: z.number(),
    numFailedTests: z.number(),
    numPendingTests: z.number(),
    numTodoTests: z.number(),
  })
  .transform((report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }));

const playwrightReport = z
  .object({
    stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  })
  .transform(({ stats }) => ({
    passed: stats.expected,
    // A test that passed only at its second try has failed once.
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }));

const report = z.union([vitestReport, playwrightReport]);

function parseReport(text: string): TestCounts | undefined {
  try {
    return report.parse(JSON.parse(text));
  } catch {
    // A runner that was killed leaves half a file.
    return undefined;
  }
}

/** What the JSON report of vitest or Playwright says; no file, or one that is neither, counts as no tests at all. */
export function readTestCounts(file: string): TestCounts {
  const none = { passed: 0, failed: 0, skipped: 0 };
  if (!existsSync(file)) return none;
  return parseReport(readFileSync(file, 'utf8')) ?? none;
}

/** The one line that sums a run up, for people and machines: `12 passed, 0 failed`, with skipped tests if there are any. */
export function summaryLine(counts: readonly TestCounts[]): string {
  const sum = (name: keyof TestCounts) => counts.reduce((total, count) => total + count[name], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
